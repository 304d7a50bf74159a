// SPDX-License-Identifier: GPL-2.0
/*
 * The files of the tables of a fleet.
 *
 * Rows come almost in order of time, so that few dates are in use at once: a table has some open
 * files, and opens another one, with the next number, for a date that it closed before.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/owner.h"
#include "forms/files.h"
#include "forms/publish.h"
#include "forms/table.h"
#include "out/log.h"
#include "out/output.h"

#define OPEN_FILES	8

/**
 * struct file - an open file
 * @table: of which rows it has; NULL: none is open
 * @day: of its rows, since 1970
 * @used: when it was used last, as lt_rows.clock
 * @date: the day as text
 * @out: the file
 * @rows: what is written to it
 */
struct file {
	const struct lt_rows_table *table;
	uint64_t day;
	uint64_t used;
	char date[32];
	struct lt_out out;
	struct lt_table rows;
};

/**
 * struct lt_rows - the tables of a trace
 * @files: those that are open
 * @current: that of the current row
 * @clock: rows so far
 * @names: of all files that were made, without ".part"
 * @n_names: their number
 * @n_published: of these, the first ones have their names, or get them
 * @publish: gives them their names
 */
struct lt_rows {
	enum lt_format format;
	char *dir;
	char *host;
	char *folder;
	char *stem;
	struct file files[OPEN_FILES];
	struct file *current;
	uint64_t clock;
	char **names;
	size_t n_names;
	size_t cap_names;
	size_t n_published;
	struct lt_publish publish;
};

/* The name of a folder for any text: bytes that are special in paths, or to readers, are %HH. */
static char *folder_of(const char *host)
{
	char *name = lt_alloc(3 * LT_ROWS_HOST + 1), *p = name;

	for (size_t i = 0; i < LT_ROWS_HOST && host[i]; i++) {
		unsigned char c = (unsigned char)host[i];
		bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
			     (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || (c == '.' && i);

		p += plain ? sprintf(p, "%c", c) : sprintf(p, "%%%02X", c);
	}
	return name;
}

struct lt_rows *lt_rows_new(enum lt_format format, const char *dir, const char *host,
			    const char *stem)
{
	struct lt_rows *r = lt_alloc(sizeof(*r));

	r->format = format;
	r->dir = lt_strdup(dir);
	r->host = lt_strdup(host);
	r->folder = folder_of(host);
	r->stem = lt_strdup(stem);
	return r;
}

/* ------------------------------------------------------------------------
 * Files
 */

static int close_file(struct lt_rows *r, struct file *f)
{
	int err;

	if (!f->table)
		return 0;
	lt_table_end(&f->rows);
	lt_out_flush(&f->out);
	err = f->out.error;
	free(f->out.buf);
	if (close(f->out.fd) && !err)
		err = errno;
	if (err)
		lt_error("%s: cannot write a file of the table %s: %s", r->dir, f->table->name,
			 strerror(err));
	f->table = NULL;
	return err ? -1 : 0;
}

/* Makes the folders of a path below @dir. */
static int make_folders(const char *dir, char *path)
{
	for (char *p = path + strlen(dir) + 1; (p = strchr(p, '/')); p++) {
		int err;

		*p = 0;
		err = mkdir(path, 0700) ? errno : 0;
		if (!err)
			lt_owner_give_dir(path);
		else if (err == EEXIST)
			err = 0;
		if (err)
			lt_error("%s: cannot make the directory: %s", path, strerror(err));
		*p = '/';
		if (err)
			return -1;
	}
	return 0;
}

/* How many files of this folder the export has made. */
static unsigned int count_names(const struct lt_rows *r, const char *folder)
{
	unsigned int n = 0;

	for (size_t i = 0; i < r->n_names; i++)
		n += !strncmp(r->names[i], folder, strlen(folder));
	return n;
}

static int create(struct lt_rows *r, struct file *f, const struct lt_rows_table *table)
{
	char *folder = lt_format("%s/%s/date=%s/host=%s/", r->dir, table->name, f->date,
				 r->folder[0] ? r->folder : "unknown");
	char *name = lt_format("%s%s-%u.%s", folder, r->stem, count_names(r, folder),
			       lt_forms[r->format]->name);
	char *part = lt_format("%s.part", name);
	int err = make_folders(r->dir, name);

	free(folder);
	if (!err) {
		/* What another export that was killed has left. */
		unlink(part);
		lt_output_watch(part);
		f->out.fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (f->out.fd < 0) {
			lt_error("%s: cannot open for writing: %s", part, strerror(errno));
			lt_output_unwatch(part);
			err = -1;
		} else {
			lt_owner_give(f->out.fd);
		}
	}
	free(part);
	if (err) {
		free(name);
		return -1;
	}
	r->names = lt_grow(r->names, &r->cap_names, r->n_names, sizeof(*r->names));
	r->names[r->n_names++] = name;
	return 0;
}

/* Columns that files of the form do not have. */
static size_t n_left_out(const struct lt_rows *r)
{
	return r->format == LT_FORMAT_PARQUET ? LT_ROWS_DATED : 0;
}

/* In place of the one that was not used for longest. */
static struct file *open_file(struct lt_rows *r, const struct lt_rows_table *table, uint64_t day)
{
	time_t seconds = (time_t)(day * 86400);
	struct file *f = &r->files[0];
	struct tm tm;

	for (unsigned int i = 1; i < OPEN_FILES && f->table; i++) {
		if (!r->files[i].table || r->files[i].used < f->used)
			f = &r->files[i];
	}
	if (close_file(r, f))
		return NULL;
	f->day = day;
	if (!gmtime_r(&seconds, &tm) || !strftime(f->date, sizeof(f->date), "%Y-%m-%d", &tm))
		snprintf(f->date, sizeof(f->date), "unknown");
	f->out = (struct lt_out)LT_OUT_INIT(-1);
	if (create(r, f, table))
		return NULL;
	f->table = table;
	f->rows = (struct lt_table){
		.out = &f->out, .format = r->format, .name = table->name, .strict = true,
		.columns = table->columns + n_left_out(r), .n_columns = table->n - n_left_out(r),
	};
	lt_table_begin(&f->rows);
	return f;
}

/* ------------------------------------------------------------------------
 * Rows
 */

struct lt_table *lt_rows_begin(struct lt_rows *r, const struct lt_rows_table *table, uint64_t day)
{
	struct file *f = NULL;

	for (unsigned int i = 0; i < OPEN_FILES && !f; i++) {
		if (r->files[i].table == table && r->files[i].day == day)
			f = &r->files[i];
	}
	if (!f)
		f = open_file(r, table, day);
	r->current = f;
	if (!f)
		return NULL;
	f->used = ++r->clock;
	if (!n_left_out(r)) {
		lt_table_text(&f->rows, 0, f->date);
		lt_table_text(&f->rows, 1, r->host);
	}
	return &f->rows;
}

int lt_rows_end(struct lt_rows *r)
{
	lt_forms[r->format]->row(&r->current->rows);
	if (!r->current->out.error)
		return 0;
	lt_error("%s: cannot write a file of the table %s: %s", r->dir, r->current->table->name,
		 strerror(r->current->out.error));
	return -1;
}

static void remove_part(const char *name)
{
	char *part = lt_format("%s.part", name);

	unlink(part);
	lt_output_unwatch(part);
	free(part);
}

static int publish(struct lt_rows *r, bool failed)
{
	char *const *names = r->names + r->n_published;
	size_t n = r->n_names - r->n_published;
	int err = lt_publish_wait(&r->publish);

	for (unsigned int i = 0; i < OPEN_FILES; i++)
		err |= close_file(r, &r->files[i]);
	for (size_t i = 0; i < n && (failed || err); i++)
		remove_part(names[i]);
	if (!failed && !err && n)
		lt_publish_begin(&r->publish, r->dir, names, n);
	r->n_published = r->n_names;
	return err ? -1 : 0;
}

int lt_rows_publish(struct lt_rows *r)
{
	return publish(r, false);
}

int lt_rows_check(struct lt_rows *r)
{
	return lt_publish_ended(&r->publish) ? lt_publish_wait(&r->publish) : 0;
}

int lt_rows_finish(struct lt_rows *r, bool failed)
{
	int err = publish(r, failed);

	if (lt_publish_wait(&r->publish))
		err = -1;
	for (size_t i = 0; i < r->n_names; i++)
		free(r->names[i]);
	free(r->names);
	free(r->dir);
	free(r->host);
	free(r->folder);
	free(r->stem);
	free(r);
	return err ? -1 : 0;
}
