// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of an SQL export. Those of kinds of rows follow from these (user/lib/rows); what a row
 * refers to has a table of its own. A view joins them to what `lifetimes --csv` prints, and sums
 * have the names of `report --csv`.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "export/sql_tables.h"

#define N(array)	(sizeof(array) / sizeof((array)[0]))

static const struct lt_sql_column trace_columns[] = { { "key", "TEXT" }, { "value", "TEXT" } };
static const struct lt_sql_column cache_columns[] = {
	{ "id", "INTEGER PRIMARY KEY" }, { "name", "TEXT" },
};
static const struct lt_sql_column site_columns[] = {
	{ "id", "INTEGER PRIMARY KEY" }, { "name", "TEXT" }, { "function", "TEXT" },
	{ "byte_offset", "INTEGER" }, { "module", "TEXT" },
};
static const struct lt_sql_column task_columns[] = {
	{ "id", "INTEGER PRIMARY KEY" }, { "tid", "INTEGER" }, { "tgid", "INTEGER" },
	{ "start_ns", "INTEGER" }, { "comm", "TEXT" },
};
static const struct lt_sql_column gfp_columns[] = {
	{ "flags", "INTEGER PRIMARY KEY" }, { "name", "TEXT" },
};
static const struct lt_sql_column frame_columns[] = {
	{ "stack", "INTEGER" }, { "depth", "INTEGER" }, { "site", "INTEGER REFERENCES site" },
};

const struct lt_sql_table lt_sql_trace = { "trace", trace_columns, N(trace_columns), NULL };
const struct lt_sql_table lt_sql_cache = { "cache", cache_columns, N(cache_columns), NULL };
const struct lt_sql_table lt_sql_site = { "site", site_columns, N(site_columns), NULL };
const struct lt_sql_table lt_sql_task = { "task", task_columns, N(task_columns), NULL };
const struct lt_sql_table lt_sql_gfp = { "gfp", gfp_columns, N(gfp_columns), NULL };
const struct lt_sql_table lt_sql_frame = {
	"frame", frame_columns, N(frame_columns), "PRIMARY KEY(stack, depth)",
};

/* ------------------------------------------------------------------------
 * Kinds of rows
 */

static const char *type_of(enum lt_value_type type)
{
	switch (type) {
	case LT_VALUE_TEXT:
	case LT_VALUE_NAME:
	case LT_VALUE_LIST:
		return "TEXT";
	case LT_VALUE_SITE:
		return "INTEGER REFERENCES site";
	case LT_VALUE_CACHE:
		return "INTEGER REFERENCES cache";
	case LT_VALUE_GFP:
		return "INTEGER REFERENCES gfp";
	case LT_VALUE_TASK:
		return "INTEGER REFERENCES task";
	default:
		return "INTEGER";
	}
}

void lt_sql_kind_init(struct lt_sql_kind *k, const struct lt_row_kind *kind)
{
	struct lt_sql_column *columns;

	k->n = lt_row_columns(kind, LT_COLUMN_SQL, &k->columns);
	k->id = 0;
	columns = lt_alloc_array(k->n + 1, sizeof(*columns));
	columns[0] = (struct lt_sql_column){ "id", "INTEGER PRIMARY KEY" };
	for (size_t i = 0; i < k->n; i++)
		columns[i + 1] = (struct lt_sql_column){ k->columns[i]->name,
							 type_of(k->columns[i]->type) };
	k->table = (struct lt_sql_table){ kind->name, columns, k->n + 1, NULL };
}

void lt_sql_kind_destroy(struct lt_sql_kind *k)
{
	free((void *)k->table.columns);
	free(k->columns);
}

static bool has(const struct lt_sql_kind *k, const char *prefix, size_t len, const char *name)
{
	for (size_t i = 0; i < k->n; i++) {
		if (!strncmp(k->columns[i]->name, prefix, len) &&
		    !strcmp(k->columns[i]->name + len, name))
			return true;
	}
	return false;
}

/*
 * A task is its columns, with what stands before "task" in front: birth_tid, birth_tgid,
 * birth_task_start_ns, birth_comm. What the row itself has is not repeated.
 */
static void put_task(struct lt_out *o, const struct lt_sql_kind *k, size_t i)
{
	static const struct { const char *column, *name; } parts[] = {
		{ "tid", "tid" }, { "tgid", "tgid" }, { "start_ns", "task_start_ns" },
		{ "comm", "comm" },
	};
	const char *name = k->columns[i]->name;
	size_t len = strlen(name) - strlen("task");

	for (size_t p = 0, n = 0; p < N(parts); p++) {
		if (has(k, name, len, parts[p].name))
			continue;
		lt_outf(o, "%st%zu.%s AS %.*s%s", n++ ? ", " : "", i, parts[p].column, (int)len,
			name, parts[p].name);
	}
}

static void put_column(struct lt_out *o, const struct lt_sql_kind *k, size_t i)
{
	const struct lt_column *c = k->columns[i];

	if (c->type == LT_VALUE_TASK)
		put_task(o, k, i);
	else if (c->type == LT_VALUE_SITE || c->type == LT_VALUE_CACHE || c->type == LT_VALUE_GFP)
		lt_outf(o, "t%zu.name AS %s", i, c->name);
	else
		lt_outf(o, "r.%s", c->name);
}

/* Joins the table that a column refers to, as tN. */
static void put_join(struct lt_out *o, const struct lt_column *c, size_t i)
{
	const char *table = type_of(c->type) + strlen("INTEGER REFERENCES ");

	if (strncmp(type_of(c->type), "INTEGER REFERENCES ", strlen("INTEGER REFERENCES ")))
		return;
	lt_outf(o, "\n  LEFT JOIN %s t%zu ON t%zu.%s = r.%s", table, i, i,
		c->type == LT_VALUE_GFP ? "flags" : "id", c->name);
}

void lt_sql_put_view(struct lt_out *o, const struct lt_sql_kind *k)
{
	lt_outf(o, "CREATE VIEW %ss AS SELECT r.id", k->table.name);
	for (size_t i = 0; i < k->n; i++) {
		lt_out_str(o, i % 6 ? ", " : ",\n  ");
		put_column(o, k, i);
	}
	lt_outf(o, "\n  FROM %s r", k->table.name);
	for (size_t i = 0; i < k->n; i++)
		put_join(o, k->columns[i], i);
	lt_out_str(o, ";\n");
}

/* ------------------------------------------------------------------------
 * Views
 */

/* What report adds up: all whose birth was seen, without what the recorder allocated. */
#define SUMS								\
	"count(*) AS allocations, sum(coalesce(l.bytes_alloc, l.bytes_req, 0)) AS bytes,\n" \
	"  sum(max(coalesce(l.bytes_alloc - coalesce(l.bytes_last, l.bytes_req), 0), 0)) AS slack_bytes,\n" \
	"  sum(l.certainty = 'open') AS alive,\n" \
	"  sum(CASE l.certainty WHEN 'open' THEN coalesce(l.bytes_alloc, l.bytes_req, 0) ELSE 0 END) AS alive_bytes,\n" \
	"  sum(l.certainty = 'exact') AS exact,\n" \
	"  avg(CASE l.certainty WHEN 'exact' THEN l.lifetime_ns END) AS mean_ns,\n" \
	"  max(CASE l.certainty WHEN 'exact' THEN l.lifetime_ns END) AS max_ns\n"
#define COUNTED	"  WHERE l.birth_ns IS NOT NULL AND NOT l.recorder"

const char lt_sql_views[] =
	"CREATE INDEX lifetime_birth_ns ON lifetime(birth_ns);\n"
	"CREATE INDEX lifetime_death_ns ON lifetime(death_ns);\n"
	"CREATE INDEX lifetime_cache ON lifetime(cache);\n"
	"CREATE INDEX lifetime_birth_site ON lifetime(birth_site);\n"
	"CREATE INDEX lifetime_birth_task ON lifetime(birth_task);\n"
	"CREATE VIEW by_cache AS SELECT l.space, c.name AS cache, " SUMS
	"  FROM lifetime l LEFT JOIN cache c ON c.id = l.cache\n"
	COUNTED " GROUP BY l.space, l.cache;\n"
	"CREATE VIEW by_site AS SELECT l.space, s.name AS site, " SUMS
	"  FROM lifetime l LEFT JOIN site s ON s.id = l.birth_site\n"
	COUNTED " GROUP BY l.space, l.birth_site;\n"
	"CREATE VIEW by_task AS SELECT l.space, t.tid, t.tgid, t.start_ns, t.comm, " SUMS
	"  FROM lifetime l LEFT JOIN task t ON t.id = l.birth_task\n"
	COUNTED " AND l.birth_ctx = 'task' GROUP BY l.space, l.birth_task;\n"
	"CREATE INDEX syscall_begin_ns ON syscall(begin_ns);\n"
	"CREATE INDEX syscall_name ON syscall(name);\n"
	"CREATE VIEW by_syscall AS SELECT abi, nr, name, count(*) AS calls, sum(error IS NOT NULL) AS errors,\n"
	"  sum(duration_ns) AS time_ns, avg(duration_ns) AS mean_ns, max(duration_ns) AS max_ns FROM syscall\n"
	"  WHERE NOT flags & 2 GROUP BY abi, nr;\n"
	"CREATE VIEW by_request AS SELECT opcode, name, count(*) AS results, sum(error IS NOT NULL) AS errors,\n"
	"  sum(duration_ns) AS time_ns, avg(duration_ns) AS mean_ns, max(duration_ns) AS max_ns FROM request\n"
	"  GROUP BY opcode;\n"
	"CREATE VIEW stack AS SELECT stack AS id, group_concat(name, ' < ') AS frames\n"
	"  FROM (SELECT f.stack, coalesce(s.name, '...') AS name FROM frame f LEFT JOIN site s ON s.id = f.site\n"
	"  ORDER BY f.stack, f.depth) GROUP BY stack;\n"
	"CREATE VIEW sure AS SELECT space, certainty, why, count(*) AS lifetimes FROM lifetime\n"
	"  GROUP BY space, certainty, why;\n";
