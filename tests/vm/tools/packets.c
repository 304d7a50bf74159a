// SPDX-License-Identifier: GPL-2.0
/*
 * Reads what the module lt_packets writes, and checks that each number comes
 * exactly once and in order.
 *
 *	packets own|over|stock READER-CPU RECORDS SECONDS KEY=VALUE...
 *
 * The keys are those of the module's file "run". It reads until so many
 * records came or so many seconds passed, stops the writers, reads the rest,
 * and prints one line of key=value. With "over" the buffers are overwritten: whole packets may
 * be missing, and their numbers; what comes must be right nevertheless, and the headers say how
 * many records are gone. RECORDS are those that were written then.
 *
 *	good	numbers that came as they should
 *	stale	numbers that had come before, or came late
 *	skipped	numbers that were passed over
 *	gone	numbers that were in packets which were overwritten
 *	torn	records that were not whole
 *	bad	faults of packets: wrong header, wrong order, counters that do not
 *		close (own only: relay's read does not show where a packet begins)
 *	stored	what the writers say they stored
 *	reader, writer	CPUs
 *
 * Exit status: 0 good + gone == stored and no fault, 1 otherwise, 2 it did not work.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "uapi/lifetrace.h"

#define DIR		"/sys/kernel/debug/lt_packets"
#define READ_BYTES	(1 << 20)

static bool overwritten;

static struct {
	uint64_t gone, gaps;
	bool gap;		/* over: the next number may be any that has not come */
	uint64_t good, stale, skipped, torn, bad, packets, reads;
	uint64_t next;		/* the number that must come now */
	uint64_t seq;		/* own: of the packet that must come now */
	bool last;		/* own: the last packet has come */
} result;

static void die(const char *what)
{
	fprintf(stderr, "packets: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* The first few faults are printed, the rest is counted. */
static void fault(const char *what, uint64_t found, uint64_t expected)
{
	if (++result.bad <= 10)
		fprintf(stderr, "packets: packet %llu: %s is %llu, not %llu\n",
			(unsigned long long)result.seq, what, (unsigned long long)found,
			(unsigned long long)expected);
}

static uint32_t get_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t get_u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* A record with a number has come. */
static void take(uint64_t number, uint64_t complement)
{
	if (number != ~complement) {
		result.torn++;
		return;
	}
	if (result.gap && number >= result.next) {
		result.gone += number - result.next;
		result.next = number;
	}
	result.gap = false;
	if (number == result.next) {
		result.good++;
		result.next++;
	} else if (number < result.next) {
		result.stale++;
	} else {
		result.skipped += number - result.next;
		result.good++;
		result.next = number + 1;
	}
}

enum { NOT_WHOLE = 0, NOT_A_RECORD = -1 };

/* Return: bytes of the record at @p, one of the above. */
static int record(const uint8_t *p, size_t left)
{
	unsigned int id;
	size_t start = LT_REC_WORD, size;

	if (left < LT_REC_WORD)
		return NOT_WHOLE;
	id = get_u32(p) & LT_ID_MASK;
	if (id == LT_EV_LONG) {
		id = p[LT_LONG_ID] | p[LT_LONG_ID + 1] << 8;
		start = LT_REC_LONG;
	}
	if (id == LT_EV_KFREE_WIDE)
		size = sizeof(struct lt_rec_KFREE_WIDE);
	else if (id == LT_EV_TASK)
		size = sizeof(struct lt_rec_TASK);
	else if (id == LT_EV_TASK_NARROW)
		size = sizeof(struct lt_rec_TASK_NARROW);
	else if (id == LT_EV_TASK_AGAIN)
		size = sizeof(struct lt_rec_TASK_AGAIN);
	else
		return NOT_A_RECORD;
	if (left < start + size)
		return NOT_WHOLE;
	if (id == LT_EV_KFREE_WIDE)
		take(get_u64(p + start), get_u64(p + start + 8));
	return start + size;
}

/* ------------------------------------------------------------------------
 * The module's read: packets, whole
 */

/* Is this header what the next packet's must be? */
static void check_header(const struct lt_packet_header *h)
{
	if (h->header_size != sizeof(*h))
		fault("header_size", h->header_size, sizeof(*h));
	if (h->channel != LT_CHANNEL_KMEM)
		fault("channel", h->channel, LT_CHANNEL_KMEM);
	if (h->n_classes != LT_N_CLASSES)
		fault("n_classes", h->n_classes, LT_N_CLASSES);
	if (h->packet_bits != h->content_bits)
		fault("packet_bits", h->packet_bits, h->content_bits);
	if (h->timestamp_begin > h->timestamp_end)
		fault("timestamp_begin", h->timestamp_begin, h->timestamp_end);
	if (overwritten && h->seq > result.seq) {
		result.gaps++;
		result.gap = true;
	} else if (h->seq != result.seq) {
		fault("seq", h->seq, result.seq);
	}
	if (result.last)
		fault("flags of the packet before", LT_PACKET_LAST, 0);
	result.last = h->flags & LT_PACKET_LAST;
	result.seq = h->seq + 1;
}

/* All that was written until the end of this packet has been read by now. */
static void check_counts(const struct lt_packet_header *h)
{
	const struct lt_class_counts *c = &h->counts[LT_CLASS_KFREE];
	uint64_t lost = c->lost_full + c->lost_nmi + c->lost_nested + c->lost_nobuf;

	if (h->discarded != lost)
		fault("discarded", h->discarded, lost);
	if (c->seen != result.next + lost + c->filtered)
		fault("seen", c->seen, result.next + lost + c->filtered);
}

/* Return: bytes of the packet at @p. */
static size_t packet(const uint8_t *p, size_t left)
{
	struct lt_packet_header h;
	size_t size, at = sizeof(h);

	if (left < sizeof(h)) {
		fault("bytes left for a header", left, sizeof(h));
		return left;
	}
	memcpy(&h, p, sizeof(h));
	size = h.content_bits / 8;
	if (h.magic != LT_PACKET_MAGIC || size < sizeof(h) || size > left) {
		fault("magic", h.magic, LT_PACKET_MAGIC);
		return left;
	}
	check_header(&h);
	while (at < size) {
		int n = record(p + at, size - at);

		if (n <= 0) {
			result.torn++;
			break;
		}
		at += n;
	}
	/* A packet without a number: which ones are gone is not known yet. */
	if (!result.gap)
		check_counts(&h);
	result.packets++;
	return size;
}

static void check_own(const uint8_t *p, size_t n)
{
	size_t at = 0;

	while (at < n)
		at += packet(p + at, n - at);
}

/* ------------------------------------------------------------------------
 * Relay's read: a stream of bytes, in which a record may be cut
 */

static uint8_t rest[2 * READ_BYTES];
static size_t n_rest;

/*
 * Return: bytes of the header or record at @p, or NOT_WHOLE, NOT_A_RECORD. The
 * magic cannot be taken for a record: it would have an id that is not written.
 */
static int piece(const uint8_t *p, size_t left)
{
	if (left < LT_REC_WORD)
		return NOT_WHOLE;
	if (get_u32(p) != LT_PACKET_MAGIC)
		return record(p, left);
	if (left < sizeof(struct lt_packet_header))
		return NOT_WHOLE;
	result.packets++;
	return sizeof(struct lt_packet_header);
}

/* Where a record with a number, a whole one, begins again. */
static size_t resynchronise(const uint8_t *p, size_t left)
{
	size_t at;

	for (at = 1; at + LT_REC_WORD + 16 <= left; at++)
		if (get_u32(p + at) == LT_PACKET_MAGIC ||
		    ((p[at] & LT_ID_MASK) == LT_EV_KFREE_WIDE &&
		     get_u64(p + at + LT_REC_WORD) == ~get_u64(p + at + LT_REC_WORD + 8)))
			break;
	return at;
}

static void check_stock(const uint8_t *p, size_t n)
{
	size_t at = 0;

	memcpy(rest + n_rest, p, n);
	n += n_rest;
	while (at < n) {
		int size = piece(rest + at, n - at);

		if (size == NOT_WHOLE)
			break;
		if (size == NOT_A_RECORD) {
			result.torn++;
			at += resynchronise(rest + at, n - at);
		} else {
			at += size;
		}
	}
	if (at > n)
		at = n;
	n_rest = n - at;
	memmove(rest, rest + at, n_rest);
}

/* ------------------------------------------------------------------------ */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("pinning to the reader's CPU");
}

static void command(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die(text);
}

/* Return: the writers' CPU. */
static unsigned int start(int run, bool stock, char **keys)
{
	char text[1000];
	unsigned int cpu = 0;
	size_t len;

	len = snprintf(text, sizeof(text), "start stock=%d overwrite=%d", stock, overwritten);
	for (; *keys && len < sizeof(text); keys++) {
		sscanf(*keys, "cpu=%u", &cpu);
		len += snprintf(text + len, sizeof(text) - len, " %s", *keys);
	}
	command(run, text);
	return cpu;
}

/* Reads once. Return: bytes, 0 when nothing is there now. */
static size_t take_some(int fd, bool stock)
{
	static uint8_t buf[READ_BYTES];
	ssize_t n = read(fd, buf, sizeof(buf));

	if (n < 0)
		die("read");
	result.reads++;
	if (stock)
		check_stock(buf, n);
	else
		check_own(buf, n);
	return n;
}

static int report(int run, double seconds, bool stock, unsigned int writer)
{
	unsigned long long stored, refused, hardirq;
	char text[100] = "";
	bool fine;

	if (pread(run, text, sizeof(text) - 1, 0) <= 0 ||
	    sscanf(text, "stored %llu refused %llu hardirq %llu", &stored, &refused,
		   &hardirq) != 3)
		die("reading the writers' counts");
	if (!stock && !result.last)
		fault("flags of the last packet", 0, LT_PACKET_LAST);
	/* What never came counts as skipped. */
	if (result.next < stored)
		result.skipped += stored - result.next;
	fine = result.good + result.gone == stored && !result.stale && !result.skipped &&
	       !result.torn && !result.bad;
	if (overwritten)
		printf("gone=%llu gaps=%llu ", (unsigned long long)result.gone,
		       (unsigned long long)result.gaps);
	printf("good=%llu stale=%llu skipped=%llu torn=%llu bad=%llu ",
	       (unsigned long long)result.good, (unsigned long long)result.stale,
	       (unsigned long long)result.skipped, (unsigned long long)result.torn,
	       (unsigned long long)result.bad);
	printf("stored=%llu refused=%llu hardirq=%llu packets=%llu reads=%llu ", stored, refused,
	       hardirq, (unsigned long long)result.packets, (unsigned long long)result.reads);
	printf("seconds=%.1f reader=%d writer=%u\n", seconds, sched_getcpu(), writer);
	return fine ? 0 : 1;
}

int main(int argc, char **argv)
{
	uint64_t records;
	double begin, until;
	char path[100];
	unsigned int cpu;
	int run, fd;
	bool stock;

	if (argc < 5) {
		fprintf(stderr,
			"usage: packets own|over|stock READER-CPU RECORDS SECONDS KEY=VALUE...\n");
		return 2;
	}
	stock = !strcmp(argv[1], "stock");
	overwritten = !strcmp(argv[1], "over");
	pin(atoi(argv[2]));
	records = strtoull(argv[3], NULL, 10);
	run = open(DIR "/run", O_RDWR);
	if (run < 0)
		die(DIR "/run");
	cpu = start(run, stock, argv + 5);
	snprintf(path, sizeof(path), DIR "/%s%u", stock ? "stock" : "cpu", cpu);
	begin = now();
	until = begin + atof(argv[4]);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		die(path);
	/* Without a pause: the closer to the writer, the better for its faults. */
	do {
		take_some(fd, stock);
	} while ((overwritten ? result.next : result.good) < records && now() < until);
	command(run, "stop");
	while (take_some(fd, stock))
		;
	return report(run, now() - begin, stock, cpu);
}
