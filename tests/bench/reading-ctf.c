// SPDX-License-Identifier: GPL-2.0
/*
 * reading-ctf TRACE DIR: the slab events of a trace as LTTng would have written
 * them, with the context "tid", into the new directory DIR: for babeltrace2 to read.
 *
 * Events of lifetrace's own CTF export have names of callers and caches, and the context, which
 * LTTng's do not have: babeltrace2 would be measured at more text. This is what it is made for. The
 * layout is that of lttng-modules 2.13: packet header with UUID and instance, event header of 32
 * bits, or 104 where the clock's low 27 have gone round, integers without padding.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/trace.h"

#define MAX_CPUS	1024
#define PACKET		(1U << 20)	/* LTTng's sub-buffer for kernel events */
#define HEADER		(4 + 16 + 4 + 8)
#define CONTEXT		(6 * 8 + 4)
#define EXTENDED	31
#define MAX_EVENT	128

static const uint8_t uuid[16] = "lifetrace-bench";

struct stream {
	FILE *file;
	uint8_t *packet;
	size_t size;
	uint64_t begin, last, seq;
};

static struct stream streams[MAX_CPUS];
static const char *dir;

enum { KMALLOC, KFREE, CACHE_ALLOC, CACHE_FREE };

static const char metadata_head[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 5; align = 1; signed = false; } := uint5_t;\n"
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; base = 16; } := hex64_t;\n"
	"trace { major = 1; minor = 8; uuid = \"%s\"; byte_order = le; packet.header := struct {\n"
	"	uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; uint64_t stream_instance_id;\n"
	"}; };\n"
	"env { hostname = \"bench\"; domain = \"kernel\"; tracer_name = \"lttng-modules\";\n"
	"	tracer_major = 2; tracer_minor = 13; };\n"
	"clock { name = \"monotonic\"; freq = 1000000000; offset = 1700000000000000000; };\n"
	"typealias integer { size = 27; align = 1; signed = false; map = clock.monotonic.value; }\n"
	"	:= clock27_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; }\n"
	"	:= clock64_t;\n"
	"stream { id = 0;\n"
	"	packet.context := struct { clock64_t timestamp_begin; clock64_t timestamp_end;\n"
	"		uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num;\n"
	"		uint64_t events_discarded; uint32_t cpu_id; };\n"
	"	event.header := struct { enum : uint5_t { compact = 0 ... 30, extended = 31 } id;\n"
	"		variant <id> { struct { clock27_t timestamp; } compact;\n"
	"			struct { uint32_t id; clock64_t timestamp; } extended; } v;\n"
	"	} align(8);\n"
	"	event.context := struct { int32_t _tid; };\n"
	"};\n";

#define SITE_PTR	"hex64_t _call_site; hex64_t _ptr; "
#define ALLOC		SITE_PTR "uint64_t _bytes_req; uint64_t _bytes_alloc; " \
			"uint32_t _gfp_flags; int32_t _node; "

static const struct {
	const char *name, *fields;
} kinds[] = {
	[KMALLOC] = { "kmem_kmalloc", ALLOC },
	[KFREE] = { "kmem_kfree", SITE_PTR },
	[CACHE_ALLOC] = { "kmem_cache_alloc", ALLOC },
	[CACHE_FREE] = { "kmem_cache_free", SITE_PTR },
};

static FILE *create(const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wbx");
	if (!f) {
		perror(path);
		exit(2);
	}
	return f;
}

static void finish(FILE *f, const char *name)
{
	if (fclose(f)) {
		perror(name);
		exit(2);
	}
}

static void write_metadata(void)
{
	FILE *f = create("metadata");
	char text[37];

	for (unsigned int i = 0, n = 0; i < 16; i++)
		n += (unsigned int)sprintf(text + n, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10
					   ? "-" : "", uuid[i]);
	fprintf(f, metadata_head, text);
	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		fprintf(f, "event { name = \"%s\"; id = %u; stream_id = 0;\n"
			"	fields := struct { %s}; };\n", kinds[i].name, i, kinds[i].fields);
	finish(f, "metadata");
}

/* Little-endian, whatever this machine is. */
static void put(struct stream *s, unsigned int bytes, uint64_t v)
{
	for (unsigned int i = 0; i < bytes; i++)
		s->packet[s->size++] = (uint8_t)(v >> 8 * i);
}

static void close_packet(struct stream *s, uint32_t cpu)
{
	size_t size = s->size;

	s->size = 0;
	put(s, 4, 0xc1fc1fc1);
	memcpy(s->packet + s->size, uuid, 16);
	s->size += 16;
	put(s, 4, 0);
	put(s, 8, cpu);
	put(s, 8, s->begin);
	put(s, 8, s->last);
	put(s, 8, size * 8);
	put(s, 8, PACKET * 8);
	put(s, 8, s->seq++);
	put(s, 8, 0);
	put(s, 4, cpu);
	memset(s->packet + size, 0, PACKET - size);
	if (fwrite(s->packet, PACKET, 1, s->file) != 1) {
		perror("write");
		exit(2);
	}
	s->size = 0;
}

static struct stream *stream_of(const struct lt_event *e)
{
	struct stream *s = &streams[e->cpu];
	char name[32];

	if (!s->file) {
		snprintf(name, sizeof(name), "channel0_%u", e->cpu);
		s->file = create(name);
		s->packet = malloc(PACKET);
		if (!s->packet)
			abort();
	}
	if (s->size && s->size > PACKET - MAX_EVENT)
		close_packet(s, e->cpu);
	if (!s->size) {
		s->size = HEADER + CONTEXT;
		s->begin = e->time;
		s->last = e->time;
	}
	return s;
}

static void write_event(const struct lt_event *e, unsigned int kind, const struct lt_cache *cache)
{
	struct stream *s = stream_of(e);

	if (e->time - s->last < 1U << 27) {
		put(s, 4, kind | (e->time & ((1U << 27) - 1)) << 5);
	} else {
		put(s, 1, EXTENDED);
		put(s, 4, kind);
		put(s, 8, e->time);
	}
	s->last = e->time;
	put(s, 4, e->task ? e->task->tid : 0);
	put(s, 8, e->call_site);
	put(s, 8, e->ptr);
	if (kind == KFREE || kind == CACHE_FREE)
		return;
	put(s, 8, cache ? cache->object_size : e->bytes_req);
	put(s, 8, cache ? cache->size : e->bytes_alloc);
	put(s, 4, e->gfp);
	put(s, 4, (uint32_t)e->node);
}

static int kind_of(const struct lt_event *e)
{
	switch (e->id) {
	case LT_EV_KMALLOC:
		return KMALLOC;
	case LT_EV_KFREE:
		return KFREE;
	case LT_EV_CACHE_ALLOC:
		return CACHE_ALLOC;
	case LT_EV_CACHE_FREE:
		return CACHE_FREE;
	default:
		return -1;
	}
}

int main(int argc, char **argv)
{
	struct lt_trace *t = argc == 3 ? lt_trace_open(argv[1]) : NULL;
	struct lt_event e;
	uint64_t n = 0;
	int err, kind;

	if (!t) {
		fprintf(stderr, "usage: reading-ctf TRACE DIR\n");
		return 2;
	}
	dir = argv[2];
	if (mkdir(dir, 0700)) {
		perror(dir);
		return 2;
	}
	write_metadata();
	while ((err = lt_trace_next(t, &e)) == 1) {
		kind = kind_of(&e);
		if (kind < 0 || e.cpu >= MAX_CPUS)
			continue;
		write_event(&e, (unsigned int)kind, e.cache ? lt_trace_cache(t, e.cache) : NULL);
		n++;
	}
	for (uint32_t cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (streams[cpu].size)
			close_packet(&streams[cpu], cpu);
		if (streams[cpu].file)
			finish(streams[cpu].file, "stream");
		free(streams[cpu].packet);
	}
	lt_trace_close(t);
	printf("%" PRIu64 "\n", n);
	return err ? 2 : 0;
}
