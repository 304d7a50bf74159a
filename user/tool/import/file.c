// SPDX-License-Identifier: GPL-2.0
/*
 * Writing the trace of an import.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/schema.h"
#include "import/file.h"
#include "out/log.h"

static int take_packet(void *arg, const struct lt_encode_packet *p)
{
	struct lt_import_file *f = arg;

	return lt_writer_packet(f->w, p->data, p->size, p->cpu, p->channel, p->seq, p->begin,
				p->end);
}

static int put(struct lt_import_file *f, unsigned int type, struct lt_str *text)
{
	int ret = 0;

	if (text->n)
		ret = lt_writer_text(f->w, type, f->w->zstd, text->s, text->n);
	free(text->s);
	*text = (struct lt_str){ .n = 0 };
	return ret;
}

/* Packed by columns, which the schema defines, packets compress better. */
static void use_columns(struct lt_import_file *f, const char *text)
{
	struct lt_schema *schema = lt_schema_parse(text, "this program");

	if (schema)
		lt_writer_pack(f->w, schema);
	lt_schema_free(schema);
}

int lt_import_file_begin(struct lt_import_file *f, const struct lt_import_source *source)
{
	struct lt_str info = { .n = 0 }, schema = { .n = 0 }, events = { .n = 0 };
	int ret;

	f->im = lt_import_new(source, take_packet, f);
	f->live = source->live;
	lt_import_info(f->im, &info);
	if (f->info)
		lt_str_put(&info, f->info);
	lt_import_schema(f->im, &schema);
	if (f->w->zstd)
		use_columns(f, schema.s);
	ret = put(f, LT_BLOCK_INFO, &info);
	ret |= put(f, LT_BLOCK_SCHEMA, &schema);
	/* What the events are does not depend on what comes. */
	if (f->live)
		lt_import_events(f->im, &events);
	ret |= put(f, LT_BLOCK_EVENTS, &events);
	for (unsigned int i = 0; i < 2 && f->clocks[i]; i++)
		ret |= lt_writer_text(f->w, LT_BLOCK_CLOCK, false, f->clocks[i],
				      strlen(f->clocks[i]));
	return ret ? -1 : 0;
}

int lt_import_file_end(struct lt_import_file *f)
{
	struct lt_str events = { .n = 0 }, stats = { .n = 0 };
	int ret;

	lt_import_end(f->im);
	if (!f->live)
		lt_import_events(f->im, &events);
	lt_import_stats(f->im, &stats);
	if (f->stats)
		lt_str_put(&stats, f->stats);
	ret = lt_import_ret(f->im);
	ret |= put(f, LT_BLOCK_EVENTS, &events);
	ret |= put(f, LT_BLOCK_SYMBOLS, &f->symbols);
	ret |= put(f, LT_BLOCK_STATS, &stats);
	return ret ? -1 : lt_writer_finish(f->w);
}

void lt_import_file_destroy(struct lt_import_file *f)
{
	lt_import_free(f->im);
	free(f->symbols.s);
	*f = (struct lt_import_file){ .w = NULL };
}

int lt_import_each_line(const char *path, lt_import_line_fn *take, void *arg, bool *cut)
{
	struct lt_log_reader lines = { .fd = open(path, O_RDONLY | O_CLOEXEC) };
	const char *line;
	size_t len;
	int more;

	if (lines.fd < 0) {
		lt_error("%s: %s", path, strerror(errno));
		return -1;
	}
	while ((more = lt_log_next(&lines, &line, &len)) > 0) {
		if (lines.cut || take(arg, line, lt_log_without_cr(line, len), lines.number))
			break;
	}
	*cut = lines.cut;
	if (more < 0)
		lt_error("%s: line %" PRIu64 ": %s", path, lines.number + 1, strerror(errno));
	close(lines.fd);
	lt_log_reader_destroy(&lines);
	return more < 0 ? -1 : 0;
}
