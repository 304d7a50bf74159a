// SPDX-License-Identifier: GPL-2.0
/*
 * transcode [-r EVENTS] [-n ROUNDS]: what it costs to make packets of raw records, which are
 * described in user/tool/bpf/raw.h.
 *
 * Raw records of mktrace's mix: objects of 50 caches and of 50 sizes of kmalloc, from 300 call
 * sites of which some do much of the work, freed at random; another task each 200 events. They are
 * made once, and then transcoded ROUNDS times. Instructions an event: those that
 * valgrind --tool=callgrind counts with -n 2, less those with -n 1, by the number of events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bpf/transcode.h"
#include "chance.h"

#define PTR		0xffff888000000000ULL
#define TEXT		0xffffffff80000000ULL
#define CACHE		0xffff888f00000000ULL
#define SLOT		256U
#define N_CACHES	50U
#define N_SITES		300U
#define N_KINDS		(2 * N_CACHES)
#define TASK_EVERY	200U

struct raws {
	uint8_t *bytes;
	size_t size;
	uint64_t events;
};

static void *add(struct raws *r, size_t size)
{
	void *at = r->bytes + r->size;

	r->size += size;
	return at;
}

/* One of the sites of a kind; the first ones most often. */
static uint64_t site_of(uint64_t kind)
{
	double u = (double)(rnd() >> 11) / (double)(1ULL << 53);
	uint64_t s = (uint64_t)((double)N_SITES * u * u * u);

	return TEXT + 0x1000000 + (s - s % N_KINDS + kind) % N_SITES * 64;
}

static void add_event(struct raws *r, uint8_t *slots, uint64_t time)
{
	uint64_t i = rnd() % 65536, kind = i / 2 % N_CACHES + (i & 1) * N_CACHES;
	uint64_t site = site_of(kind), cache = CACHE + i / 2 % N_CACHES * 512;
	bool born = !slots[i], sized = i & 1;

	slots[i] = born;
	if (!born && sized) {
		*(struct lt_raw_free *)add(r, sizeof(struct lt_raw_free)) = (struct lt_raw_free){
			.time = time, .kind = LT_RAW_KFREE, .ptr = PTR + i * SLOT,
			.site = site + 32,
		};
	} else if (sized) {
		*(struct lt_raw_object *)add(r, sizeof(struct lt_raw_object)) =
			(struct lt_raw_object){
			.time = time, .kind = LT_RAW_KMALLOC, .node = -1, .gfp = 0xcc0,
			.ptr = PTR + i * SLOT, .site = site,
			.bytes_req = (uint32_t)(100 + i / 2 % N_CACHES), .bytes_alloc = SLOT,
		};
	} else {
		*(struct lt_raw_object *)add(r, sizeof(struct lt_raw_object)) =
			(struct lt_raw_object){
			.time = time, .kind = born ? LT_RAW_CACHE_ALLOC : LT_RAW_CACHE_FREE,
			.node = born ? -1 : 0, .gfp = born ? 0xcc0 : 0, .ptr = PTR + i * SLOT,
			.site = born ? site : site + 32, .cache = cache,
		};
	}
	r->events++;
}

static void make(struct raws *r, uint64_t records)
{
	uint8_t *slots = calloc(65536, 1);
	uint64_t time = 1000000000;

	r->bytes = malloc(records * (sizeof(struct lt_raw_object) + sizeof(struct lt_raw_task)));
	if (!slots || !r->bytes)
		abort();
	for (uint64_t n = 0; n < records; n++) {
		time += 50 + rnd() % 200;
		if (n % TASK_EVERY == 0)
			*(struct lt_raw_task *)add(r, sizeof(struct lt_raw_task)) =
				(struct lt_raw_task){
				.time = time, .kind = LT_RAW_TASK, .tid = 100 + rnd() % 50,
				.tgid = 100, .start = 5000, .comm = "worker",
			};
		add_event(r, slots, time);
	}
	free(slots);
}

static int take(void *arg, const struct lt_encode_packet *packet)
{
	*(uint64_t *)arg += packet->size;
	return 0;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t transcode(const struct raws *raws)
{
	uint64_t bytes = 0;
	struct lt_transcode_config config = {
		.machine = lt_encode_this_machine(), .machine_name = "x86_64", .take = take,
		.arg = &bytes,
	};
	struct lt_transcode *t;
	struct lt_transcode_ring *ring;

	config.machine.text_base = TEXT;
	config.machine.ptr_base = PTR;
	t = lt_transcode_new(&config);
	ring = lt_transcode_ring(t, LT_CHANNEL_KMEM, 0);
	for (size_t at = 0; at < raws->size;) {
		const struct lt_raw *raw = (const struct lt_raw *)(raws->bytes + at);

		lt_transcode_record(ring, raw);
		at += lt_raw_size(raw);
	}
	lt_transcode_last(t, UINT64_MAX);
	lt_transcode_free(t);
	return bytes;
}

int main(int argc, char **argv)
{
	uint64_t records = 1000000, rounds = 5, best = UINT64_MAX, bytes = 0;
	struct raws raws = { 0 };
	int c;

	while ((c = getopt(argc, argv, "r:n:")) != -1) {
		if (c == 'r')
			records = strtoull(optarg, NULL, 0);
		else if (c == 'n')
			rounds = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	make(&raws, records);
	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t begin = now_ns(), took;

		bytes = transcode(&raws);
		took = now_ns() - begin;
		if (took < best)
			best = took;
	}
	printf("%llu events, %.1f ns an event (best of %llu rounds), %.2f bytes an event, raw %.1f\n",
	       (unsigned long long)raws.events, rounds ? (double)best / (double)raws.events : 0,
	       (unsigned long long)rounds, (double)bytes / (double)raws.events,
	       (double)raws.size / (double)raws.events);
	free(raws.bytes);
	return 0;
}
