// SPDX-License-Identifier: GPL-2.0
/*
 * The names in the directory of what was received, and what their files take.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "out/log.h"
#include "stream/room.h"
#include "stream/words.h"

#define LEAST_BYTES	65536	/* that a file counts */
#define CONTINUE_S	86400

uint64_t lt_room_counted(uint64_t size)
{
	return size < LEAST_BYTES ? LEAST_BYTES : (size + 511) / 512 * 512;
}

/* The suffix of a name of ours, and how long the name is without; NULL: it is another file. */
static const char *suffix_of(const char *name, size_t *stem)
{
	static const char *const suffixes[] = { LT_ROOM_PART, LT_ROOM_CUT, LT_ROOM_WHOLE };
	size_t len = strlen(name), bars = 0;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t n = strlen(suffixes[i]);

		if (len <= n || strcmp(name + len - n, suffixes[i]))
			continue;
		*stem = len - n;
		for (size_t k = 0; k < *stem; k++)
			bars += name[k] == '_';
		return *name != '.' && bars == 3 && *stem > LT_TOKEN &&
		       name[*stem - LT_TOKEN - 1] == '_' ? suffixes[i] : NULL;
	}
	return NULL;
}

/*
 * The next file of ours, with that token, or any: NULL; its stem is name[0 .. *stem). NULL: there
 * is none.
 */
static const char *next_file(DIR *d, const char *token, size_t *stem, const char **suffix,
			     struct stat *st)
{
	struct dirent *e;

	while ((e = readdir(d))) {
		*suffix = suffix_of(e->d_name, stem);
		if (*suffix &&
		    (!token || !strncmp(e->d_name + *stem - LT_TOKEN, token, LT_TOKEN)) &&
		    !fstatat(dirfd(d), e->d_name, st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st->st_mode))
			return e->d_name;
	}
	return NULL;
}

/* A stream of the directory of its own, since each has a place of reading. */
static DIR *open_dir(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

	if (!d && fd >= 0)
		close(fd);
	return d;
}

/* ------------------------------------------------------------------------
 * Bytes
 */

/* The number of the host of a name. Senders may make up as many as there are files. */
static size_t host_of(struct lt_room *r, const char *name)
{
	size_t host = lt_names_add(&r->hosts, name, strcspn(name, "_"));

	if (host >= r->n_hosts)
		r->host_bytes = lt_extend(r->host_bytes, &r->n_hosts, host < 16 ? 32 : 2 * host,
					  sizeof(*r->host_bytes));
	return host;
}

/* Blocks behind the end, or of its metadata, count, too. */
static uint64_t bytes_of(const struct stat *st)
{
	uint64_t bytes = lt_room_counted((uint64_t)st->st_size),
		blocks = (uint64_t)st->st_blocks * 512;

	return blocks > bytes ? blocks : bytes;
}

uint64_t lt_room_sum(int dir)
{
	DIR *d = open_dir(dir);
	const char *suffix;
	struct stat st;
	uint64_t sum = 0;
	size_t stem;

	while (d && next_file(d, NULL, &stem, &suffix, &st))
		sum += bytes_of(&st);
	if (d)
		closedir(d);
	return sum;
}

void lt_room_scan(struct lt_room *r, int dir)
{
	DIR *d = open_dir(dir);
	const char *name, *suffix;
	struct stat st;
	size_t stem;

	*r = (struct lt_room){ 0 };
	lt_names_init(&r->hosts);
	while (d && (name = next_file(d, NULL, &stem, &suffix, &st))) {
		uint64_t bytes = bytes_of(&st);
		size_t host = host_of(r, name);

		r->sum += bytes;
		r->host_bytes[host] += bytes;
		r->files = lt_grow(r->files, &r->cap_files, r->n_files, sizeof(*r->files));
		r->files[r->n_files++] = (struct lt_room_file){
			lt_strdup(name), host, bytes, st.st_mtim,
		};
	}
	if (d)
		closedir(d);
}

void lt_room_free(struct lt_room *r)
{
	for (size_t i = 0; i < r->n_files; i++)
		free(r->files[i].name);
	free(r->files);
	free(r->host_bytes);
	lt_names_destroy(&r->hosts);
}

/* ------------------------------------------------------------------------
 * Deleting
 */

/* Whether a file is being received: another process has a lock on it then. */
static bool is_busy(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool busy = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return busy;
}

static bool is_own(const struct lt_room_file *f, const char *own)
{
	size_t len = strlen(own);

	return !strncmp(f->name, own, len) && f->name[len] == '.';
}

/* Whether @a goes before @b: it is of a host that has more, or older. */
static bool goes_before(const struct lt_room *r, const struct lt_room_file *a,
			const struct lt_room_file *b)
{
	uint64_t x = r->host_bytes[a->host], y = r->host_bytes[b->host];

	if (x != y)
		return x > y;
	if (a->host != b->host)
		return a->host < b->host;
	if (a->written.tv_sec != b->written.tv_sec)
		return a->written.tv_sec < b->written.tv_sec;
	return a->written.tv_nsec < b->written.tv_nsec;
}

bool lt_room_delete(struct lt_room *r, int dir, const char *own)
{
	size_t host = host_of(r, own);
	uint64_t least = r->host_bytes[host];
	struct lt_room_file *victim = NULL;

	for (size_t i = 0; i < r->n_files; i++) {
		struct lt_room_file *f = &r->files[i];

		if (f->name && !is_own(f, own) && r->host_bytes[f->host] >= least &&
		    (!victim || goes_before(r, f, victim)) && !is_busy(dir, f->name))
			victim = f;
	}
	if (!victim || unlinkat(dir, victim->name, 0))
		return false;
	lt_warn("%s: deleted, to make room", victim->name);
	r->sum -= victim->bytes;
	r->host_bytes[victim->host] -= victim->bytes;
	free(victim->name);
	victim->name = NULL;
	return true;
}

/* ------------------------------------------------------------------------
 * Streams
 */

char *lt_room_find(int dir, const char *token, char *suffix, size_t size)
{
	DIR *d = open_dir(dir);
	const char *name, *found;
	char *result = NULL;
	struct stat st;
	size_t stem;

	name = d ? next_file(d, token, &stem, &found, &st) : NULL;
	if (name) {
		result = lt_strndup(name, stem);
		snprintf(suffix, size, "%s", found);
	}
	if (d)
		closedir(d);
	return result;
}

void lt_room_end_old(int dir)
{
	time_t now = time(NULL);
	DIR *d = open_dir(dir);
	const char *name, *suffix;
	struct stat st;
	size_t stem;

	while (d && (name = next_file(d, NULL, &stem, &suffix, &st))) {
		char *cut;

		if (strcmp(suffix, LT_ROOM_PART) || now - st.st_mtime < CONTINUE_S ||
		    is_busy(dir, name))
			continue;
		cut = lt_format("%.*s%s", (int)stem, name, LT_ROOM_CUT);
		renameat(dir, name, dir, cut);
		free(cut);
	}
	if (d)
		closedir(d);
}
