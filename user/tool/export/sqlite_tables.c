// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of an SQL export. Columns have the names of `lifetimes --csv`, and sums those of
 * `report --csv`; a view joins the tables to what is printed there.
 */
#include "export/sqlite.h"

const char lt_sql_tables[] =
	"CREATE TABLE trace(key TEXT, value TEXT);\n"
	"CREATE TABLE cache(id INTEGER PRIMARY KEY, name TEXT);\n"
	"CREATE TABLE site(id INTEGER PRIMARY KEY, name TEXT, function TEXT, byte_offset INTEGER, module TEXT);\n"
	"CREATE TABLE task(id INTEGER PRIMARY KEY, tid INTEGER, tgid INTEGER, start_ns INTEGER, comm TEXT);\n"
	"CREATE TABLE gfp(flags INTEGER PRIMARY KEY, name TEXT);\n"
	"CREATE TABLE frame(stack INTEGER, depth INTEGER, site INTEGER REFERENCES site,\n"
	"  PRIMARY KEY(stack, depth)) WITHOUT ROWID;\n"
	"CREATE TABLE lifetime(id INTEGER PRIMARY KEY, space TEXT, kind TEXT, cache INTEGER REFERENCES cache,\n"
	"  bytes_req INTEGER, bytes_alloc INTEGER, gfp INTEGER REFERENCES gfp, node INTEGER,\n"
	"  page_order INTEGER, birth_ns INTEGER, death_ns INTEGER, lifetime_ns INTEGER, certainty TEXT,\n"
	"  ended_by TEXT, rcu_limbo_ns INTEGER, recorder INTEGER,\n"
	"  birth_cpu INTEGER, birth_ctx TEXT, birth_site INTEGER REFERENCES site,\n"
	"  birth_task INTEGER REFERENCES task, birth_stack INTEGER,\n"
	"  death_cpu INTEGER, death_ctx TEXT, death_site INTEGER REFERENCES site,\n"
	"  death_task INTEGER REFERENCES task, death_stack INTEGER, why TEXT, bytes_last INTEGER);\n"
	"CREATE TABLE syscall(id INTEGER PRIMARY KEY, begin_ns INTEGER, end_ns INTEGER, duration_ns INTEGER,\n"
	"  cpu INTEGER, tid INTEGER, task INTEGER REFERENCES task, abi TEXT, nr INTEGER, name TEXT, args TEXT,\n"
	"  result INTEGER, error TEXT, ended TEXT, flags INTEGER, parts INTEGER);\n"
	"CREATE TABLE request(id INTEGER PRIMARY KEY, begin_ns INTEGER, end_ns INTEGER, duration_ns INTEGER,\n"
	"  cpu INTEGER, tid INTEGER, task INTEGER REFERENCES task, opcode INTEGER, name TEXT, user_data TEXT,\n"
	"  result INTEGER, error TEXT, ended TEXT, by_worker INTEGER, goes_on INTEGER, "
	"uncertain INTEGER);\n";

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
	"CREATE VIEW lifetimes AS SELECT l.id, l.space, l.kind, c.name AS cache, l.bytes_req, l.bytes_alloc,\n"
	"  g.name AS gfp, l.node, l.page_order, l.birth_ns, l.death_ns, l.lifetime_ns, l.certainty,\n"
	"  l.ended_by, l.rcu_limbo_ns, l.recorder,\n"
	"  l.birth_cpu, l.birth_ctx, bs.name AS birth_site, bt.tid AS birth_tid, bt.tgid AS birth_tgid,\n"
	"  bt.start_ns AS birth_task_start_ns, bt.comm AS birth_comm, l.birth_stack,\n"
	"  l.death_cpu, l.death_ctx, ds.name AS death_site, dt.tid AS death_tid, dt.tgid AS death_tgid,\n"
	"  dt.start_ns AS death_task_start_ns, dt.comm AS death_comm, l.death_stack, l.why,\n"
	"  l.bytes_last\n"
	"  FROM lifetime l LEFT JOIN cache c ON c.id = l.cache LEFT JOIN gfp g ON g.flags = l.gfp\n"
	"  LEFT JOIN site bs ON bs.id = l.birth_site LEFT JOIN task bt ON bt.id = l.birth_task\n"
	"  LEFT JOIN site ds ON ds.id = l.death_site LEFT JOIN task dt ON dt.id = l.death_task;\n"
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
	"CREATE VIEW syscalls AS SELECT s.id, s.begin_ns, s.end_ns, s.duration_ns, s.cpu, s.tid, t.tgid,\n"
	"  t.start_ns AS task_start_ns, t.comm, s.abi, s.nr, s.name, s.args, s.result, s.error, s.ended,\n"
	"  s.flags, s.parts FROM syscall s LEFT JOIN task t ON t.id = s.task;\n"
	"CREATE VIEW by_syscall AS SELECT abi, nr, name, count(*) AS calls, sum(error IS NOT NULL) AS errors,\n"
	"  sum(duration_ns) AS time_ns, avg(duration_ns) AS mean_ns, max(duration_ns) AS max_ns FROM syscall\n"
	"  WHERE NOT flags & 2 GROUP BY abi, nr;\n"
	"CREATE VIEW requests AS SELECT r.id, r.begin_ns, r.end_ns, r.duration_ns, r.cpu, r.tid, t.tgid,\n"
	"  t.start_ns AS task_start_ns, t.comm, r.opcode, r.name, r.user_data, r.result, r.error, r.ended,\n"
	"  r.by_worker, r.goes_on, r.uncertain FROM request r LEFT JOIN task t ON t.id = r.task;\n"
	"CREATE VIEW by_request AS SELECT opcode, name, count(*) AS results, sum(error IS NOT NULL) AS errors,\n"
	"  sum(duration_ns) AS time_ns, avg(duration_ns) AS mean_ns, max(duration_ns) AS max_ns FROM request\n"
	"  GROUP BY opcode;\n"
	"CREATE VIEW stack AS SELECT stack AS id, group_concat(name, ' < ') AS frames\n"
	"  FROM (SELECT f.stack, coalesce(s.name, '...') AS name FROM frame f LEFT JOIN site s ON s.id = f.site\n"
	"  ORDER BY f.stack, f.depth) GROUP BY stack;\n"
	"CREATE VIEW sure AS SELECT space, certainty, why, count(*) AS lifetimes FROM lifetime\n"
	"  GROUP BY space, certainty, why;\n";
