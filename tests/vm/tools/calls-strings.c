// SPDX-License-Identifier: GPL-2.0
/*
 * calls strings: calls whose arguments point to texts and to addresses of sockets.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "calls.h"

/* Two pages, the second one without memory. */
static char *edge(void)
{
	long page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || munmap(p + page, (size_t)page))
		die("mmap");
	return p + page;
}

static void open_it(const char *path)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0);

	if (fd >= 0)
		close(fd);
}

/* Of each length around those that the records have, and what is no character. */
static void lengths(void)
{
	static const int sizes[] = { 0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 254,
				     255, 256, 257, 1000 };
	char *end = edge(), path[1001];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int n = sizes[i];

		for (int k = 0; k < n; k++)
			path[k] = (char)('a' + k % 26);
		path[n] = 0;
		open_it(path);
		/* The zero is the last byte that there is. */
		strcpy(end - n - 1, path);
		open_it(end - n - 1);
		/* The text goes on where there is nothing. */
		if (n) {
			memset(end - n, 'x', (size_t)n);
			open_it(end - n);
		}
	}
	open_it("\"quoted\" \\ \a\b\t\n\v\f\r \033 \0017 \18 \377\376");
	open_it("/caf\303\251/\xe2\x82\xac");
	open_it((char *)16);
	open_it(NULL);
}

static void paths(void)
{
	char buf[300], dir[] = "/tmp/calls-strings.XXXXXX";
	int fd;

	if (!mkdtemp(dir) || chdir(dir))
		die(dir);
	(void)!getcwd(buf, sizeof(buf));
	syscall(SYS_getcwd, buf, 1);
	fd = open("file", O_CREAT | O_RDWR, 0600);
	(void)!symlink("some/where/else", "link");
	(void)!readlink("link", buf, sizeof(buf));
	(void)!readlink("link", buf, 4);
	(void)!readlink("none", buf, sizeof(buf));
	link("file", "second");
	rename("second", "third");
	mkdir("sub", 0700);
	mknod("fifo", S_IFIFO | 0600, 0);
	(void)!access("none", R_OK);
	chmod("file", 0640);
	(void)!chown("file", 0, 0);
	(void)!lchown("link", 0, 0);
	(void)!truncate("file", 100);
	setxattr("file", "user.name", "value", 5, 0);
	getxattr("file", "user.name", buf, sizeof(buf));
	fgetxattr(fd, "user.none", buf, sizeof(buf));
	removexattr("file", "user.name");
	mount("source", "/none", "type", 0, "data=1");
	umount2("/none", 0);
	chroot("/none");
	syscall(SYS_memfd_create, "a name", 0);
	unlinkat(AT_FDCWD, "third", 0);
	unlink("fifo");
	unlink("link");
	rmdir("sub");
	unlink("file");
	(void)!chdir("/");
	rmdir(dir);
	close(fd);
}

static int bound(int family, const void *address, socklen_t size)
{
	int fd = socket(family, SOCK_STREAM, 0);

	bind(fd, address, size);
	return fd;
}

static void local_sockets(void)
{
	struct sockaddr_un path = { AF_UNIX, "/tmp/calls-strings.socket" }, got;
	struct sockaddr_un hidden = { AF_UNIX, "\0hidden\0part" };
	const socklen_t size = offsetof(struct sockaddr_un, sun_path);
	socklen_t n = sizeof(got);
	int fd, other, peer;

	unlink(path.sun_path);
	close(bound(AF_UNIX, &hidden, size + 12));
	fd = bound(AF_UNIX, &path, sizeof(path));
	listen(fd, 1);
	getsockname(fd, (void *)&got, &n);
	other = socket(AF_UNIX, SOCK_STREAM, 0);
	connect(other, (void *)&path, size + (socklen_t)strlen(path.sun_path) + 1);
	n = sizeof(got);
	peer = accept4(fd, (void *)&got, &n, SOCK_CLOEXEC);
	n = sizeof(got);
	getpeername(other, (void *)&got, &n);
	close(peer);
	close(other);
	close(fd);
	unlink(path.sun_path);
	memset(path.sun_path, 'y', sizeof(path.sun_path));
	close(bound(AF_UNIX, &path, sizeof(path)));
	close(bound(AF_UNIX, &path, 2));
	close(bound(AF_UNIX, (void *)16, sizeof(path)));
	close(bound(AF_UNIX, &path, 1));
	close(bound(AF_UNIX, &path, 100000));
}

static void net_sockets(void)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct sockaddr_in from;
	struct sockaddr_in6 v6 = {
		.sin6_family = AF_INET6, .sin6_port = htons(7), .sin6_flowinfo = htonl(5),
		.sin6_addr = { { { 0xfe, 0x80, [15] = 9 } } }, .sin6_scope_id = 1,
	};
	struct sockaddr_nl nl = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	socklen_t n = sizeof(v4);
	char buf[16];
	int fd;

	fd = socket(AF_INET, SOCK_DGRAM, 0);
	bind(fd, (void *)&v4, sizeof(v4));
	getsockname(fd, (void *)&v4, &n);
	sendto(fd, "text", 4, MSG_DONTWAIT, (void *)&v4, sizeof(v4));
	n = sizeof(from);
	recvfrom(fd, buf, sizeof(buf), MSG_DONTWAIT, (void *)&from, &n);
	recvfrom(fd, buf, sizeof(buf), MSG_DONTWAIT, (void *)&from, &n);
	close(fd);
	fd = socket(AF_INET6, SOCK_DGRAM, 0);
	connect(fd, (void *)&v6, sizeof(v6));
	close(fd);
	fd = socket(AF_NETLINK, SOCK_RAW, 0);
	bind(fd, (void *)&nl, sizeof(nl));
	close(fd);
}

static void execute(const char *path, const void *argv)
{
	pid_t child = fork();

	if (!child) {
		syscall(SYS_execve, path, argv, (char *[]){ "A=1", NULL });
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

static void programs(void)
{
	char *many[60], *wrong[] = { "one", (char *)16, "three", NULL };

	for (size_t i = 0; i < 59; i++)
		many[i] = "an argument of some length";
	many[59] = NULL;
	execute("/bin/true", (char *[]){ "true", "one argument", "", "\"two\"", NULL });
	execute("/bin/true", many);
	execute("/none", (char *[]){ "none", NULL });
	execute("/none", wrong);
	execute("/none", (void *)16);
	execute("/none", NULL);
}

/* What the call writes replaces the path that it was given. */
static void replaced(void)
{
	static const char link[] = "/tmp/calls-strings.link";
	char path[256];

	(void)!symlink("/where/it/points", link);
	strcpy(path, link);
	syscall(SYS_readlinkat, AT_FDCWD, path, path, sizeof(path));
	unlink(link);
	strcpy(path, "/etc/passwd");
#ifdef SYS_newfstatat
	syscall(SYS_newfstatat, AT_FDCWD, path, path, 0);
#else
	syscall(SYS_fstatat64, AT_FDCWD, path, path, 0);
#endif
	if (!memcmp(path, "/etc/passwd", 11))
		die("stat has written nothing");
}

static char fifo[64];
static int done[2];

static void *open_fifo(void *arg)
{
	open_it(fifo);
	(void)!write(done[1], "", 1);
	return arg;
}

/* The path of an open that waits is overwritten. No futex, which strace prints in its own way. */
static void overwritten(void)
{
	static const char path[] = "/tmp/calls-strings.fifo.first";
	pthread_t t;
	char c;
	int fd;

	strcpy(fifo, path);
	if (mkfifo(fifo, 0600) || pipe(done) || pthread_create(&t, NULL, open_fifo, NULL))
		die(fifo);
	pthread_detach(t);
	usleep(300000);
	strcpy(fifo, "/tmp/calls-strings.fifo.other");
	fd = open(path, O_WRONLY);
	(void)!read(done[0], &c, 1);
	close(fd);
	close(done[0]);
	close(done[1]);
	unlink(path);
}

int strings(void)
{
	lengths();
	paths();
	replaced();
	overwritten();
	local_sockets();
	net_sockets();
	programs();
	return 0;
}
