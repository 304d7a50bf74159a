// SPDX-License-Identifier: GPL-2.0
/*
 * Two flushers of a CPU that goes and comes: the module's own, which flushes
 * periodically, and the command.
 *
 *	flushers DIR CYCLES
 *	flushers wait		does nothing until it is killed
 *
 * DIR is that of the module, which is loaded and idle. CPU 1 is taken away and brought
 * back CYCLES times; each time before it goes it writes a marker, and while it is away
 * the command "flush" is given again and again, on another CPU. Meanwhile the packets of
 * CPU 1 are read. The truth: their sequence numbers are 0, 1, 2, …, each has a header and
 * the length of its contents, and each marker is there once and in order.
 *
 * Prints what it found. Exit status: 0 nothing was wrong, 1 something was, 2 it did not
 * work.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "uapi/lifetrace.h"

#define SIZE	(1 << 20)	/* more than a sub-buffer has */

static const char *dir;
static int enable;
static atomic_bool ending, stopped;
static unsigned long packets, wrong, flushes;
static unsigned int markers, disorder;

static void die(const char *what)
{
	fprintf(stderr, "flushers: %s: %s\n", what, strerror(errno));
	exit(2);
}

static int open_file(const char *name, int flags)
{
	char path[200];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, flags);
	if (fd < 0)
		die(path);
	return fd;
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("pinning");
}

static void command(const char *word)
{
	if (write(enable, word, strlen(word)) < 0)
		die(word);
}

static void *flush(void *unused)
{
	(void)unused;
	run_on(2);
	while (!ending) {
		command("flush");
		flushes++;
	}
	return NULL;
}

static void online(bool on)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY);

	if (fd < 0 || write(fd, on ? "1" : "0", 1) != 1)
		die("cpu1/online");
	close(fd);
}

/* One packet that was read whole. Return: its bytes; 0: it is none. */
static size_t look_at(const unsigned char *bytes, size_t size)
{
	struct lt_packet_header h;
	const unsigned char *p, *end;
	unsigned int n;

	if (size < sizeof(h))
		return 0;
	memcpy(&h, bytes, sizeof(h));
	if (h.magic != LT_PACKET_MAGIC || h.cpu != 1 || h.content_bits / 8 < sizeof(h) ||
	    h.content_bits / 8 > size || h.content_bits != h.packet_bits)
		return 0;
	wrong += h.seq != packets++;
	end = bytes + h.content_bits / 8;
	p = bytes + sizeof(h);
	while ((p = memmem(p, end - p, "flushers-", 9)) != NULL) {
		p += 9;
		if (sscanf((const char *)p, "%u.", &n) == 1)
			disorder += n != markers++;
	}
	return end - bytes;
}

static void *read_packets(void *unused)
{
	static unsigned char bytes[SIZE + 1];
	int fd = open_file("kmem/cpu1", O_RDONLY), idle = 0;

	(void)unused;
	run_on(0);
	/* At the end, two seconds without a packet: no more will come. */
	while (idle < 200) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t size, at = 0;

		poll(&p, 1, 10);
		if (p.revents & POLLHUP)
			break;
		size = read(fd, bytes, SIZE);
		if (size < 0)
			die("kmem/cpu1");
		if (!size)
			usleep(1000);
		idle = size || !stopped ? 0 : idle + 1;
		while (at < size) {
			size_t len = look_at(bytes + at, size - at);

			wrong += !len;
			if (!len)
				break;
			at += len;
		}
	}
	if (idle)
		printf("flushers: the stream does not end\n");
	wrong += !!idle;
	return NULL;
}

static void mark(int marker, int n)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "flushers-%d.\n", n);

	run_on(1);
	if (write(marker, text, len) != len)
		die("marker");
	run_on(0);
}

int main(int argc, char **argv)
{
	pthread_t flusher, reader;
	int i, marker, cycles;

	if (argc == 2 && !strcmp(argv[1], "wait"))
		for (;;)
			pause();
	if (argc != 3) {
		fprintf(stderr, "usage: flushers DIR CYCLES\n");
		return 2;
	}
	dir = argv[1];
	cycles = atoi(argv[2]);
	run_on(0);
	enable = open_file("enable", O_RDWR);
	command("1");
	marker = open_file("marker", O_WRONLY);
	if (pthread_create(&reader, NULL, read_packets, NULL) ||
	    pthread_create(&flusher, NULL, flush, NULL))
		die("pthread_create");
	for (i = 0; i < cycles; i++) {
		mark(marker, i);
		online(false);
		usleep(10000 + i * 7919 % 20000);
		online(true);
	}
	ending = true;
	pthread_join(flusher, NULL);
	command("0");
	stopped = true;
	pthread_join(reader, NULL);
	printf("flushers: %lu packets, %lu of them wrong; %u markers of %d, %u out of order; %lu flushes\n",
	       packets, wrong, markers, cycles, disorder, flushes);
	return wrong || disorder || markers != (unsigned int)cycles;
}
