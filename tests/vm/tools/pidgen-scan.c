// SPDX-License-Identifier: GPL-2.0
/*
 * Scans /proc while numbers are given again and again, with the algorithm that
 * /proc/pid_gen is for: read it, scan, read it once more, and believe the scan
 * if both are the same. Everything is written down, also what is not believed.
 *
 *	pidgen-scan SCANS ACCEPTED SECONDS FILE
 *
 * Goes on until there are so many scans, and so many that were accepted; at the
 * most for so long. kernel.pid_max should be small. FILE has lines
 *
 *	scan GEN0 GEN1 T0 T1 T2 T3	T0..T1 the first reading, T2..T3 the second
 *	saw NUMBER TICKS NAME [TICKS NAME]	of the scan above: as first seen, and as
 *			seen on a second look, where that was another
 *	poll OLD NEW T0 T1	OLD was read at T0, poll() returned at T1
 *
 * Times are CLOCK_MONOTONIC. Each child has a name that no other one has.
 */
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GEN		"/proc/pid_gen"
#define MAX_CHILDREN	14
#define MAX_SEEN	4096
#define LIVES_MS	300	/* longer than a revolution takes */
#define SLOW_MS		40
#define POLL_MS		5000
#define FIRST_PAUSE_US	20000
#define MIN_PAUSE_US	1000
#define MAX_PAUSE_US	400000

struct look {
	unsigned long long ticks;	/* field 22 of stat */
	char name[24];
};

struct seen {
	int nr;
	struct look first, second;
};

static struct seen seen[MAX_SEEN];
static FILE *out;

/*
 * The mean pause between two bursts of forks, in memory that the forkers share with the
 * scanner. It is longer after a scan that was not accepted, and shorter after one that
 * was: about half of the scans are accepted, however fast the machine is.
 */
static unsigned int *pause_us;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "pidgen-scan: %s: %s\n", what, strerror(errno));
	exit(2);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static unsigned long long generation(int fd)
{
	char text[32] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		die(GEN);
	return strtoull(text, NULL, 10);
}

/* ------------------------------------------------------------------------
 * Load
 */

static _Noreturn void child(int cpu, unsigned int n)
{
	char name[16];

	snprintf(name, sizeof(name), "c%d%x", cpu, n);
	prctl(PR_SET_NAME, name);
	srand(n);
	/* Some die at once, some live through a wrap. */
	if (rand() % 3 == 0)
		usleep((useconds_t)(rand() % LIVES_MS) * 1000);
	_exit(0);
}

static _Noreturn void fork_for_ever(int cpu)
{
	unsigned int n = 0, alive = 0;
	cpu_set_t set;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	srand((unsigned int)cpu);
	for (;;) {
		int burst = 1 + rand() % 80;

		while (burst--) {
			while (alive && waitpid(-1, NULL, alive < MAX_CHILDREN ? WNOHANG : 0) > 0)
				alive--;
			if (!fork())
				child(cpu, n);
			n++;
			alive++;
		}
		usleep((useconds_t)rand() % (2 * __atomic_load_n(pause_us, __ATOMIC_RELAXED)));
	}
}

/* Called by the scanner alone. */
static void set_pace(bool accepted)
{
	unsigned int us = *pause_us;

	us = accepted ? us - us / 8 : us + us / 8;
	us = us < MIN_PAUSE_US ? MIN_PAUSE_US : us;
	us = us > MAX_PAUSE_US ? MAX_PAUSE_US : us;
	__atomic_store_n(pause_us, us, __ATOMIC_RELAXED);
}

static void share_pause(void)
{
	pause_us = mmap(NULL, sizeof(*pause_us), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (pause_us == MAP_FAILED)
		die("memory");
	*pause_us = FIRST_PAUSE_US;
}

static _Noreturn void poll_for_ever(void)
{
	struct pollfd p = { .fd = open(GEN, O_RDONLY), .events = POLLIN | POLLPRI };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (p.fd < 0)
		die(GEN);
	for (;;) {
		uint64_t t0 = now();
		unsigned long long old = generation(p.fd), new;
		int n = poll(&p, 1, POLL_MS);
		uint64_t t1 = now();

		if (n < 0)
			die("poll");
		new = generation(p.fd);
		/* On a starved machine no number may come round in all that time. */
		if (!n && new == old)
			continue;
		/* One write: the other process writes to the same file. */
		fprintf(out, "poll %llu %llu %llu %llu\n", old, new, (unsigned long long)t0,
			(unsigned long long)t1);
		fflush(out);
		usleep(20000);
	}
}

static pid_t start(void (*fn)(int), int argument)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid)
		fn(argument);
	return pid;
}

static void poller(int unused)
{
	(void)unused;
	poll_for_ever();
}

static void forker(int cpu)
{
	fork_for_ever(cpu);
}

/* ------------------------------------------------------------------------
 * Scans
 */

/* False: there is no such process, or not any more. */
static bool look(int nr, struct look *l)
{
	char path[32], text[1024], *open_at, *close_at;
	ssize_t n;
	int fd, i;

	snprintf(path, sizeof(path), "/proc/%d/stat", nr);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	open_at = strchr(text, '(');
	close_at = strrchr(text, ')');
	if (!open_at || !close_at)
		die(path);
	*close_at++ = 0;
	snprintf(l->name, sizeof(l->name), "%s", open_at + 1);
	for (i = 0; i < 19 && close_at; i++)
		close_at = strchr(close_at + 1, ' ');
	if (!close_at)
		die(path);
	l->ticks = strtoull(close_at, NULL, 10);
	return true;
}

static unsigned int scan(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	unsigned int n = 0, i;

	if (!dir)
		die("/proc");
	while ((d = readdir(dir)) && n < MAX_SEEN) {
		seen[n].nr = atoi(d->d_name);
		seen[n].second.name[0] = 0;
		if (seen[n].nr > 0 && look(seen[n].nr, &seen[n].first))
			n++;
	}
	closedir(dir);
	/* Once more, in the way of a tool that reads one file after the other; some are slow. */
	if (rand() % 2)
		usleep((useconds_t)(rand() % SLOW_MS) * 1000);
	for (i = 0; i < n; i++)
		look(seen[i].nr, &seen[i].second);
	return n;
}

static bool another(const struct look *a, const struct look *b)
{
	return b->name[0] && (a->ticks != b->ticks || strcmp(a->name, b->name));
}

static void save(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		const struct look *a = &seen[i].first, *b = &seen[i].second;

		fprintf(out, "saw %d %llu %s", seen[i].nr, a->ticks, a->name);
		if (another(a, b))
			fprintf(out, " %llu %s", b->ticks, b->name);
		fputc('\n', out);
	}
}

/* Return: was it accepted? */
static bool scan_once(int fd)
{
	unsigned long long g0, g1;
	uint64_t t[4];
	unsigned int n;

	t[0] = now();
	g0 = generation(fd);
	t[1] = now();
	n = scan();
	t[2] = now();
	g1 = generation(fd);
	t[3] = now();
	fprintf(out, "scan %llu %llu %llu %llu %llu %llu\n", g0, g1, (unsigned long long)t[0],
		(unsigned long long)t[1], (unsigned long long)t[2], (unsigned long long)t[3]);
	save(n);
	fflush(out);
	return g0 == g1;
}

int main(int argc, char **argv)
{
	unsigned int scans, accepted, n = 0, ok = 0;
	pid_t helpers[3];
	uint64_t end;
	int fd, i;

	if (argc != 5) {
		fprintf(stderr, "usage: pidgen-scan SCANS ACCEPTED SECONDS FILE\n");
		return 2;
	}
	scans = (unsigned int)atoi(argv[1]);
	accepted = (unsigned int)atoi(argv[2]);
	end = now() + strtoull(argv[3], NULL, 10) * 1000000000;
	fd = open(GEN, O_RDONLY);
	out = fopen(argv[4], "a");
	if (fd < 0 || !out)
		die(fd < 0 ? GEN : argv[4]);
	/* Lines are whole when they are flushed: both processes append. */
	setvbuf(out, NULL, _IOFBF, 1 << 20);
	share_pause();
	helpers[0] = start(forker, 0);
	helpers[1] = start(forker, 1);
	helpers[2] = start(poller, 0);
	while ((n < scans || ok < accepted) && now() < end) {
		bool good = scan_once(fd);

		set_pace(good);
		ok += good;
		n++;
	}
	for (i = 0; i < 3; i++) {
		kill(helpers[i], SIGKILL);
		waitpid(helpers[i], NULL, 0);
	}
	fclose(out);
	printf("pidgen-scan: %u scans, %u accepted\n", n, ok);
	return n < scans || ok < accepted ? 1 : 0;
}
