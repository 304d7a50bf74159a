// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Prints the rows of a trace as CSV, by liblifetrace.
 *
 *	cc -o rows rows.c $(pkg-config --cflags --libs lifetrace)
 *	./rows [-a] [-b ROWS] [-c COLUMN,...] KIND FILE|DIRECTORY...
 *
 * KIND is one of lifetime, task, syscall, request, call. -a: with addresses, which are secrets;
 * -b: read so many rows at once, not one by one; -c: these columns.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lifetrace/lifetrace.h>

static void print_text(const char *text)
{
	int plain = 1;

	for (const char *p = text; *p; p++)
		plain &= *p != '"' && *p != ',' && *p != '\\' && (unsigned char)*p < 0x7f;
	if (plain) {
		fputs(text, stdout);
		return;
	}
	putchar('"');
	for (const char *p = text; *p; p++) {
		if (*p == '"')
			putchar('"');
		putchar(*p);
	}
	putchar('"');
}

static void print_number(const struct lifetrace_column *column, const void *value)
{
	uint64_t u;
	int64_t i;
	double d;

	memcpy(&u, value, sizeof(u));
	memcpy(&i, value, sizeof(i));
	memcpy(&d, value, sizeof(d));
	if (column->type == LIFETRACE_UINT)
		printf(column->flags & LIFETRACE_HEX ? "0x%" PRIx64 : "%" PRIu64, u);
	else if (column->type == LIFETRACE_INT)
		printf("%" PRId64, i);
	else
		printf("%.3f", d);
}

/* Row by row. */
static int print_rows(lifetrace_rows *rows, const struct lifetrace_column *columns, size_t n,
		      struct lifetrace_error *error)
{
	int more;

	while ((more = lifetrace_rows_next(rows, error)) > 0) {
		for (size_t i = 0; i < n; i++) {
			struct lifetrace_value value;

			if (i)
				putchar(',');
			if (lifetrace_rows_get(rows, i, &value) <= 0)
				continue;
			if (columns[i].type == LIFETRACE_TEXT)
				print_text(value.text);
			else
				print_number(&columns[i], &value.number);
		}
		putchar('\n');
	}
	return more;
}

/* A value of an array; of a text it is a number, for which there is the text. */
static void print_element(lifetrace_rows *rows, const struct lifetrace_column *column,
			  const struct lifetrace_array *array, int64_t k)
{
	const uint32_t *labels = array->values;
	const uint64_t *numbers = array->values;

	if (column->type == LIFETRACE_TEXT)
		print_text(lifetrace_rows_label(rows, array->column, labels[k], NULL));
	else
		print_number(column, &numbers[k]);
}

/* Many rows at once. */
static int print_arrays(lifetrace_rows *rows, const struct lifetrace_column *columns, size_t n,
			size_t at_once, struct lifetrace_error *error)
{
	struct lifetrace_array *arrays = calloc(n, sizeof(*arrays));
	int64_t got;

	if (!arrays)
		abort();
	for (size_t i = 0; i < n; i++) {
		arrays[i].column = i;
		arrays[i].values = calloc(at_once, sizeof(uint64_t));
		arrays[i].known = calloc(at_once, 1);
	}
	while ((got = lifetrace_rows_read(rows, at_once, arrays, n, error)) > 0) {
		for (int64_t k = 0; k < got; k++) {
			for (size_t i = 0; i < n; i++) {
				if (i)
					putchar(',');
				if (arrays[i].known[k])
					print_element(rows, &columns[i], &arrays[i], k);
			}
			putchar('\n');
		}
	}
	for (size_t i = 0; i < n; i++) {
		free(arrays[i].values);
		free(arrays[i].known);
	}
	free(arrays);
	return (int)got;
}

static int print(lifetrace_rows *rows, size_t at_once, struct lifetrace_error *error)
{
	size_t n = lifetrace_rows_columns(rows);
	struct lifetrace_column *columns = calloc(n, sizeof(*columns));
	int ret;

	if (!columns)
		abort();
	for (size_t i = 0; i < n; i++) {
		columns[i].size = sizeof(columns[i]);
		lifetrace_rows_column(rows, i, &columns[i]);
		printf("%s%s", i ? "," : "", columns[i].name);
	}
	putchar('\n');
	ret = at_once ? print_arrays(rows, columns, n, at_once, error) :
			print_rows(rows, columns, n, error);
	free(columns);
	return ret;
}

int main(int argc, char **argv)
{
	struct lifetrace_open_options open = { .size = sizeof(open) };
	struct lifetrace_rows_options options = {
		.size = sizeof(options), .flags = LIFETRACE_REQUESTS,
	};
	struct lifetrace_error error = LIFETRACE_ERROR_INIT;
	lifetrace_rows *rows = NULL;
	lifetrace_trace *trace;
	size_t at_once = 0;
	int c, ret = -1;

	while ((c = getopt(argc, argv, "ab:c:")) != -1) {
		if (c == 'a')
			options.flags |= LIFETRACE_ADDRESSES;
		else if (c == 'b')
			at_once = strtoul(optarg, NULL, 10);
		else if (c == 'c')
			options.columns = optarg;
		else
			return 2;
	}
	if (argc - optind < 2) {
		fprintf(stderr, "usage: rows [-a] [-b ROWS] [-c COLUMN,...] KIND FILE...\n");
		return 2;
	}
	open.more = (const char *const *)&argv[optind + 2];
	open.n_more = (size_t)(argc - optind - 2);
	trace = lifetrace_open(argv[optind + 1], &open, &error);
	if (trace)
		rows = lifetrace_rows_open(trace, argv[optind], &options, &error);
	if (rows)
		ret = print(rows, at_once, &error);
	if (ret < 0)
		fprintf(stderr, "rows: %s\n", error.text);
	lifetrace_rows_close(rows);
	lifetrace_close(trace);
	return ret < 0;
}
