// SPDX-License-Identifier: GPL-2.0
/*
 * Names that are meant for who reads the trace: each as the name of a task, a cgroup, a path, an
 * argument and the address of a socket, in a process of its own.
 *
 *	hostile-names CGROUPS	CGROUPS: a directory of the hierarchy of version 2
 *
 * Prints each name in hexadecimal digits, a line each.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of at most 15 bytes, the size of a task's name. */
static const char *const names[] = {
	/* pages, and what is in them */
	"<b>hostile</b>", "</script><b>", "<!--", "]]><b>", "&lt;b&gt;", "\"onload=b",
	/* terminals: a title, a colour, the same with a control of 8 bits, the order of letters */
	"\x1b]0;title\x07", "\x1b[31mred", "\xc2\x9b" "31mred", "\xe2\x80\xae" "olleh", "a\b\b\bb",
	/* tables and texts by lines */
	"new\nline", "cr\rlf", "tab\ttab", "a;b;c 7", "a,b\",c", "quote\"s\\", "x' OR '1'='1",
	"=1+1", "%s%n%p", "\xff\xfe\x80", "cut\xc3", "--help", "{\"a\":[1]}", "a b (c", "\\n\\x41",
};

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "hostile-names: %s: %s\n", what, strerror(errno));
	_exit(2);
}

static void join_cgroup(const char *cgroups, const char *name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", cgroups, name);
	/* The kernel has no newline in such names. */
	if (strpbrk(name, "/\n") || mkdir(path, 0755))
		return;
	strcat(path, "/cgroup.procs");
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, "0", 1) != 1)
		die(path);
	close(fd);
}

static void use(const char *name)
{
	char *const args[] = { (char *)(uintptr_t)name, (char *)(uintptr_t)name, NULL };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = open(name, O_RDWR | O_CREAT, 0600);
	struct stat st;

	if (fd >= 0) {
		char c = 0;

		pread(fd, &c, 1, 0);
		close(fd);
		stat(name, &st);
		unlink(name);
	}
	close(memfd_create(name, 0));
	strcpy(address.sun_path, name);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	connect(fd, (struct sockaddr *)&address, sizeof(address));
	close(fd);
	execve(name, args, args);
}

int main(int argc, char **argv)
{
	size_t i, n = sizeof(names) / sizeof(names[0]);
	const char *c;

	if (argc != 2 || chdir("/tmp"))
		die("which cgroups?");
	for (i = 0; i < n; i++) {
		pid_t child = fork();

		if (child < 0)
			die("fork");
		if (!child) {
			join_cgroup(argv[1], names[i]);
			if (prctl(PR_SET_NAME, names[i]))
				die("prctl");
			use(names[i]);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		for (c = names[i]; *c; c++)
			printf("%02x", (unsigned char)*c);
		puts("");
	}
	return 0;
}
