// SPDX-License-Identifier: GPL-2.0
/*
 * usage: bpf-hold COPIES CHANNEL [MS]
 *
 * Holds the BPF programs of a channel attached, so many copies of each: those that record, and none
 * of pages. It prints a line "SEEN LOST" once they are attached, and then at each SIGUSR1: the
 * events of its rings, and how many were not written. What the rings hold is then read and dropped;
 * with MS it is also done each MS ms, as the recorder does. SIGTERM ends it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bpf/bpf.h"

#define RING	(32U << 20)	/* for all events of a loop that nobody reads meanwhile */

static bool wanted(void *arg, unsigned int channel, const char *event)
{
	(void)arg;
	(void)channel;
	return strncmp(event, "page", 4) != 0;
}

static void drop(void *arg, const struct lt_raw *r)
{
	(void)arg;
	(void)r;
}

static void drain(struct lt_bpf *b, unsigned int channel)
{
	/* What is read is as of the poll before. */
	for (int i = 0; i < 2; i++) {
		lt_bpf_poll(b);
		for (uint32_t cpu = 0; cpu < lt_bpf_n_cpus(b); cpu++) {
			if (lt_bpf_read(b, channel, cpu, drop, NULL) >= 0)
				continue;
			fputs("bpf-hold: a ring is damaged\n", stderr);
			exit(1);
		}
	}
}

static void print_counts(struct lt_bpf *b, unsigned int channel)
{
	struct lt_class_counts c[LT_N_CLASSES];
	unsigned long long seen = 0, lost = 0;

	for (uint32_t cpu = 0; cpu < lt_bpf_n_cpus(b); cpu++) {
		lt_bpf_counts(b, channel, cpu, c);
		for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
			seen += c[i].seen;
			lost += c[i].lost_full + c[i].lost_nested;
		}
	}
	for (unsigned int i = 0; i < LT_N_CLASSES; i++)
		lost += lt_bpf_skipped(b, LT_CLASS(channel, i));
	printf("%llu %llu\n", seen, lost);
	fflush(stdout);
}

/* What is measured without one of its events would look cheap. */
static bool all_watched(const struct lt_bpf *b)
{
	bool all = true;

	for (size_t i = 0; i < lt_bpf_n_events(b); i++) {
		const struct lt_bpf_event *e = lt_bpf_event(b, i);

		if (e->watched || strcmp(e->kind, "tracepoint") || !wanted(NULL, 0, e->name))
			continue;
		fprintf(stderr, "bpf-hold: %s: %s\n", e->name, e->reason);
		all = false;
	}
	return all;
}

int main(int argc, char **argv)
{
	unsigned int copies = argc > 2 ? (unsigned int)atoi(argv[1]) : 0;
	unsigned int channel = argc > 2 ? (unsigned int)atoi(argv[2]) : 0;
	long ms = argc > 3 ? atol(argv[3]) : 0;
	struct timespec wait = { .tv_sec = ms ? ms / 1000 : 3600, .tv_nsec = ms % 1000 * 1000000 };
	struct lt_bpf_options o = { .channels = 1U << channel, .wanted = wanted, .copies = copies };
	struct lt_why why = { "" };
	struct lt_bpf *b;
	sigset_t set;
	int sig;

	if (!copies || channel < 1 || channel > LT_N_CHANNELS) {
		fputs("usage: bpf-hold COPIES CHANNEL [MS]\n", stderr);
		return 2;
	}
	o.ring_bytes[channel] = RING;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	b = lt_bpf_open(&o, &why);
	if (!b || !lt_bpf_attach(b, &why)) {
		fprintf(stderr, "bpf-hold: %s\n", why.text);
		return 1;
	}
	if (!all_watched(b))
		return 1;
	print_counts(b, channel);
	while ((sig = sigtimedwait(&set, NULL, &wait)) != SIGTERM) {
		drain(b, channel);
		if (sig == SIGUSR1)
			print_counts(b, channel);
	}
	lt_bpf_detach(b);
	lt_bpf_close(b);
	return 0;
}
