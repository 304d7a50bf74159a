// SPDX-License-Identifier: GPL-2.0
/*
 * Values of the fleet's tables, which those who add up rows of many machines take as they are.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "export/fleet/fleet.h"
#include "out/log.h"
#include "testlib.h"
#include "tracegen.h"

#define AREA	0xffffc90000001000ULL
#define SITE	0xffffffff81000100ULL
#define MOST	256	/* lines of a table */

struct table {
	const struct lt_row_kind *kind;
	char text[65536];
	char *lines[MOST];
	unsigned int n;
};

/* Coherent memory that was freed, and areas, of whose frees some were lost. */
static const char *make_trace(void)
{
	static char path[512];
	struct tg *g = tg_new(NULL);

	strcpy(path, test_path("tables.lt"));
	TG_PUT(g, TG_AREA(0), 1000, DMA_ALLOC, .ptr = 4096, .bytes_req = 100, .device = "nvme");
	TG_PUT(g, TG_AREA(0), 1010, DMA_FREE, .ptr = 4096);
	TG_PUT(g, TG_AREA(0), 1020, VMALLOC, .ptr = AREA, .call_site = SITE, .bytes_req = 8192, .node = 1);
	tg_close(g, TG_AREA(0), 1100);
	tg_lost(g, TG_AREA(0), LT_CLASS_VFREE, TG_FULL, 7);
	TG_PUT(g, TG_AREA(0), 2000, VMALLOC, .ptr = AREA + 65536, .call_site = SITE, .bytes_req = 8192,
	       .node = -1);
	tg_finish(g, 3000);
	assert_int_equal(tg_write(g, path, 0), 0);
	tg_free(g);
	return path;
}

static void read_table(struct table *t, const char *dir, const struct lt_row_kind *kind)
{
	char pattern[600];
	glob_t found;
	size_t size;
	FILE *f;

	t->kind = kind;
	snprintf(pattern, sizeof(pattern), "%s/%s/*/*/*.tsv", dir, kind->name);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_int_equal(found.gl_pathc, 1);
	f = fopen(found.gl_pathv[0], "r");
	assert_non_null(f);
	size = fread(t->text, 1, sizeof(t->text) - 1, f);
	t->text[size] = 0;
	fclose(f);
	globfree(&found);
	t->n = 0;
	for (char *rest = t->text, *line; (line = strsep(&rest, "\n")) && *line && t->n < MOST;)
		t->lines[t->n++] = line;
	assert_true(t->n > 0);
}

/*
 * The number of a word of a line: date, host, session, boot_id, kernel, machine and minute come
 * first.
 */
static size_t column(const struct table *t, const char *name)
{
	const struct lt_column **columns;
	size_t n = lt_row_columns(t->kind, LT_COLUMN_FLEET, &columns), i = 0;

	while (i < n && strcmp(columns[i]->name, name))
		i++;
	free(columns);
	assert_true(i < n);
	return 7 + i;
}

static const char *value(const struct table *t, unsigned int row, const char *name)
{
	static char buf[256];
	char *copy = strdup(t->lines[row]), *rest = copy, *word = NULL;

	for (size_t n = 0; n <= column(t, name); n++)
		word = strsep(&rest, "\t");
	assert_non_null(word);
	snprintf(buf, sizeof(buf), "%s", word);
	free(copy);
	return buf;
}

/* The only row of which a column has this value. */
static unsigned int row_of(const struct table *t, const char *name, const char *is)
{
	unsigned int found = MOST;

	for (unsigned int i = 0; i < t->n; i++) {
		if (strcmp(value(t, i, name), is))
			continue;
		assert_int_equal(found, MOST);
		found = i;
	}
	assert_true(found < MOST);
	return found;
}

static const char *export(unsigned int tables)
{
	const struct lt_export_options opts = {
		.tables = tables, .profile.report.no_recorder = true, .host = "host",
	};
	static char dir[512];
	const char *file = make_trace();

	strcpy(dir, test_path("tables"));
	assert_int_equal(lt_export_run(&lt_export_clickhouse, file, dir, &opts), LT_EXIT_OK);
	return dir;
}

/* Where no event records a node, there is none; -1 is a birth that asked for none. */
static void test_node(void **state)
{
	const char *dir = export(1U << LT_FLEET_LIFETIME);
	struct table t;

	(void)state;
	read_table(&t, dir, &lt_rows_of_lifetime);
	assert_string_equal(value(&t, row_of(&t, "kind", "dma"), "node"), "\\N");
	assert_string_equal(value(&t, row_of(&t, "birth_ns", "1020"), "node"), "1");
	assert_string_equal(value(&t, row_of(&t, "birth_ns", "2000"), "node"), "-1");
}

/* A minute counts what was lost of all channels that have lifetimes. */
static void test_lost(void **state)
{
	const char *dir = export(1U << LT_FLEET_SITE_MINUTE);
	struct table t;
	unsigned int row;

	(void)state;
	read_table(&t, dir, &lt_rows_of_minute);
	row = row_of(&t, "space", "vmalloc");
	assert_string_equal(value(&t, row, "lost"), "7");
	assert_string_equal(value(&t, row, "gaps"), "1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_node),
		cmocka_unit_test(test_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
