// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of tables in a database of SQLite. The library is loaded when a database is asked for, so
 * that the tool runs without it; its functions are those that each of its versions since 3.5 has.
 *
 * The library takes a name, not a descriptor, and what a name means can change in a folder of
 * somebody else. So the database is made in a folder of this process's own, and copied to the
 * descriptor.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/library.h"
#include "base/mem.h"
#include "forms/sqlwriter.h"
#include "out/log.h"
#include "out/output.h"

#ifdef LT_HAVE_SQLITE

#define SQLITE_OK	0
#define SQLITE_DONE	101
#define OPEN_READWRITE	0x6		/* SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE */

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

/* The functions of the library, as sqlite3.h declares them: result, name, arguments. */
#define FUNCTIONS(F)								\
	F(int, open_v2, (const char *name, sqlite3 **db, int flags, const char *vfs))	\
	F(int, exec, (sqlite3 *db, const char *sql, void *callback, void *arg, char **error))	\
	F(int, prepare_v2, (sqlite3 *db, const char *sql, int len, sqlite3_stmt **stmt,	\
			    const char **tail))					\
	F(int, bind_null, (sqlite3_stmt *stmt, int i))				\
	F(int, bind_int64, (sqlite3_stmt *stmt, int i, long long v))		\
	F(int, bind_text, (sqlite3_stmt *stmt, int i, const char *s, int len, void *destroy))	\
	F(int, step, (sqlite3_stmt *stmt))					\
	F(int, reset, (sqlite3_stmt *stmt))					\
	F(int, finalize, (sqlite3_stmt *stmt))					\
	F(const char *, errmsg, (sqlite3 *db))					\
	F(int, close, (sqlite3 *db))

struct functions {
#define MEMBER(type, name, args)	type (*name) args;
	FUNCTIONS(MEMBER)
};

/**
 * struct database - a writer
 * @path: name of the output, in messages
 * @fd: of it
 * @dir: a folder of its own, with @file in it
 * @table: of @stmt, which inserts a row
 * @column: of the next value, from 1
 * @failed: what is wrong was printed
 */
struct database {
	struct lt_sql sql;
	const struct functions *f;
	char *path;
	int fd;
	char *dir;
	char *file;
	sqlite3 *db;
	const struct lt_sql_table *table;
	sqlite3_stmt *stmt;
	int column;
	bool failed;
};

static const struct functions *load(void)
{
	static struct functions functions;
	static bool loaded;
#define NAME(type, name, args)	"sqlite3_" #name,
	static const char *const names[] = { FUNCTIONS(NAME) };
	static const struct lt_library sqlite = {
		.file = "libsqlite3.so.0", .package = "libsqlite3-0", .names = names,
		.n = sizeof(functions) / sizeof(functions.exec),
	};
	struct lt_why why;

	if (!loaded)
		loaded = lt_library_load(&sqlite, &functions, &why);
	if (!loaded)
		lt_error("%s; --format=sql needs no library", why.text);
	return loaded ? &functions : NULL;
}

/* Once: what follows a failure fails for the same reason. */
static void check(struct database *q, int result, int expected)
{
	if (result == expected || q->failed)
		return;
	q->failed = true;
	lt_error("%s: cannot write the database: %s", q->path, q->f->errmsg(q->db));
}

static void exec(struct database *q, const char *sql)
{
	if (!q->failed)
		check(q, q->f->exec(q->db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static void end_table(struct database *q)
{
	if (q->stmt)
		q->f->finalize(q->stmt);
	q->stmt = NULL;
	q->table = NULL;
}

static void db_run(struct lt_sql *sql, const char *statements)
{
	struct database *q = (struct database *)sql;

	end_table(q);
	exec(q, statements);
}

static void db_create(struct lt_sql *sql, const struct lt_sql_table *t)
{
	struct lt_out text = LT_OUT_INIT(-1);

	lt_sql_put_create(&text, t);
	lt_out_char(&text, 0);
	db_run(sql, text.buf);
	free(text.buf);
}

static void db_row(struct lt_sql *sql, const struct lt_sql_table *t)
{
	struct database *q = (struct database *)sql;
	struct lt_out text = LT_OUT_INIT(-1);

	q->column = 1;
	if (q->table == t)
		return;
	end_table(q);
	q->table = t;
	lt_out_str(&text, "INSERT INTO ");
	lt_out_str(&text, t->name);
	for (size_t i = 0; i < t->n; i++)
		lt_out_str(&text, i ? ",?" : " VALUES(?");
	lt_out_char(&text, ')');
	lt_out_char(&text, 0);
	if (!q->failed)
		check(q, q->f->prepare_v2(q->db, text.buf, -1, &q->stmt, NULL), SQLITE_OK);
	free(text.buf);
}

static void db_null(struct lt_sql *sql)
{
	struct database *q = (struct database *)sql;

	if (!q->failed)
		check(q, q->f->bind_null(q->stmt, q->column++), SQLITE_OK);
}

static void db_integer(struct lt_sql *sql, int64_t v)
{
	struct database *q = (struct database *)sql;

	if (!q->failed)
		check(q, q->f->bind_int64(q->stmt, q->column++, v), SQLITE_OK);
}

/* The library copies the text (SQLITE_TRANSIENT, which is -1). */
static void db_text(struct lt_sql *sql, const char *s, size_t len)
{
	struct database *q = (struct database *)sql;

	if (!q->failed)
		check(q, q->f->bind_text(q->stmt, q->column++, s, (int)len, (void *)(intptr_t)-1),
		      SQLITE_OK);
}

static void db_row_end(struct lt_sql *sql)
{
	struct database *q = (struct database *)sql;

	if (q->failed)
		return;
	check(q, q->f->step(q->stmt), SQLITE_DONE);
	q->f->reset(q->stmt);
}

/* Return: 0, or -1 with errno. */
static int copy(int to, int from)
{
	char buf[65536];
	ssize_t n;

	while ((n = read(from, buf, sizeof(buf))) > 0) {
		for (ssize_t at = 0, done; at < n; at += done) {
			done = write(to, buf + at, (size_t)(n - at));
			if (done < 0)
				return -1;
		}
	}
	return n < 0 ? -1 : 0;
}

static void hand_over(struct database *q)
{
	int fd = open(q->file, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || copy(q->fd, fd)) {
		lt_error("%s: cannot write: %s", q->path, strerror(errno));
		q->failed = true;
	}
	if (fd >= 0)
		close(fd);
}

static void remove_files(struct database *q)
{
	unlink(q->file);
	lt_output_unwatch(q->file);
	rmdir(q->dir);
	free(q->file);
	free(q->dir);
	free(q->path);
	free(q);
}

static int db_close(struct lt_sql *sql, bool whole)
{
	struct database *q = (struct database *)sql;
	int err;

	db_run(sql, whole ? "COMMIT" : "ROLLBACK");
	q->f->close(q->db);
	if (whole && !q->failed)
		hand_over(q);
	err = q->failed ? -1 : 0;
	remove_files(q);
	return err;
}

/* Return: 0, or -1 after printing what is wrong. */
static int make_folder(struct database *q)
{
	const char *tmp = getenv("TMPDIR");

	q->dir = lt_format("%s/lifetrace.XXXXXX", tmp && *tmp ? tmp : "/var/tmp");
	if (!mkdtemp(q->dir)) {
		lt_error("%s: cannot make a folder for the database: %s; TMPDIR names another place",
			 q->dir, strerror(errno));
		return -1;
	}
	q->file = lt_format("%s/export.db", q->dir);
	lt_output_watch(q->file);
	return 0;
}

struct lt_sql *lt_sql_database(int fd, const char *path)
{
	static const struct lt_sql_ops ops = {
		.create = db_create, .row = db_row, .null = db_null, .integer = db_integer,
		.text = db_text, .row_end = db_row_end, .run = db_run, .close = db_close,
	};
	const struct functions *f = load();
	struct database *q;

	if (!f)
		return NULL;
	q = lt_alloc(sizeof(*q));
	q->sql.ops = &ops;
	q->f = f;
	q->fd = fd;
	q->path = lt_strdup(path);
	if (make_folder(q)) {
		free(q->dir);
		free(q->path);
		free(q);
		return NULL;
	}
	check(q, f->open_v2(q->file, &q->db, OPEN_READWRITE, NULL), SQLITE_OK);
	/* Nobody sees the file before it is whole: a journal would protect nothing. */
	exec(q, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN");
	if (!q->failed)
		return &q->sql;
	f->close(q->db);
	remove_files(q);
	return NULL;
}

#else /* LT_HAVE_SQLITE */

struct lt_sql *lt_sql_database(int fd, const char *path)
{
	(void)fd;
	lt_error("%s: this lifetrace is a static program, which loads no libsqlite3: use --format=sql, and make the database with sqlite3",
		 path);
	return NULL;
}

#endif /* LT_HAVE_SQLITE */
