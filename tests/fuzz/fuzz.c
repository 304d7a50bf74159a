// SPDX-License-Identifier: GPL-2.0
/*
 * What the fuzz targets share.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "lifetimes/lifetime.h"
#include "out/log.h"
#include "trace/trace.h"
#include "tracegen.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COUNT_MEMORY

/* Some compilers have the sanitizers, but not their headers. */
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const void *p, size_t size),
					      void (*on_free)(const void *p));
size_t __sanitizer_get_allocated_size(const void *p);
void __sanitizer_report_error_summary(const char *text);
#endif
#endif

/* What the library reports is text of the trace, and passes through the tool's printing. */
__attribute__((constructor)) static void install_log(void)
{
	lt_log_to_stderr();
}

void fuzz_wrong(const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	strcpy(text, "fuzz: ");
	vsnprintf(text + 6, sizeof(text) - 6, fmt, ap);
	va_end(ap);
#ifdef COUNT_MEMORY
	/* stderr may be closed; the reports of the sanitizers are always shown. */
	__sanitizer_report_error_summary(text);
#else
	fprintf(stderr, "%s\n", text);
#endif
	abort();
}

const char *fuzz_file(const void *data, size_t size)
{
	static char path[64];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		fuzz_wrong("no room for the file");
	return path;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	if (size)
		memcpy(text, data, size);
	text[size] = 0;
	return text;
}

char *fuzz_cut(const uint8_t **data, size_t *size)
{
	const uint8_t *end = *size ? memchr(*data, 0, *size) : NULL;
	size_t n = end ? (size_t)(end - *data) : *size;
	char *text = fuzz_text(*data, n);

	*data += n + (end != NULL);
	*size -= n + (end != NULL);
	return text;
}

/* ------------------------------------------------------------------------
 * Memory
 */

#ifdef COUNT_MEMORY
static int64_t allocated, peak;

static void on_malloc(const void *p, size_t size)
{
	(void)p;
	allocated += (int64_t)size;
	if (allocated > peak)
		peak = allocated;
}

static void on_free(const void *p)
{
	if (p)
		allocated -= (int64_t)__sanitizer_get_allocated_size(p);
}

void fuzz_memory_begin(void)
{
	static bool installed;

	if (!installed && !__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free))
		fuzz_wrong("memory cannot be counted");
	installed = true;
	allocated = peak = 0;
}

void fuzz_memory_end(uint64_t limit)
{
	if (peak > 0 && (uint64_t)peak > limit)
		fuzz_wrong("%" PRId64 " bytes of memory, expected at most %" PRIu64, peak, limit);
}
#else
void fuzz_memory_begin(void)
{
}

void fuzz_memory_end(uint64_t limit)
{
	(void)limit;
}
#endif

/* ------------------------------------------------------------------------
 * The schema
 */

/* The number of words of a line that the reader needs; the rest is for people. */
static unsigned int words_of(const char *line)
{
	if (!strncmp(line, "event ", 6))
		return 6;
	if (!strncmp(line, "field ", 6))
		return 5;
	return strncmp(line, "gfp ", 4) ? 3 : 9;
}

const char *fuzz_schema_text(void)
{
	static char *text;
	struct tg *g;
	char *to;

	if (text)
		return text;
	g = tg_new(NULL);
	text = strdup(tg_schema_text(g));
	tg_free(g);
	to = text;
	for (char *line = text; *line;) {
		unsigned int words = words_of(line), n = 0;
		size_t len = strcspn(line, "\n");

		for (size_t i = 0; i < len; i++) {
			if (line[i] == ' ' && ++n == words)
				break;
			*to++ = line[i];
		}
		*to++ = '\n';
		line += len + (line[len] != 0);
	}
	*to = 0;
	return text;
}

static void ended(void *arg, const struct lt_lifetime *l)
{
	uint64_t *sum = arg;

	*sum += lt_lifetime_ns(l) + l->certainty;
}

int64_t fuzz_follow(struct lt_trace *t)
{
	uint64_t gap_end[LT_N_MEMORY] = { 0 }, last = 0, sum = 0;
	struct lt_lifetime_config config = { .page_shift = 12 };
	struct lt_lifetime_ops ops = { .ended = ended, .arg = &sum };
	struct lt_lifetimes *lf = lt_lifetimes_new(&config, &ops);
	struct lt_event ev;
	int64_t n = 0;

	while (lt_trace_next(t, &ev) > 0) {
		if (ev.time < last)
			fuzz_wrong("time went back");
		last = ev.time;
		n++;
		lt_lifetimes_event(lf, &ev, lt_trace_gap_end(t, lt_event_space(&ev)));
	}
	lt_lifetimes_finish(lf, lt_trace_end(t), gap_end);
	lt_lifetimes_free(lf);
	return n;
}
