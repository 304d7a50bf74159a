// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of tracefs, perf script and strace, and messages of the proc connector, that become a
 * trace: what comes out must be packets whose counts add up.
 */
#include <stdlib.h>
#include <string.h>

#include "format/packet.h"
#include "fuzz.h"
#include "import/connector.h"
#include "import/perf_head.h"
#include "import/strace.h"
#include "import/text.h"

struct sum {
	uint64_t seq[LT_N_CHANNELS + 1][64];
};

static int take(void *arg, const struct lt_encode_packet *p)
{
	struct sum *s = arg;
	struct lt_packet packet;
	struct lt_why why;

	if (lt_packet_parse(&packet, p->data, p->size, &why))
		fuzz_wrong("a packet: %s", why.text);
	if (p->cpu < 64 && s->seq[p->channel][p->cpu]++ != p->seq)
		fuzz_wrong("packet %lu", (unsigned long)p->seq);
	return 0;
}

static void take_strace(void *arg, const struct lt_import_event *ev)
{
	if (ev->tid <= 0 || (ev->kind != LT_IMPORT_NEWTASK && ev->kind != LT_IMPORT_EXEC &&
			     ev->kind != LT_IMPORT_RENAME && ev->kind != LT_IMPORT_EXIT))
		fuzz_wrong("strace: an event of kind %d of task %d", ev->kind, ev->tid);
	lt_import_event(arg, ev);
}

/* A log of strace, in a trace of its own. */
static void check_strace(const struct lt_import_source *source, const char *text, size_t size)
{
	struct sum sum = { 0 };
	struct lt_import *im = lt_import_new(source, take, &sum);
	struct lt_import_strace s;
	struct lt_why why;

	lt_import_strace_init(&s, take_strace, im);
	while (size) {
		const char *end = memchr(text, '\n', size);
		size_t len = end ? (size_t)(end - text) : size;
		char *copy = malloc(len + !len);

		memcpy(copy, text, len);
		lt_import_strace_line(&s, copy, len, &why);
		free(copy);
		text += len + (end != NULL);
		size -= len + (end != NULL);
	}
	lt_import_strace_end(&s);
	lt_import_strace_destroy(&s);
	lt_import_end(im);
	lt_import_free(im);
}

/* Messages of the proc connector, read by read, in a trace of its own. */
static void check_connector(const uint8_t *data, size_t size)
{
	struct lt_import_source source;
	struct lt_import_connector c;
	struct sum sum = { 0 };
	struct lt_import *im;

	lt_import_connector_source(&source);
	im = lt_import_new(&source, take, &sum);
	lt_import_connector_init(&c, im);
	while (size) {
		size_t n = size < LT_IMPORT_CONNECTOR_SIZE ? size : LT_IMPORT_CONNECTOR_SIZE;
		uint8_t *copy = malloc(n);
		struct lt_why why = { 0 };

		memcpy(copy, data, n);
		/* A stream for each of 8192 CPUs takes more memory than is allowed here. */
		if (n == LT_IMPORT_CONNECTOR_SIZE)
			copy[LT_IMPORT_CONNECTOR_CPU + 1] = 0;
		if (!lt_import_connector_take(&c, copy, n, &why) && !why.text[0])
			fuzz_wrong("refused without a reason");
		free(copy);
		data += n;
		size -= n;
	}
	lt_import_connector_destroy(&c);
	lt_import_end(im);
	lt_import_free(im);
}

static void check_event(const struct lt_import_text *t, const struct lt_import_event *ev)
{
	if (!ev->kind || ev->kind >= LT_N_IMPORT || ev->cpu >= LT_IMPORT_MAX_CPU ||
	    ev->context > LT_CTX_NMI || ev->comm[15] || ev->old[15] || ev->name[63])
		fuzz_wrong("an event of kind %d", ev->kind);
	if (ev->path && ev->path != t->path)
		fuzz_wrong("a path that is not kept");
}

/* @line: copied, so that nothing behind it can be read. */
static void take_line(struct lt_import *im, struct lt_import_text *t,
		      struct lt_import_perf_head *head, const char *line, size_t len)
{
	struct lt_import_event ev;
	struct lt_import_loss loss;
	struct lt_why why = { 0 };
	char *copy = malloc(len + !len);

	memcpy(copy, line, len);
	switch (lt_import_text_line(t, copy, len, &ev, &loss, &why)) {
	case LT_IMPORT_LINE_EVENT:
		check_event(t, &ev);
		if (loss.to)
			lt_import_lost(im, &loss);
		/* A stream for each of 8192 CPUs takes more memory than is allowed here. */
		ev.cpu %= 64;
		lt_import_event(im, &ev);
		break;
	case LT_IMPORT_LINE_BAD:
		if (!why.text[0])
			fuzz_wrong("refused without a reason");
		break;
	default:
		lt_import_perf_head_line(head, copy, len);
		break;
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lt_import_source source = {
		.tool = "tracefs", .release = "", .machine_name = "x86_64", .host = "",
		.clock = "local",
		.machine = lt_encode_this_machine(), .kinds = (1U << LT_N_IMPORT) - 2,
		.alloc_has_name = size % 2, .alloc_has_node = size % 3,
	};
	struct sum sum = { 0 };
	const char *text = (const char *)data;
	struct lt_str texts = { 0 };
	struct lt_import_perf_head head = { .cpus = 0 };
	struct lt_import_text t;
	struct lt_import_loss loss;
	struct lt_import *im;

	source.gfp = lt_import_text_gfp(&source.n_gfp);
	check_strace(&source, text, size);
	check_connector(data, size);
	im = lt_import_new(&source, take, &sum);
	lt_import_text_init(&t, size % 5 ? LT_LOG_FTRACE : LT_LOG_PERF);
	while (size) {
		const char *end = memchr(text, '\n', size);
		size_t len = end ? (size_t)(end - text) : size;

		take_line(im, &t, &head, text, len);
		text += len + (end != NULL);
		size -= len + (end != NULL);
	}
	while (lt_import_text_rest(&t, &loss)) {
		loss.cpu %= 64;
		lt_import_lost(im, &loss);
	}
	lt_import_end(im);
	lt_import_perf_head_info(&head, &texts);
	free(head.command.s);
	lt_import_info(im, &texts);
	lt_import_events(im, &texts);
	lt_import_stats(im, &texts);
	free(texts.s);
	lt_import_text_destroy(&t);
	lt_import_free(im);
	return 0;
}
