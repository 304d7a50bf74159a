// SPDX-License-Identifier: GPL-2.0
/*
 * usage: use THREADS FILE...
 *
 * Reads each file by liblifetrace in all ways: what it says of itself, and the rows of all kinds,
 * row by row, as arrays and as a stream of Arrow, which must be equal. With THREADS above 0 that
 * many threads do so at once, each with handles of its own. Prints for each file what it is, or the
 * error; it ends with status 1 where an answer contradicts another one, or an error has no text.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lifetrace/lifetrace.h>

/* From Arrow's specification, for this reader of its arrays. */
struct ArrowSchema {
	const char *format, *name, *metadata;
	int64_t flags, n_children;
	struct ArrowSchema **children, *dictionary;
	void (*release)(struct ArrowSchema *schema);
	void *private_data;
};

struct ArrowArray {
	int64_t length, null_count, offset, n_buffers, n_children;
	const void **buffers;
	struct ArrowArray **children, *dictionary;
	void (*release)(struct ArrowArray *array);
	void *private_data;
};

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *stream, struct ArrowSchema *out);
	int (*get_next)(struct ArrowArrayStream *stream, struct ArrowArray *out);
	const char *(*get_last_error)(struct ArrowArrayStream *stream);
	void (*release)(struct ArrowArrayStream *stream);
	void *private_data;
};

static int failed;

static void fail(const char *what, const char *where)
{
	printf("FAILED: %s: %s\n", where, what);
	__atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
}

/* FNV-1a of values, which all ways of reading must agree in. */
static void mix(uint64_t *hash, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*hash = (*hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
}

static void mix_value(uint64_t *hash, int known, const void *value, size_t n)
{
	unsigned char byte = known ? 1 : 0;

	mix(hash, &byte, 1);
	if (known)
		mix(hash, value, n);
}

struct sum {
	uint64_t hash;
	uint64_t rows;
	int ret;
};

static struct sum by_rows(lifetrace_rows *rows, struct lifetrace_error *error)
{
	size_t n = lifetrace_rows_columns(rows);
	struct sum s = { 0 };

	while ((s.ret = lifetrace_rows_next(rows, error)) > 0) {
		s.rows++;
		for (size_t i = 0; i < n; i++) {
			struct lifetrace_column c = { .size = sizeof(c) };
			struct lifetrace_value v;
			int known = lifetrace_rows_get(rows, i, &v);

			lifetrace_rows_column(rows, i, &c);
			if (known < 0 || (!known && !(c.flags & LIFETRACE_NULLABLE)))
				fail("an unknown value where there is always one", c.name);
			if (known && c.type == LIFETRACE_TEXT && strlen(v.text) != v.length)
				fail("a text has a zero in it", c.name);
			if (c.type == LIFETRACE_TEXT)
				mix_value(&s.hash, known, v.text, v.length);
			else
				mix_value(&s.hash, known, &v.number, 8);
		}
	}
	if (lifetrace_rows_next(rows, error) != s.ret)
		fail("the end is no end", "lifetrace_rows_next");
	return s;
}

#define AT_ONCE	13

static struct sum by_arrays(lifetrace_rows *rows, struct lifetrace_error *error)
{
	size_t n = lifetrace_rows_columns(rows);
	struct lifetrace_array *arrays = calloc(n, sizeof(*arrays));
	struct sum s = { 0 };
	int64_t got;

	for (size_t i = 0; i < n; i++)
		arrays[i] = (struct lifetrace_array){ i, calloc(AT_ONCE, 8), calloc(AT_ONCE, 1) };
	while ((got = lifetrace_rows_read(rows, AT_ONCE, arrays, n, error)) > 0) {
		s.rows += (uint64_t)got;
		for (int64_t k = 0; k < got; k++) {
			for (size_t i = 0; i < n; i++) {
				struct lifetrace_column c = { .size = sizeof(c) };
				const void *value = (const uint64_t *)arrays[i].values + k;
				size_t length = 8;

				lifetrace_rows_column(rows, i, &c);
				if (c.type == LIFETRACE_TEXT) {
					const uint32_t *labels = arrays[i].values;

					value = lifetrace_rows_label(rows, i, labels[k], &length);
				}
				mix_value(&s.hash, arrays[i].known[k], value, length);
			}
		}
	}
	for (size_t i = 0; i < n; i++) {
		free(arrays[i].values);
		free(arrays[i].known);
	}
	free(arrays);
	s.ret = (int)got;
	return s;
}

/* A value of an array, by Arrow's rules. */
static void mix_arrow(uint64_t *hash, const struct ArrowSchema *schema, const struct ArrowArray *a,
		      int64_t k)
{
	const uint8_t *bits = a->buffers[0];
	int known;

	k += a->offset;
	known = !bits || bits[k / 8] >> k % 8 & 1;
	if (!strcmp(schema->format, "i")) {
		const int32_t index = ((const int32_t *)a->buffers[1])[k];

		schema = schema->dictionary;
		a = a->dictionary;
		if (index < 0 || index >= a->length)
			fail("an index is not in the dictionary", "Arrow");
		k = index;
	}
	if (!strcmp(schema->format, "u")) {
		const int32_t *at = (const int32_t *)a->buffers[1] + k;

		mix_value(hash, known, (const char *)a->buffers[2] + at[0],
			  (size_t)(at[1] - at[0]));
	} else {
		mix_value(hash, known, (const uint64_t *)a->buffers[1] + k, 8);
	}
}

static struct sum by_stream(lifetrace_rows *rows, struct lifetrace_error *error)
{
	struct ArrowArrayStream stream;
	struct ArrowSchema schema;
	struct ArrowArray array, kept = { 0 };
	struct sum s = { 0 };

	if (lifetrace_rows_stream(rows, AT_ONCE, &stream, error) ||
	    stream.get_schema(&stream, &schema)) {
		fail(error->text, "lifetrace_rows_stream");
		return s;
	}
	while (!(s.ret = stream.get_next(&stream, &array)) && array.release) {
		s.rows += (uint64_t)array.length;
		for (int64_t k = 0; k < array.length; k++) {
			for (int64_t i = 0; i < array.n_children; i++)
				mix_arrow(&s.hash, schema.children[i], array.children[i], k);
		}
		/* A column that was moved away lives longer than the others. */
		if (kept.release)
			kept.release(&kept);
		kept = *array.children[0];
		array.children[0]->release = NULL;
		array.release(&array);
	}
	if (s.ret && !stream.get_last_error(&stream))
		fail("an error has no text", "Arrow");
	s.ret = s.ret ? -1 : 0;
	stream.release(&stream);
	schema.release(&schema);
	if (kept.release)
		kept.release(&kept);
	return s;
}

static void about(lifetrace_trace *trace)
{
	struct lifetrace_about a = { .size = sizeof(a) };
	struct lifetrace_class c = { .size = sizeof(c) };
	const char *event, *why;

	lifetrace_describe(trace, &a);
	if (a.end_ns < a.begin_ns || !a.file_size)
		fail("the trace ends before it begins, or is empty", "lifetrace_describe");
	for (size_t i = 0; lifetrace_info_key(trace, i); i++) {
		if (!lifetrace_info(trace, lifetrace_info_key(trace, i)))
			fail("a key has no value", lifetrace_info_key(trace, i));
	}
	for (size_t i = 0; lifetrace_class_at(trace, i, &c) > 0; i++) {
		if (c.seen != c.written + c.lost_full + c.lost_nmi + c.lost_nested + c.lost_nobuf +
			      c.filtered)
			fail("the counters do not close", c.name);
	}
	for (size_t i = 0; lifetrace_unwatched(trace, i, &event, &why) > 0; i++) {
		if (!*event)
			fail("an event has no name", "lifetrace_unwatched");
	}
	for (size_t i = 0; lifetrace_message(trace, i); i++)
		;
}

/* The rows of a kind in all ways. Return: how many; -1 after an error, which is @error. */
static int64_t all_ways(lifetrace_trace *trace, const char *kind, struct lifetrace_error *error)
{
	static struct sum (*const ways[])(lifetrace_rows *, struct lifetrace_error *) = {
		by_rows, by_arrays, by_stream,
	};
	const struct lifetrace_rows_options o = { .size = sizeof(o), .flags = LIFETRACE_ADDRESSES };
	struct sum first = { 0 };

	for (int i = 0; i < 3; i++) {
		lifetrace_rows *rows = lifetrace_rows_open(trace, kind, &o, error);
		struct sum s;

		if (!rows)
			return -1;
		s = ways[i](rows, error);
		if (ways[i] != by_stream)
			lifetrace_rows_close(rows);
		if (!i)
			first = s;
		else if (memcmp(&s, &first, sizeof(s)))
			fail("a way of reading has other rows", kind);
	}
	return first.ret ? -1 : (int64_t)first.rows;
}

static void use(const char *path)
{
	struct lifetrace_error error = LIFETRACE_ERROR_INIT;
	lifetrace_trace *trace = lifetrace_open(path, NULL, &error);
	const char *kind;

	if (!trace) {
		printf("%s: cannot be opened: %s\n", path, error.text);
		if (error.code != LIFETRACE_OPEN || !error.text[0])
			fail("an error has no text, or another code", path);
		return;
	}
	about(trace);
	for (size_t i = 0; (kind = lifetrace_kind(i, NULL)); i++) {
		int64_t n = all_ways(trace, kind, &error);

		printf("%s: %s: %lld%s%s\n", path, kind, (long long)n, n < 0 ? ": " : "",
		       n < 0 ? error.text : "");
		if (n < 0 && (!error.code || !error.text[0]))
			fail("an error has no text", path);
	}
	lifetrace_close(trace);
}

struct files {
	char **paths;
	int n;
};

static void *use_all(void *arg)
{
	const struct files *f = arg;

	for (int i = 0; i < f->n; i++)
		use(f->paths[i]);
	return NULL;
}

int main(int argc, char **argv)
{
	struct files f = { argv + 2, argc - 2 };
	pthread_t threads[16];
	int n;

	if (argc < 3)
		return 2;
	n = atoi(argv[1]);
	for (int i = 0; i < n && i < 16; i++)
		pthread_create(&threads[i], NULL, use_all, &f);
	for (int i = 0; i < n && i < 16; i++)
		pthread_join(threads[i], NULL);
	if (n <= 0)
		use_all(&f);
	return failed;
}
