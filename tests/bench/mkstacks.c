// SPDX-License-Identifier: GPL-2.0
/*
 * mkstacks FILE N [ONE_IN]: a synthetic trace of N births with stacks, of which some stay alive,
 * by tasks and functions whose names have every character that a format may use for itself.
 * With ONE_IN only the births at one address in so many have their stack. The same
 * arguments make the same file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "tracegen.h"

#define TEXT		0xffffffff80000000ULL
#define HEAP		0xffff888000000000ULL
#define N_FUNCTIONS	24
#define N_PATHS		40
#define N_ODD		4	/* functions with odd names */
#define N_SLOTS		512	/* addresses that are in use, or will be again */
#define PER_PACKET	300

static const char *const comms[] = {
	"cp", "<script>x</scr", "a;b 7", "quo\"te\\", "\377bad\n", "sh", "[softirq]",
};

#define N_COMMS	(sizeof(comms) / sizeof(comms[0]))

static const uint64_t sizes[] = { 60, 100, 500, 4000 };

struct path {
	unsigned int n;
	unsigned int flags;
	uint32_t frames[8];
	uint64_t bytes;
};

static uint64_t state = 1;

static uint64_t draw(uint64_t below)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 33) % below;
}

static void add_symbols(struct tg *g)
{
	static const char *const odd[N_ODD] = { "do;it", "quo\"te", "<b>&amp", "back\\slash" };
	static char text[8192];
	size_t n = 0;

	for (unsigned int i = 0; i < N_FUNCTIONS; i++) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%llx T ",
				      TEXT + 0x1000 * (i + 1));
		if (i < N_ODD)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s\n", odd[i]);
		else
			n += (size_t)snprintf(text + n, sizeof(text) - n, "function_%u\n", i);
	}
	tg_text(g, LT_BLOCK_SYMBOLS, text);
}

static void make_paths(struct path *paths)
{
	for (unsigned int i = 0; i < N_PATHS; i++) {
		struct path *p = &paths[i];

		p->n = 1 + (unsigned int)draw(8);
		p->bytes = sizes[draw(sizeof(sizes) / sizeof(sizes[0]))];
		p->flags = draw(8) ? 0 : LT_STACK_CUT;
		for (unsigned int k = 0; k < p->n; k++)
			p->frames[k] = (uint32_t)(0x1000 * (1 + draw(N_FUNCTIONS)) +
						  16 * (1 + draw(3)));
		/* Each odd name is that of a call site, too. */
		if (i < N_ODD)
			p->frames[0] = 0x1000 * (i + 1) + 16;
	}
}

/* Site 2i + 1 is that of path i with its stack, 2i + 2 without. */
static void announce(struct tg *g, uint64_t time, const struct path *paths)
{
	for (unsigned int i = 0; i < N_PATHS; i++) {
		struct lt_rec_STACK stack = {
			.stack = (uint16_t)(i + 1), .n_frames = (uint8_t)paths[i].n,
			.flags = (uint8_t)paths[i].flags,
		};

		memcpy(stack.frames, paths[i].frames, paths[i].n * sizeof(paths[i].frames[0]));
		tg_put(g, 0, time, LT_EV_STACK, &stack);
		for (unsigned int without = 0; without < 2; without++) {
			TG_PUT(g, 0, time, SITE, .site = (uint16_t)(2 * i + 1 + without),
			       .call_site = paths[i].frames[0],
			       .bytes_req = (uint32_t)paths[i].bytes,
			       .bytes_alloc = (uint32_t)(paths[i].bytes > 512 ? 4096 :
							 paths[i].bytes > 128 ? 512 :
							 paths[i].bytes > 64 ? 128 : 64),
			       .gfp_flags = 0xcc0, .node = -1,
			       .stack = without ? 0 : (uint16_t)(i + 1));
		}
	}
}

static void bear(struct tg *g, uint64_t time, unsigned int path, uint64_t ptr, uint64_t one_in)
{
	bool without = one_in && LT_STACK_HASH(ptr) >= (1ULL << 32) / one_in;
	uint16_t site = (uint16_t)(2 * path + 1 + without);
	uint64_t v = ptr - HEAP;
	uint8_t rec[7] = { (uint8_t)site, (uint8_t)(site >> 8), (uint8_t)v, (uint8_t)(v >> 8),
			   (uint8_t)(v >> 16), (uint8_t)(v >> 24), (uint8_t)(v >> 32) };

	tg_raw(g, 0, time, LT_EV_KMALLOC_SHORT, LT_CLASS_KMALLOC, rec, sizeof(rec));
}

static uint64_t fill(struct tg *g, uint64_t n, uint64_t one_in)
{
	static bool alive[N_SLOTS];
	static struct path paths[N_PATHS];
	uint64_t time = 1000;

	make_paths(paths);
	for (uint64_t i = 0; i < n; time += 1 + draw(2000)) {
		uint64_t slot = draw(N_SLOTS), ptr = HEAP + 0x1000 + 0x1000 * slot;
		unsigned int comm = (unsigned int)draw(N_COMMS);

		if (i % PER_PACKET == 0) {
			tg_close(g, 0, time);
			announce(g, time, paths);
		}
		if (i % 16 == 0) {
			tg_context(g, 0, draw(6) ? LT_CTX_TASK : LT_CTX_SOFTIRQ);
			TG_TASK(g, 0, time, .tid = 100 + comm, .tgid = 100 + comm,
				.start = 50 + comm, .comm = comms[comm]);
		}
		if (alive[slot]) {
			tg_kfree(g, 0, time, ptr, TEXT + 0x1000);
			alive[slot] = false;
			continue;
		}
		bear(g, time, (unsigned int)draw(N_PATHS), ptr, one_in);
		alive[slot] = true;
		i++;
		if (i == n / 2)
			tg_marker(g, 0, time, "half");
	}
	return time;
}

int main(int argc, char **argv)
{
	struct tg_options o = { .subbuf_size = 1U << 18 };
	uint64_t one_in = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	char info[64];
	struct tg *g;

	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: mkstacks FILE N [ONE_IN]\n");
		return 2;
	}
	snprintf(info, sizeof(info), "stacks=%llu\n", (unsigned long long)(one_in ? one_in : 1));
	o.info = info;
	g = tg_new(&o);
	add_symbols(g);
	tg_auto_task(g, true);
	tg_finish(g, fill(g, strtoull(argv[2], NULL, 10), one_in) + 1000);
	if (tg_write(g, argv[1], 0)) {
		perror(argv[1]);
		return 2;
	}
	tg_free(g);
	return 0;
}
