// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what follows from the kinds of rows (user/lib/rows): documents, and the tables and views
 * of database engines. main() has the list of outputs; `make -C Documentation tables` writes each
 * to its place in the tree, and tests/docs compares them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows/column.h"
#include "rows/kinds.h"

static void clickhouse_column(const struct lt_column *c)
{
	int null = c->marks & LT_COLUMN_NULL;

	printf(",\n\t%s %s%s%s", c->name, null ? "Nullable(" : "",
	       LT_VALUE_IS_TEXT(c->type) ? "String" : c->type == LT_VALUE_COUNTS ? "Array(Int64)" : "Int64",
	       null ? ")" : "");
}

static void clickhouse(const struct lt_row_entry *k)
{
	printf("\nCREATE TABLE IF NOT EXISTS %s (\n\tdate Date,\n\thost String,\n\tsession String,\n"
	       "\tboot_id String,\n\tkernel String,\n\tmachine String,\n\tminute Int64",
	       k->kind->name);
	for (size_t i = 0; i < k->kind->n; i++) {
		if (k->kind->columns[i].marks & LT_COLUMN_FLEET)
			clickhouse_column(&k->kind->columns[i]);
	}
	printf("\n) ENGINE = MergeTree PARTITION BY date ORDER BY (%s);\n", k->order);
}

static const char *unit(enum lt_value_type type)
{
	switch (type) {
	case LT_VALUE_BYTES:
		return "bytes";
	case LT_VALUE_NS:
		return "ns";
	case LT_VALUE_INSTANT:
		return "ns, a time";
	case LT_VALUE_TIME:
		return "ns since boot";
	case LT_VALUE_HEX:
		return "address";
	case LT_VALUE_COUNTS:
		return "numbers";
	case LT_VALUE_SITE:
		return "call site";
	case LT_VALUE_STACK:
		return "call sites";
	case LT_VALUE_TASK:
		return "row of task";
	default:
		return LT_VALUE_IS_TEXT(type) ? "text" : "number";
	}
}

/* Where a column is: in CSV and JSON, tables of a fleet, SQL. */
static void places(const struct lt_column *c, char *buf)
{
	*buf = 0;
	if (c->marks & LT_COLUMN_LINES)
		strcat(buf, c->marks & LT_COLUMN_IF_LINES ? "lines (``--lines``) " :
			    c->marks & LT_COLUMN_IF_STACKS ? "lines (with stacks) " : "lines ");
	if (c->marks & LT_COLUMN_FLEET)
		strcat(buf, "tables ");
	if (c->marks & LT_COLUMN_SQL)
		strcat(buf, "SQL ");
	buf[strlen(buf) - 1] = 0;
}

static void rst(const struct lt_row_entry *k)
{
	char where[64];

	printf("\n\n%s\n", k->kind->name);
	for (size_t i = 0; i < strlen(k->kind->name); i++)
		putchar('=');
	printf("\n\nA row is %s.\n\n.. list-table::\n   :header-rows: 1\n   :widths: 22 14 22 42\n\n"
	       "   * - name\n     - unit\n     - where\n     - meaning\n", k->kind->meaning);
	for (size_t i = 0; i < k->kind->n; i++) {
		const struct lt_column *c = &k->kind->columns[i];

		places(c, where);
		printf("   * - %s\n     - %s\n     - %s\n     - %s%s%s\n", c->name, unit(c->type),
		       where, c->meaning, c->marks & LT_COLUMN_NULL ? "; may be unknown" : "",
		       c->marks & LT_COLUMN_SECRET ?
		       "; exports have it with ``--addresses`` only" : "");
	}
}

static void all_clickhouse(void)
{
	fputs("-- SPDX-License-Identifier: GPL-2.0\n--\n"
	      "-- Made by `make -C Documentation tables` from the kinds of rows.\n--\n"
	      "-- The tables of `lifetrace export --format=clickhouse`, for ClickHouse 18.16 and later:\n--\n"
	      "--\tclickhouse-client --query 'CREATE DATABASE lifetrace'\n"
	      "--\tclickhouse-client --database=lifetrace --multiquery <tables.sql\n--\n"
	      "-- With several servers these are the tables of each of them, in the database lifetrace_shard, and\n"
	      "-- distributed.sql makes those that are asked. A partition is a day, so that ALTER TABLE ... DROP\n"
	      "-- PARTITION removes what is too old. lifetrace-export(1) says what the columns are.\n",
	      stdout);
	for (size_t i = 0; i < LT_N_ROW_KINDS; i++)
		clickhouse(&lt_row_kinds[i]);
}

static void all_distributed(void)
{
	fputs("-- SPDX-License-Identifier: GPL-2.0\n--\n"
	      "-- Made by `make -C Documentation tables` from the kinds of rows.\n--\n"
	      "-- Tables over all servers of the cluster \"lifetrace\" of the configuration\n"
	      "-- (remote_servers), each of which has those of tables.sql in its database lifetrace_shard:\n--\n"
	      "--\tclickhouse-client --query 'CREATE DATABASE lifetrace'\n"
	      "--\tclickhouse-client --database=lifetrace --multiquery <distributed.sql\n--\n"
	      "-- A row goes to the server that its host chooses. While that one is down, rows wait on the server that\n"
	      "-- took them, and are sent later.\n\n", stdout);
	for (size_t i = 0; i < LT_N_ROW_KINDS; i++) {
		const char *name = lt_row_kinds[i].kind->name;

		printf("CREATE TABLE IF NOT EXISTS %s AS lifetrace_shard.%s\n"
		       "\tENGINE = Distributed(lifetrace, lifetrace_shard, %s, sipHash64(host));\n",
		       name, name, name);
	}
}

/* The table of which a value has the number of a row; NULL: it is no such number. */
static const char *refers_to(enum lt_value_type type)
{
	switch (type) {
	case LT_VALUE_SITE:
		return "site";
	case LT_VALUE_CACHE:
		return "cache";
	case LT_VALUE_GFP:
		return "gfp";
	case LT_VALUE_STACK:
		return "stack";
	case LT_VALUE_TASK:
		return "task";
	default:
		return NULL;
	}
}

#define WIDTH	100

/* What a row is, and the names of the columns, of each kind that one of the outputs has. */
static void all_names(unsigned int output)
{
	fputs(".. Made by `make -C Documentation tables` from the kinds of rows.\n\n", stdout);
	for (size_t i = 0; i < LT_N_ROW_KINDS; i++) {
		const struct lt_row_kind *kind = lt_row_kinds[i].kind;
		const struct lt_column **columns;
		size_t n = lt_row_columns(kind, output, &columns);
		int at = n ? printf("``%s``\n    A row is %s. Columns:", kind->name,
			    kind->meaning) : 0;

		at -= n ? strlen(kind->name) + 5 : 0;
		for (size_t k = 0; k < n; k++) {
			const char *to = output == LT_COLUMN_SQL ? refers_to(columns[k]->type) :
				NULL;
			char word[64];
			int len = snprintf(word, sizeof(word), "%s%s%s%s%c", columns[k]->name,
					   to ? " (" : "", to ? to : "", to ? ")" : "",
					   k + 1 < n ? ',' : '.');

			at = at + 1 + len > WIDTH ? printf("\n    %s", word) - 1 :
				at + printf(" %s", word);
		}
		if (n)
			putchar('\n');
		free(columns);
	}
}

static void names_in_tables(void)
{
	all_names(LT_COLUMN_FLEET);
}

static void names_in_sql(void)
{
	all_names(LT_COLUMN_SQL);
}

/* ------------------------------------------------------------------------
 * Views of DuckDB, which are files
 */

static FILE *begin_file(const char *dir, const char *name, const char *about)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s.sql", dir, name);
	out = fopen(path, "w");
	if (!out) {
		perror(path);
		exit(2);
	}
	fprintf(out, "-- SPDX-License-Identifier: GPL-2.0\n--\n"
		"-- Made by `make -C Documentation tables` from the kinds of rows.\n--\n%s", about);
	return out;
}

static void view(FILE *out, const char *name)
{
	fprintf(out, "\nCREATE OR REPLACE VIEW %s AS SELECT * FROM read_parquet(\n"
		"\tgetvariable('lake') || '/%s/*/*/*.parquet', union_by_name = true,\n"
		"\thive_partitioning = true, hive_types = { date: DATE, host: VARCHAR });\n",
		name, name);
}

/* Tables that every export has are together, since a view of no file is an error. */
static bool in_each_export(const struct lt_row_kind *kind)
{
	return kind == &lt_rows_of_trace || kind == &lt_rows_of_minute;
}

static void all_duckdb(const char *dir)
{
	FILE *out = begin_file(dir, "views",
		"-- The tables of `lifetrace export --format=parquet` for DuckDB, as views of the files below a\n"
		"-- directory:\n--\n"
		"--\t{ echo \"SET VARIABLE lake = '/path/to/directory';\"; cat views.sql QUESTION.sql; } | duckdb\n--\n"
		"-- Folders have date and host; a query that names them opens these files only.\n");
	char about[256];

	for (size_t i = LT_N_ROW_KINDS; i--;) {
		if (in_each_export(lt_row_kinds[i].kind))
			view(out, lt_row_kinds[i].kind->name);
	}
	fclose(out);
	for (size_t i = 0; i < LT_N_ROW_KINDS; i++) {
		const char *name = lt_row_kinds[i].kind->name;

		if (in_each_export(lt_row_kinds[i].kind))
			continue;
		snprintf(about, sizeof(about), "-- The table of `lifetrace export --format=parquet "
			 "--tables=%s`, as views.sql has the others.\n", name);
		out = begin_file(dir, name, about);
		view(out, name);
		fclose(out);
	}
}

static void all_rst(void)
{
	fputs(".. SPDX-License-Identifier: GPL-2.0\n.. Made by `make -C Documentation tables` from the kinds of rows.\n\n"
	      "=======================\nColumns of large tables\n=======================\n\n"
	      "The columns of the rows that a trace has in millions. *lines* are ``--csv`` and ``--json`` of the\n"
	      "commands lifetimes, tasks, syscalls and calls; *tables* are those of ``export --format=parquet`` and\n"
	      "``clickhouse``, in front of whose columns stand session, boot_id, kernel, machine and minute; *SQL*\n"
	      "is ``export --format=sqlite`` and ``sql``, in front of whose columns stands id. The order is that of\n"
	      "the columns; what *lines* have on a condition comes last there.\n", stdout);
	for (size_t i = 0; i < LT_N_ROW_KINDS; i++)
		rst(&lt_row_kinds[i]);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *word;
		void (*print)(void);
	} outputs[] = {
		{ "rst", all_rst }, { "tables", names_in_tables }, { "sql", names_in_sql },
		{ "clickhouse", all_clickhouse }, { "distributed", all_distributed },
	};

	if (argc == 3 && !strcmp(argv[1], "duckdb")) {
		all_duckdb(argv[2]);
		return 0;
	}

	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		if (argc != 2 || strcmp(argv[1], outputs[i].word))
			continue;
		outputs[i].print();
		return 0;
	}
	fputs("usage: rows rst|tables|sql|clickhouse|distributed\n       rows duckdb DIR\n",
	      stderr);
	return 2;
}
