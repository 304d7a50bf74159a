// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which files are the parts of one recording. Sets are kept until the program ends, or until they
 * are released, so that each pass over a trace reads the same files, whatever a recorder adds or
 * deletes meanwhile.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "format/block.h"

#define FIRST_BLOCKS	16	/* the PART block is among them */

/* All sets, under @sets_lock: traces are opened by any thread. */
static struct lt_set *all_sets;
static pthread_mutex_t sets_lock = PTHREAD_MUTEX_INITIALIZER;

/**
 * struct identity - what a file says of itself
 * @set: the word that all parts of a recording have in common; empty: the file is no part
 * @flight: 1: it is a snapshot of a flight recorder
 * @window: 1: it was cut out of a trace
 * @until: of a window: its end, clock units; UINT64_MAX: it ends with the trace
 * @schema: checksum of the text SCHEMA
 */
struct identity {
	char set[80];
	uint64_t number;
	uint64_t flight;
	uint64_t window;
	uint64_t until;
	uint32_t schema;
};

static void read_part(struct identity *id, const char *text)
{
	bool numbered = false;
	const char *line;
	size_t len;

	while (lt_line(&text, &line, &len)) {
		if (len > 4 && len - 4 < sizeof(id->set) && !memcmp(line, "set=", 4)) {
			memcpy(id->set, line + 4, len - 4);
			id->set[len - 4] = 0;
		}
		numbered |= lt_assigned(line, len, "part", &id->number);
		lt_assigned(line, len, "flight", &id->flight);
		lt_assigned(line, len, "window", &id->window);
		lt_assigned(line, len, "until", &id->until);
	}
	if (!numbered)
		id->set[0] = 0;
}

static void identify(const struct lt_file *f, struct identity *id)
{
	struct lt_buf payload = { 0 }, packed = { 0 };
	uint64_t at = LT_FILE_FIRST;
	struct lt_file_window window;
	struct lt_block b;
	struct lt_why why;

	*id = (struct identity){ .until = UINT64_MAX };
	lt_file_read_small(f, &window);
	for (int i = 0; i < FIRST_BLOCKS && !id->set[0]; i++, at = lt_block_end(&b)) {
		if (lt_file_block(f, at, &b, &why) != LT_BLOCK_OK || b.type == LT_BLOCK_PACKET)
			break;
		if (b.type == LT_BLOCK_SCHEMA && !b.flags)
			id->schema = b.payload_crc;
		else if ((b.type != LT_BLOCK_PART && b.type != LT_BLOCK_SCHEMA) ||
			 lt_file_payload(f, &b, &payload, &packed, &why))
			continue;
		else if (b.type == LT_BLOCK_PART)
			read_part(id, (const char *)payload.data);
		else
			id->schema = lt_crc32c(0, payload.data, payload.size);
	}
	lt_file_read_small(f, NULL);
	lt_buf_free(&payload);
	lt_buf_free(&packed);
}

/* ------------------------------------------------------------------------
 * The files
 */

/* Files that were named or found, with what they say of themselves. */
struct files {
	struct lt_set_file *parts;
	struct identity *ids;
	size_t n;
	size_t cap_parts;
	size_t cap_ids;
};

static void free_files(struct files *fs)
{
	for (size_t i = 0; i < fs->n; i++)
		free(fs->parts[i].path);
	free(fs->parts);
	free(fs->ids);
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && !strcmp(name + n - m, end);
}

static void keep_file(struct files *fs, const struct lt_file *f, const struct identity *id)
{
	struct lt_set_file *part;
	struct stat st;

	fs->parts = lt_grow(fs->parts, &fs->cap_parts, fs->n, sizeof(*fs->parts));
	fs->ids = lt_grow(fs->ids, &fs->cap_ids, fs->n, sizeof(*fs->ids));
	fs->ids[fs->n] = *id;
	part = &fs->parts[fs->n++];
	*part = (struct lt_set_file){
		.path = lt_strdup(f->path), .size = f->size, .number = id->number,
		.until = id->until, .minor = f->minor,
	};
	if (!fstat(f->fd, &st)) {
		part->device = st.st_dev;
		part->inode = st.st_ino;
	}
}

/* Return: 0, or -1 after lt_error(). */
static int add_file(struct files *fs, const char *path)
{
	struct lt_file *f;
	struct identity id;

	if (!strcmp(path, "-")) {
		lt_error("standard input is a trace of its own; several files are read by their "
			 "names");
		return -1;
	}
	f = lt_file_open_one(path);
	if (!f)
		return -1;
	identify(f, &id);
	keep_file(fs, f, &id);
	lt_file_close(f);
	return 0;
}

/*
 * A file of a directory. One that the recorder has not finished may have been begun a moment
 * ago, or just before the recorder was killed: it is left out if it does not say yet what it is.
 */
static int add_found(struct files *fs, const char *path)
{
	struct lt_file_header h;
	size_t n = fs->n;
	struct stat st;

	if (ends_with(path, ".part") && !stat(path, &st) && (size_t)st.st_size < sizeof(h)) {
		lt_warn("%s: nothing is in this part yet; it is left out", path);
		return 0;
	}
	if (add_file(fs, path))
		return -1;
	if (ends_with(path, ".part") && !fs->ids[n].set[0]) {
		lt_warn("%s: nothing of this part can be read yet; it is left out", path);
		free(fs->parts[--fs->n].path);
	}
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of the trace files of a directory, in order; each is to be freed. */
static char **list(const char *path, size_t *n)
{
	DIR *dir = opendir(path);
	char **names = NULL;
	struct dirent *e;
	size_t cap = 0;

	*n = 0;
	if (!dir) {
		lt_error("%s: %s", path, strerror(errno));
		return NULL;
	}
	while ((e = readdir(dir))) {
		if (!ends_with(e->d_name, ".lt") && !ends_with(e->d_name, ".lt.part"))
			continue;
		names = lt_grow(names, &cap, *n, sizeof(*names));
		names[(*n)++] = lt_format("%s/%s", path, e->d_name);
	}
	closedir(dir);
	if (!*n)
		lt_error("%s: expected a trace, or the parts of one, found no file *.lt in this "
			 "directory", path);
	else
		qsort(names, *n, sizeof(*names), by_name);
	return names;
}

static int add_directory(struct files *fs, const char *path)
{
	size_t n, before = fs->n;
	char **names = list(path, &n);
	int err = n ? 0 : -1;

	for (size_t i = 0; i < n; i++) {
		if (!err)
			err = add_found(fs, names[i]);
		free(names[i]);
	}
	free(names);
	if (!err && fs->n == before) {
		lt_error("%s: no part of a trace that can be read is in this directory", path);
		err = -1;
	}
	return err;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* ------------------------------------------------------------------------
 * Whether they are one trace
 */

static int check_pair(const struct lt_set_file *a, const struct identity *x,
		      const struct lt_set_file *b, const struct identity *y)
{
	if (a->device == b->device && a->inode == b->inode) {
		lt_error("%s: this file is given twice (%s)", b->path, a->path);
		return -1;
	}
	if (x->flight == 1 || y->flight == 1) {
		lt_error("%s is a snapshot of a flight recorder, a trace of its own, which may overlap the "
			 "next one; name one file", x->flight == 1 ? a->path : b->path);
		return -1;
	}
	if (!x->set[0] || !y->set[0]) {
		lt_error("%s: expected a part of a recording that was cut (record --rotate), found a "
			 "trace of its own; only parts of one recording are read together",
			 x->set[0] ? b->path : a->path);
		return -1;
	}
	if (strcmp(x->set, y->set)) {
		lt_error("%s and %s are parts of different recordings, %s and %s; name the files of "
			 "one of them", a->path, b->path, x->set, y->set);
		return -1;
	}
	if (x->schema != y->schema) {
		lt_error("%s and %s: their texts SCHEMA differ, which is not possible in parts of "
			 "one recording; one of them is damaged", a->path, b->path);
		return -1;
	}
	if (x->window != y->window) {
		lt_error("%s is a window that was cut out of a trace, %s a part of a recording; "
			 "name files of one kind", x->window ? a->path : b->path,
			 x->window ? b->path : a->path);
		return -1;
	}
	if (x->window && a->number <= b->number && b->until <= a->until) {
		lt_error("%s: all of this window is in that of %s; name only the larger one",
			 b->path, a->path);
		return -1;
	}
	if (!x->window && a->number == b->number) {
		lt_error("%s and %s are both part %" PRIu64 " of one recording; name one of them",
			 a->path, b->path, b->number);
		return -1;
	}
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const struct lt_set_file *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->until > y->until ? -1 : x->until < y->until;
}

/* Checks that the files are different parts of one recording, and brings them in their order. */
static int put_in_order(struct files *fs)
{
	for (size_t i = 1; i < fs->n; i++) {
		if (check_pair(&fs->parts[0], &fs->ids[0], &fs->parts[i], &fs->ids[i]))
			return -1;
	}
	qsort(fs->parts, fs->n, sizeof(*fs->parts), by_number);
	for (size_t i = 1; i < fs->n; i++) {
		/* All are of one recording by now. */
		if (check_pair(&fs->parts[i - 1], &fs->ids[0], &fs->parts[i], &fs->ids[0]))
			return -1;
	}
	return 0;
}

/* ------------------------------------------------------------------------
 * All sets
 */

static struct lt_set *registered(const char *name)
{
	struct lt_set *set = all_sets;

	while (set && strcmp(set->name, name))
		set = set->next;
	return set;
}

/* Takes the name and the files. */
static struct lt_set *register_set(char *name, struct files *fs)
{
	struct lt_set *set = lt_alloc(sizeof(*set));

	set->name = name;
	set->parts = fs->parts;
	set->n = fs->n;
	for (size_t i = 0; i < set->n; i++) {
		set->parts[i].base = set->size;
		set->size += set->parts[i].size;
	}
	set->next = all_sets;
	all_sets = set;
	free(fs->ids);
	return set;
}

static int find(const char *path, struct lt_set **set)
{
	struct files fs = { .n = 0 };

	*set = registered(path);
	if (*set || !is_directory(path))
		return 0;
	if (add_directory(&fs, path) || put_in_order(&fs)) {
		free_files(&fs);
		return -1;
	}
	*set = register_set(lt_strdup(path), &fs);
	return 0;
}

int lt_set_find(const char *path, const struct lt_set **set)
{
	struct lt_set *found;
	int err;

	pthread_mutex_lock(&sets_lock);
	err = find(path, &found);
	if (found && !found->held)
		found->held = 1;
	pthread_mutex_unlock(&sets_lock);
	*set = found;
	return err;
}

/* What the set is called in messages. No other set has this name, and no file. */
static char *name_of(const struct files *fs)
{
	char *name = lt_format("%s + %zu more", fs->parts[0].path, fs->n - 1);

	while (registered(name) || !access(name, F_OK)) {
		char *longer = lt_format("%s parts", name);

		free(name);
		name = longer;
	}
	return name;
}

/* Return: @path, or the name of a set; NULL after lt_error(). */
static const char *name_set(const char *const paths[], size_t n)
{
	struct files fs = { .n = 0 };
	struct lt_set *set;
	int err = 0;

	if (n == 1)
		return find(paths[0], &set) ? NULL : paths[0];
	for (size_t i = 0; i < n && !err; i++) {
		if (is_directory(paths[i]))
			err = add_directory(&fs, paths[i]);
		else
			err = add_file(&fs, paths[i]);
	}
	if (err || put_in_order(&fs)) {
		free_files(&fs);
		return NULL;
	}
	return register_set(name_of(&fs), &fs)->name;
}

/* name_set(), with the set held. */
static const char *hold_set(const char *const paths[], size_t n)
{
	const char *name = name_set(paths, n);
	struct lt_set *set = name ? registered(name) : NULL;

	if (set)
		set->held++;
	return name;
}

const char *lt_set_name(const char *const paths[], size_t n)
{
	const char *name;

	pthread_mutex_lock(&sets_lock);
	name = hold_set(paths, n);
	pthread_mutex_unlock(&sets_lock);
	return name;
}

char *lt_set_hold(const char *const paths[], size_t n)
{
	const char *name;
	char *copy;

	pthread_mutex_lock(&sets_lock);
	name = hold_set(paths, n);
	copy = name ? lt_strdup(name) : NULL;
	pthread_mutex_unlock(&sets_lock);
	return copy;
}

static void free_set(struct lt_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		free(set->parts[i].path);
	free(set->parts);
	free(set->name);
	free(set);
}

void lt_set_release(char *name)
{
	struct lt_set **at = &all_sets, *gone;

	if (!name)
		return;
	pthread_mutex_lock(&sets_lock);
	while (*at && strcmp((*at)->name, name))
		at = &(*at)->next;
	if (*at && !--(*at)->held) {
		gone = *at;
		*at = gone->next;
		free_set(gone);
	}
	pthread_mutex_unlock(&sets_lock);
	free(name);
}
