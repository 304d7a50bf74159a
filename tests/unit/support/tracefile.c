// SPDX-License-Identifier: GPL-2.0
/*
 * tracegen: the file around the packets, and the texts in it.
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "format/channel.h"
#include "uapi/lifetrace_file.h"
#include "format/pack.h"
#include "base/crc32c.h"
#include "tracegen.h"
#include "tracegen_private.h"

void tg_text(struct tg *g, unsigned int type, const char *text)
{
	g->texts = realloc(g->texts, (g->n_texts + 1) * sizeof(*g->texts));
	g->texts[g->n_texts++] = (struct tg_text){
		.type = type, .text = strdup(text), .early = !g->n_packets,
	};
}

void tg_clock(struct tg *g, uint64_t clock, uint64_t realtime, uint64_t boottime,
	      uint64_t monotonic, uint64_t raw)
{
	char line[256];

	snprintf(line, sizeof(line),
		 "clock=%llu realtime=%llu boottime=%llu monotonic=%llu raw=%llu\n",
		 (unsigned long long)clock, (unsigned long long)realtime,
		 (unsigned long long)boottime, (unsigned long long)monotonic,
		 (unsigned long long)raw);
	tg_text(g, LT_BLOCK_CLOCK, line);
}

const char *tg_info_text(struct tg *g)
{
	free(g->info_text);
	if (asprintf(&g->info_text,
		     "abi_version=1.0\nkernel_release=6.1.0-test\nmachine=%s\n"
		     "byte_order=%s\nsize_long=%u\nsize_ptr=%u\npage_shift=%u\n"
		     "clock=%s\nclock_freq=%llu\ntext_base=0x%llx\nptr_base=0x%llx\n"
		     "subbuf_size=%zu\nn_subbufs=8\nmode=%s\nmin_size=0\nsample=%u\n"
		     "session=%llu\nlate_free=%d\ncache_names=1\nflush_ms=200\n%s%s",
		     g->o.machine, g->o.big_endian ? "big" : "little", g->o.size_long,
		     g->o.size_ptr, g->o.page_shift, g->o.clock,
		     (unsigned long long)g->o.clock_freq, (unsigned long long)g->o.text_base,
		     (unsigned long long)g->o.ptr_base, g->o.subbuf_size, g->o.flight ? "flight" : "stream",
		     g->o.sample,
		     (unsigned long long)g->o.session, g->o.late_free,
		     g->o.kmem_only ? "" : g->o.tasks ? "channels=kmem,pid\npid_subbuf_size=65536\n"
		     "pid_n_subbufs=16\npid_gen_exact=1\n" : "channels=kmem\n",
		     g->o.info) < 0)
		abort();
	return g->info_text;
}

/* The schema's text, by the same tables that the module makes it from. */
#define CLASS_LINE(num, NAME, name, text) \
	fprintf(f, "class %d %s %s\n", num, #name, text);
#define CLASS_NAME(num, NAME, name, text) \
	case LT_CLASS_##NAME: return #name;
#define SIZE_OF(id, NAME) sizeof(struct lt_rec_##NAME)

static const char *class_name(unsigned int class)
{
	switch (class) {
	LT_CLASSES(CLASS_NAME)
	}
	return "-";
}

static size_t type_size(const char *type)
{
	if (!strncmp(type, "char", 4))
		return strtoul(type + 4, NULL, 10);
	return strtoul(type + 1, NULL, 10) / 8;
}

static void field_line(FILE *f, const char *type, const char *name, const char *kind,
		       size_t *offset, const char *text)
{
	fprintf(f, "field %s %s %s %zu %s\n", name, type, kind, *offset, text);
	*offset += type_size(type);
}

#define FIELD_LINE(type, name, kind, text) \
	field_line(f, #type, #name, #kind, &offset, text);
#define EVENT_LINES(CHANNEL, id, NAME, name, CLASS, text)		\
	offset = 0;							\
	fprintf(f, "event %d %d %s %s %zu %s\n", LT_CHANNEL_##CHANNEL, id, #name, \
		class_name(LT_CLASS_##CLASS), SIZE_OF(id, NAME), text);	\
	LT_FIELDS_##NAME(FIELD_LINE)
#define CHANNEL_LINES(number, NAME, name)				\
	if (number == LT_CHANNEL_KMEM || !g->o.kmem_only) {		\
		fprintf(f, "channel %d %s\n", number, #name);		\
		LT_##NAME##_CLASSES(CLASS_LINE)				\
		LT_##NAME##_EVENTS(EVENT_LINES)				\
	}

const char *tg_schema_text(struct tg *g)
{
	size_t size, offset;
	FILE *f;

	free(g->schema_text);
	if (g->o.schema) {
		g->schema_text = strdup(g->o.schema);
		return g->schema_text;
	}
	f = open_memstream(&g->schema_text, &size);
	fprintf(f, "lifetrace-schema %d.%d\n", LT_VERSION_MAJOR, LT_VERSION_MINOR);
	LT_CHANNELS(CHANNEL_LINES)
	fprintf(f, "gfp 0xcc0 GFP_KERNEL\ngfp 0xa20 GFP_ATOMIC\ngfp 0xc40 GFP_NOFS\n"
		"gfp 0x20 __GFP_HIGH\ngfp 0x40 __GFP_IO\ngfp 0x80 __GFP_FS\n"
		"gfp 0x100 __GFP_ZERO\ngfp 0x400 __GFP_DIRECT_RECLAIM\n"
		"gfp 0x800 __GFP_KSWAPD_RECLAIM\ngfp 0x2000 __GFP_NOWARN\n"
		"gfp 0x400000 __GFP_ACCOUNT\n");
	fclose(f);
	return g->schema_text;
}

/* A file being put together. Room grows by doubling: AddressSanitizer copies at each realloc(). */
struct image {
	uint8_t *buf;
	size_t size, cap;
	uint64_t blocks, cap_blocks;
	unsigned int zstd;
	struct lt_pack *pack;	/* NULL: packets are compressed as they are */
	struct lt_index_entry *index;	/* one for each block */
};

/*
 * @payload is what is compressed, of a block with raw_length @raw. @im is used for @buf, @size and
 * @cap alone.
 */
static void append_block(struct image *im, unsigned int type, unsigned int flags,
			 const void *payload, size_t length, size_t raw)
{
	struct lt_block_header h = {
		.magic = htole32(LT_BLOCK_MAGIC), .type = htole16((uint16_t)type),
		.flags = htole16((uint16_t)flags), .raw_length = htole32((uint32_t)raw),
	};
	size_t stored = length;
	void *packed = NULL;

	if (flags & LT_BLOCK_ZSTD) {
		packed = malloc(ZSTD_compressBound(length));
		stored = ZSTD_compress(packed, ZSTD_compressBound(length), payload, length, 1);
	}
	h.length = htole32((uint32_t)stored);
	h.payload_crc = htole32(lt_crc32c(0, packed ? packed : payload, stored));
	h.header_crc = htole32(lt_crc32c(0, &h, 20));
	if (im->size + sizeof(h) + stored > im->cap) {
		im->cap = 2 * im->size + sizeof(h) + stored;
		im->buf = realloc(im->buf, im->cap);
	}
	memcpy(im->buf + im->size, &h, sizeof(h));
	if (stored)
		memcpy(im->buf + im->size + sizeof(h), packed ? packed : payload, stored);
	im->size += sizeof(h) + stored;
	free(packed);
}

void tg_append_block(uint8_t **buf, size_t *size, unsigned int type, unsigned int flags,
		     const void *payload, size_t length)
{
	struct image im = { .buf = *buf, .size = *size, .cap = *size };

	append_block(&im, type, flags, payload, length, length);
	*buf = im.buf;
	*size = im.size;
}

static void add(struct image *im, unsigned int type, const void *payload, size_t length)
{
	struct lt_index_entry *e;

	if (im->blocks == im->cap_blocks) {
		im->cap_blocks = im->cap_blocks * 2 + 16;
		im->index = realloc(im->index, im->cap_blocks * sizeof(*im->index));
	}
	e = &im->index[im->blocks];
	*e = (struct lt_index_entry){ .offset = htole64(im->size), .cpu = htole32(type) };
	if (im->pack && type == LT_BLOCK_PACKET &&
	    lt_pack_packet(im->pack, payload, length))
		append_block(im, type, im->zstd | LT_BLOCK_COLUMNS,
			     im->pack->out.data, im->pack->out.size, length);
	else
		append_block(im, type, im->zstd, payload, length, length);
	im->blocks++;
}

static void add_text(struct image *im, unsigned int type, const char *text)
{
	add(im, type, text, strlen(text));
}

static bool has_text(const struct tg *g, unsigned int type)
{
	for (size_t i = 0; i < g->n_texts; i++) {
		if (g->texts[i].type == type)
			return true;
	}
	return false;
}

static void stream_stats(FILE *f, const struct tg_cpu *s, unsigned int channel, uint32_t cpu)
{
	if (!s->e.seq)
		return;
	for (unsigned int k = 0; k < LT_N_CLASSES; k++) {
		const struct lt_class_counts *c = &s->e.counts[k];
		const char *name = class_name(LT_CLASS(channel, k));

		if (!strcmp(name, "-"))
			continue;
		fprintf(f, "cpu %u class %s seen %llu lost_full %llu lost_nmi %llu "
			"lost_nested %llu lost_nobuf %llu filtered %llu\n", cpu, name,
			(unsigned long long)c->seen, (unsigned long long)c->lost_full,
			(unsigned long long)c->lost_nmi, (unsigned long long)c->lost_nested,
			(unsigned long long)c->lost_nobuf, (unsigned long long)c->filtered);
	}
	fprintf(f, "cpu %u %spackets %llu\n", cpu, lt_channel_get(channel)->stats_prefix,
		(unsigned long long)s->e.seq);
}

char *tg_stats_text(const struct tg *g)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	fprintf(f, "state idle\n");
	for (size_t i = 0; i < g->n_streams; i++)
		stream_stats(f, &g->streams[i], tg_stream_channel(i), tg_stream_cpu(i));
	fprintf(f, "missed kfree 0\ncache_overflow 0\n");
	if (g->o.tasks)
		fprintf(f, "pid_ns 1 level 0 inum 4026531836 generation 1 wraps 1 allocated 2 "
			"born 2 burned 0\nuntracked 0\n");
	fclose(f);
	return text;
}

static void add_stats(const struct tg *g, struct image *im)
{
	char *text = tg_stats_text(g);

	add_text(im, LT_BLOCK_STATS, text);
	free(text);
}

static void add_all_entries(struct image *im)
{
	size_t size = im->blocks * sizeof(*im->index);
	void *copy = malloc(size + 1);

	memcpy(copy, im->index, size);
	add(im, LT_BLOCK_INDEX, copy, size);
	free(copy);
}

static void add_index(struct image *im, uint64_t packets, uint64_t bytes, unsigned int flags)
{
	struct lt_trailer t = { .index_offset = htole64(im->size) };
	unsigned int zstd = im->zstd;

	im->zstd = 0;
	if (!(flags & TG_NO_INDEX))
		add_all_entries(im);
	else
		t.index_offset = 0;
	t.blocks = htole64(im->blocks + 1);
	t.packets = htole64(packets);
	t.packet_bytes = htole64(bytes);
	add(im, LT_BLOCK_TRAILER, &t, sizeof(t));
	im->zstd = zstd;
}

static struct lt_pack *make_pack(struct tg *g)
{
	struct lt_schema *schema = lt_schema_parse(tg_schema_text(g), "the generator");
	struct lt_pack *c = schema ? lt_pack_new(schema) : NULL;

	lt_schema_free(schema);
	return c;
}

uint8_t *tg_file(struct tg *g, unsigned int flags, size_t *size)
{
	struct lt_file_header h = { .version_major = htole16(LT_FILE_MAJOR) };
	struct image im = { .zstd = flags & TG_ZSTD ? LT_BLOCK_ZSTD : 0 };
	uint64_t bytes = 0;

	if (flags & TG_COLUMNS)
		im.pack = make_pack(g);
	memcpy(h.magic, LT_FILE_MAGIC, sizeof(h.magic));
	im.buf = malloc(sizeof(h));
	memcpy(im.buf, &h, sizeof(h));
	im.size = sizeof(h);
	if (!has_text(g, LT_BLOCK_INFO))
		add_text(&im, LT_BLOCK_INFO, tg_info_text(g));
	if (!has_text(g, LT_BLOCK_SCHEMA))
		add_text(&im, LT_BLOCK_SCHEMA, tg_schema_text(g));
	for (size_t i = 0; i < g->n_texts; i++) {
		if (g->texts[i].early)
			add_text(&im, g->texts[i].type, g->texts[i].text);
	}
	for (size_t i = 0; i < g->n_packets; i++) {
		const struct tg_packet *p = &g->packets[i];

		struct lt_index_entry *e;

		add(&im, LT_BLOCK_PACKET, p->data, p->size);
		e = &im.index[im.blocks - 1];
		e->seq = htole64(p->seq);
		e->timestamp_begin = htole64(p->begin);
		e->timestamp_end = htole64(p->end);
		e->cpu = htole32(p->cpu);
		e->channel = htole32(p->channel);
		bytes += p->size;
	}
	for (size_t i = 0; i < g->n_texts; i++) {
		if (!g->texts[i].early)
			add_text(&im, g->texts[i].type, g->texts[i].text);
	}
	if (!(flags & TG_NO_TRAILER)) {
		if (!(flags & TG_NO_STATS) && !has_text(g, LT_BLOCK_STATS))
			add_stats(g, &im);
		add_index(&im, g->n_packets, bytes, flags);
	}
	free(im.index);
	lt_pack_free(im.pack);
	*size = im.size;
	return im.buf;
}

bool tg_tried(const uint8_t *file, size_t size, size_t at)
{
	const size_t header = sizeof(struct lt_block_header);
	struct lt_block_header b;

	for (size_t block = LT_FILE_FIRST; block + header <= size;
	     block += header + le32toh(b.length)) {
		memcpy(&b, file + block, header);
		if (at + 8 >= block && at <= block + header + 8)
			return true;
	}
	return at < LT_FILE_FIRST || at + 8 >= size || at % 7 == 0;
}

int tg_save(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "wb");
	int ret;

	if (!f)
		return -1;
	ret = fwrite(data, 1, size, f) == size ? 0 : -1;
	return fclose(f) ? -1 : ret;
}

int tg_write(struct tg *g, const char *path, unsigned int flags)
{
	size_t size;
	uint8_t *data = tg_file(g, flags, &size);
	int ret = tg_save(path, data, size);

	free(data);
	return ret;
}
