// SPDX-License-Identifier: GPL-2.0
/*
 * The rules of the module's files, at their edges: which files may be opened when, what a
 * read that cannot be served says, what happens to a reader whose session ends.
 *
 *	edges DIR|DEVICE [LOCKDOWN]
 *
 * The files below DIR, or those that DEVICE opens. With LOCKDOWN, the kernel's file of that
 * name, only what a session may do whose kernel is locked down meanwhile: it cannot be taken
 * back. The module is loaded and idle. Prints a line "ok WHAT" or "FAILED WHAT" a
 * check. Exit status: 0 all held, 1 one did not, 2 it did not work.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "uapi/lifetrace.h"
#include "uapi/lifetrace_device.h"

static const char *dir;
static int device = -1;		/* -1: the files are below dir */
static int failures;
static char buf[4 << 20];

__attribute__((format(printf, 2, 3)))
static void check(bool holds, const char *what, ...)
{
	va_list ap;
	int err = errno;

	printf("%s ", holds ? "ok" : "FAILED");
	va_start(ap, what);
	vprintf(what, ap);
	va_end(ap);
	printf(holds ? "\n" : " (errno %d: %s)\n", err, strerror(err));
	fflush(stdout);
	failures += !holds;
}

static int open_file(const char *name, int flags)
{
	struct lt_device_open o = { 0 };
	char path[200];

	errno = 0;
	if (device >= 0) {
		snprintf(o.name, sizeof(o.name), "%s", name);
		return ioctl(device, LT_DEVICE_OPEN, &o);
	}
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return open(path, flags);
}

static int must_open(const char *name, int flags)
{
	int fd = open_file(name, flags);

	if (fd < 0) {
		fprintf(stderr, "edges: %s: %s\n", name, strerror(errno));
		exit(2);
	}
	return fd;
}

/* Return: 0 or the errno. */
static int say(int fd, const char *text)
{
	errno = 0;
	return write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : errno;
}

static bool state_is(int fd, const char *state)
{
	char text[64] = "";

	return pread(fd, text, sizeof(text) - 1, 0) > 0 && !strncmp(text, state, strlen(state)) &&
	       text[strlen(state)] == '\n';
}

static bool fails_with(int fd, int err)
{
	bool as_expected = fd < 0 && errno == err;

	if (fd >= 0)
		close(fd);
	return as_expected;
}

static int session(void)
{
	int fd = must_open("enable", O_RDWR), err = say(fd, "1");

	if (err) {
		fprintf(stderr, "edges: starting: %s\n", strerror(err));
		exit(2);
	}
	return fd;
}

/* Make a packet on CPU 0, and have it closed. */
static void make_packet(int control)
{
	int fd = must_open("marker", O_WRONLY);

	say(fd, "edges\n");
	close(fd);
	say(control, "flush");
}

static struct lt_packet_header *header(void)
{
	return (struct lt_packet_header *)buf;
}

/* ------------------------------------------------------------------------ */

static void check_owner(void)
{
	int fd = must_open("enable", O_RDWR);

	check(state_is(fd, "idle"), "a fresh module is idle");
	check(fails_with(open_file("enable", O_RDWR), EBUSY), "a second owner gets EBUSY");
	check(say(fd, "flush") == ENODATA, "no flush without a session");
	check(say(fd, "bogus") == EINVAL, "an unknown command gets EINVAL");
	check(say(fd, "0123456789012345678901234567890") == EINVAL, "a long one, too");
	check(say(fd, "1") == 0 && state_is(fd, "recording"), "1 starts");
	check(say(fd, "1") == EBUSY && state_is(fd, "recording"), "1 twice gets EBUSY");
	check(fails_with(open_file("enable", O_RDWR), EBUSY), "EBUSY also while recording");
	check(say(fd, "0\n") == 0 && state_is(fd, "draining"), "0 stops");
	check(say(fd, "0") == 0, "0 twice does no harm");
	check(say(fd, "1") == EBUSY, "no new session before the end of the old one");
	close(fd);
	fd = must_open("enable", O_RDWR);
	check(state_is(fd, "idle"), "closing the control file ends the session");
	close(fd);
}

static void check_marker(void)
{
	char longest[200];
	int control, fd = must_open("marker", O_WRONLY);

	memset(longest, 'x', sizeof(longest));
	check(say(fd, "idle\n") == ENODATA, "no marker while idle");
	control = session();
	check(write(fd, longest, 119) == 119, "a marker of 119 bytes");
	check(write(fd, longest, 120) < 0 && errno == E2BIG, "120 bytes get E2BIG");
	check(write(fd, longest, 200) < 0 && errno == E2BIG, "200 bytes get E2BIG");
	check(say(control, "0") == 0 && say(fd, "late\n") == ENODATA, "no marker when stopped");
	close(control);
	close(fd);
}

/* A buffer whose end cannot be written to. */
static char *half_buffer(size_t good)
{
	char *p = mmap(NULL, good + 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED || mprotect(p + good, 65536, PROT_NONE))
		exit(2);
	return p;
}

static void check_read(void)
{
	int control = session(), fd = must_open("kmem/cpu0", O_RDONLY);
	char *half = half_buffer(4096);
	ssize_t n;

	check(fails_with(open_file("kmem/cpu0", O_RDONLY), EBUSY), "a second reader gets EBUSY");
	check(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED, "no mmap");
	make_packet(control);
	errno = 0;
	check(read(fd, buf, 10) < 0 && errno == EMSGSIZE, "read of 10 bytes gets EMSGSIZE");
	check(read(fd, buf, sizeof(*header())) < 0 && errno == EMSGSIZE,
	      "so does one of a header");
	check(read(fd, buf, 0) < 0 && errno == EMSGSIZE, "and one of nothing");
	check(read(fd, half + 4000, 60000) < 0 && errno == EFAULT, "a bad address gets EFAULT");
	n = read(fd, buf, sizeof(buf));
	check(n > 0 && header()->magic == LT_PACKET_MAGIC && header()->seq == 0 &&
	      n >= (ssize_t)(header()->content_bits / 8), "and nothing was lost by all these");
	close(fd);
	make_packet(control);
	fd = must_open("kmem/cpu0", O_RDONLY);
	make_packet(control);
	n = read(fd, buf, sizeof(buf));
	check(n > 0 && header()->seq >= 1, "the next reader goes on behind the last one");
	close(fd);
	close(control);
}

/* Return: is the order of all packets in what was read as it must be? */
static bool in_order(size_t n, uint64_t *next, bool *last)
{
	size_t at = 0;

	while (at + sizeof(struct lt_packet_header) <= n) {
		struct lt_packet_header h;

		memcpy(&h, buf + at, sizeof(h));
		if (h.magic != LT_PACKET_MAGIC || h.seq != *next || *last)
			return false;
		*next = h.seq + 1;
		*last = h.flags & LT_PACKET_LAST;
		at += h.content_bits / 8;
	}
	return at == n;
}

/* Readers come and go, while and after it records; the packets are one row. */
static void check_reopening(void)
{
	struct pollfd p = { .events = POLLIN };
	int control = session(), i;
	bool last = false, order = true;
	uint64_t next = 0;

	for (i = 0; i < 60; i++) {
		int fd = must_open("kmem/cpu0", O_RDONLY);
		ssize_t n;

		if (i == 30)
			say(control, "0");
		if (i < 30 && i % 2)
			make_packet(control);
		/* Some do not read, some take what one packet may need, some all. */
		n = i % 3 ? read(fd, buf, i % 3 == 1 ? sizeof(buf) : 262144) : 0;
		if (n > 0)
			order = order && in_order(n, &next, &last);
		close(fd);
	}
	check(order && next > 5, "%llu packets, one row over 60 readers",
	      (unsigned long long)next);
	check(last, "the last one says that it is");
	p.fd = must_open("kmem/cpu0", O_RDONLY);
	check(poll(&p, 1, 0) == 1 && p.revents == POLLHUP, "and poll that there are no more");
	close(p.fd);
	close(control);
}

/*
 * Waits for packets until the session ends. Must be woken then; a reader that is not
 * would wait for ever without the time limit here. The limit is far above what
 * the end itself takes, some seconds under emulation: each function probe that is
 * detached waits until no task can be in it.
 */
static void *poll_for_ever(void *arg)
{
	struct pollfd p = { .fd = *(int *)arg, .events = POLLIN };
	ssize_t n;

	do {
		struct timespec from, to;

		clock_gettime(CLOCK_MONOTONIC, &from);
		poll(&p, 1, 20000);
		clock_gettime(CLOCK_MONOTONIC, &to);
		if (to.tv_sec - from.tv_sec >= 15)
			return (void *)1;
		n = read(p.fd, buf, sizeof(buf));
	} while (n >= 0 && !(p.revents & (POLLERR | POLLHUP)));
	return NULL;
}

static void check_ending_under_a_reader(void)
{
	int control, old, i, hung = 0;

	for (i = 0; i < 10; i++) {
		pthread_t thread;
		void *result;

		control = session();
		old = must_open(i % 2 ? "kmem/cpu1" : "kmem/cpu0", O_RDONLY);
		if (pthread_create(&thread, NULL, poll_for_ever, &old))
			exit(2);
		usleep(2000 * i);
		close(control);
		pthread_join(thread, &result);
		hung += result != NULL;
		close(old);
	}
	check(!hung, "a reader that waits is woken by the end of the session (%d of 10 were not)",
	      hung);
}

static void check_ended_reader(void)
{
	int control, old, now;

	control = session();
	old = must_open("kmem/cpu0", O_RDONLY);
	close(control);
	check(read(old, buf, sizeof(buf)) < 0 && errno == EIO, "its reads fail");
	control = session();
	now = open_file("kmem/cpu0", O_RDONLY);
	check(now >= 0, "it does not keep the next session's reader out");
	close(old);
	check(fails_with(open_file("kmem/cpu0", O_RDONLY), EBUSY), "nor let a second one in");
	make_packet(control);
	check(read(now, buf, sizeof(buf)) > 0, "a reader that reads what is there");
	close(now);
	close(control);
}

/* An owner that is killed, with everything open. */
static void check_killed_owner(void)
{
	int status, fd;
	pid_t pid = fork();

	if (!pid) {
		session();
		must_open("kmem/cpu0", O_RDONLY);
		raise(SIGKILL);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		exit(2);
	check(WIFSIGNALED(status), "an owner is killed");
	fd = open_file("enable", O_RDWR);
	check(fd >= 0 && state_is(fd, "idle"), "and the module is idle");
	check(say(fd, "1") == 0, "and starts again");
	close(fd);
}

static size_t count_packet_files(void)
{
	ssize_t n = pread(device, buf, sizeof(buf) - 1, 0);
	size_t found = 0;

	if (n < 0)
		return 0;
	buf[n] = 0;
	for (const char *at = buf; (at = strstr(at, "/cpu")); at++)
		found++;
	return found;
}

/* What the device alone has. */
static void check_device(void)
{
	struct lt_device_open o = { .name = "stats" };
	int control, fd = open(dir, O_RDONLY);
	struct stat st;

	check(!stat(dir, &st) && (st.st_mode & 07777) == 0600 && !st.st_uid, "root's alone, 0600");
	check(!count_packet_files() && strstr(buf, "enable\n"), "idle it lists no packets");
	check(fails_with(open_file("kmem/cpu0", O_RDONLY), ENOENT), "and there are none");
	control = session();
	check(count_packet_files() >= 2, "recording it lists packets");
	close(control);
	check(fails_with(open_file("nosuch", O_RDONLY), ENOENT), "an unknown name gets ENOENT");
	check(fails_with(open_file("kmem/cpu", O_RDONLY), ENOENT), "a file without a number, too");
	check(fails_with(open_file("kmem/cpu99999", O_RDONLY), ENOENT), "a CPU that cannot be");
	check(fails_with(open_file("kmem/cpu0x", O_RDONLY), ENOENT), "and what is no number");
	memset(o.name, 'x', sizeof(o.name));
	check(fails_with(ioctl(device, LT_DEVICE_OPEN, &o), ENAMETOOLONG), "a name has an end");
	check(fails_with(ioctl(device, LT_DEVICE_OPEN, NULL), EFAULT), "and an address");
	check(fails_with(ioctl(device, LT_DEVICE_OPEN + 1, &o), ENOTTY), "no other request");
	check(mmap(NULL, 4096, PROT_READ, MAP_SHARED, device, 0) == MAP_FAILED, "no mmap");
	o = (struct lt_device_open){ .name = "enable" };
	check(fails_with(ioctl(fd, LT_DEVICE_OPEN, &o), EACCES), "opened to read it controls nothing");
	o = (struct lt_device_open){ .name = "stats" };
	control = ioctl(fd, LT_DEVICE_OPEN, &o);
	check(control >= 0 && pread(control, buf, 5, 0) == 5 && !memcmp(buf, "state", 5), "but is read");
	check(write(control, "x", 1) < 0 && errno == EBADF, "what is only read cannot be written");
	check(fcntl(control, F_GETFD) == FD_CLOEXEC, "no program inherits it");
	close(control);
	close(fd);
}

/* What was open when the kernel is locked down to the utmost stays open, and gives nothing. */
static void check_lockdown(const char *file)
{
	int control = session(), packets = must_open("kmem/cpu0", O_RDONLY);
	int lockdown = open(file, O_WRONLY);

	make_packet(control);
	check(!say(lockdown, "confidentiality"), "confidentiality");
	close(lockdown);
	check(read(packets, buf, sizeof(buf)) < 0 && errno == EPERM, "packets cannot be read");
	check(fails_with(open_file("kmem/cpu1", O_RDONLY), EPERM), "nor opened");
	check(fails_with(open_file("info", O_RDONLY), EPERM), "nor what shows an address");
	check(fails_with(open_file("marker", O_WRONLY), EPERM), "no marker");
	check(fails_with(open(dir, O_RDWR), EPERM), "the device is closed");
	check(say(control, "0") == 0 && state_is(control, "draining"), "the session can stop");
	close(control);
	close(packets);
	check(fails_with(open_file("enable", O_RDWR), EPERM), "and none can start");
}

int main(int argc, char **argv)
{
	struct stat st;
	cpu_set_t set;

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: edges DIR|DEVICE [LOCKDOWN]\n");
		return 2;
	}
	dir = argv[1];
	if (!stat(dir, &st) && S_ISCHR(st.st_mode)) {
		device = open(dir, O_RDWR);
		if (device < 0)
			return 2;
	}
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return 2;
	if (argc == 3) {
		check_lockdown(argv[2]);
		return failures ? 1 : 0;
	}
	if (device >= 0)
		check_device();
	check_owner();
	check_marker();
	check_read();
	check_reopening();
	check_ending_under_a_reader();
	check_ended_reader();
	check_killed_owner();
	return failures ? 1 : 0;
}
