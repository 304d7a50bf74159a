// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The lines that were found for one build.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/text.h"
#include "lines/builds.h"
#include "lines/cache.h"
#include "lines/debug.h"

#define MAGIC		"lifetrace-lines 1 "
#define MAX_FILE	(32U << 20)	/* bytes; a larger one is begun anew */
#define MAX_ENTRIES	200000
#define MAX_WORD	160		/* bytes of a section or symbol */

void lt_place_free(struct lt_place *p)
{
	for (size_t i = 0; p && i < p->n; i++) {
		free((char *)(uintptr_t)p->frames[i].function);
		free((char *)(uintptr_t)p->frames[i].file);
	}
	free(p);
}

static uint32_t hash(const struct lt_line_cache *c, const char *where, uint64_t offset)
{
	uint64_t h = lt_hash64(offset, c->seed);

	for (; *where; where++)
		h = lt_hash64(h + (unsigned char)*where, c->seed);
	return (uint32_t)h;
}

const struct lt_cached *lt_line_cache_find(const struct lt_line_cache *c, const char *where,
					   uint64_t offset)
{
	uint32_t number;

	lt_map_for_each(number, at, &c->map, hash(c, where, offset)) {
		const struct lt_cached *e = &c->entries[number - 1];

		if (e->offset == offset && !strcmp(e->where, where))
			return e;
	}
	return NULL;
}

const struct lt_cached *lt_line_cache_add(struct lt_line_cache *c, const char *where,
					  uint64_t offset, struct lt_place *place)
{
	struct lt_cached *e;

	c->entries = lt_grow(c->entries, &c->cap, c->n, sizeof(*c->entries));
	e = &c->entries[c->n++];
	*e = (struct lt_cached){ .where = lt_strdup(where), .offset = offset, .place = place };
	lt_map_add(&c->map, hash(c, where, offset), (uint32_t)c->n);
	return e;
}

/* ------------------------------------------------------------------------
 * Reading
 */

/* The part of a line up to a tab or its end; empty: NULL. */
static char *cut(const char **line, size_t *len)
{
	const char *tab = memchr(*line, '\t', *len);
	size_t n = tab ? (size_t)(tab - *line) : *len;
	char *text = n ? lt_strndup(*line, n) : NULL;

	*line += n + (tab != NULL);
	*len -= n + (tab != NULL);
	return text;
}

static bool read_frame(const char **pos, struct lt_frame *f)
{
	const char *line;
	uint64_t number;
	char *word;
	size_t len;
	bool good;

	if (!lt_line(pos, &line, &len))
		return false;
	word = cut(&line, &len);
	good = word && lt_number(word, 10, &number) && number <= UINT32_MAX;
	free(word);
	if (!good)
		return false;
	f->line = (uint32_t)number;
	f->file = cut(&line, &len);
	f->function = cut(&line, &len);
	return true;
}

static bool read_entry(struct lt_line_cache *c, const char **pos, const char *line, size_t len)
{
	char where[MAX_WORD], word[32];
	struct lt_place *place = NULL;
	uint64_t offset, n;

	if (!lt_word(&line, &len, where, sizeof(where)) ||
	    !lt_word(&line, &len, word, sizeof(word)) || !lt_number(word, 16, &offset) ||
	    !lt_word(&line, &len, word, sizeof(word)) || !lt_number(word, 10, &n) ||
	    n > LT_MAX_FRAMES || c->n >= MAX_ENTRIES || lt_line_cache_find(c, where, offset))
		return false;
	if (n)
		place = lt_alloc(sizeof(*place) + n * sizeof(place->frames[0]));
	for (; n; n--) {
		if (!read_frame(pos, &place->frames[place->n])) {
			lt_place_free(place);
			return false;
		}
		place->n++;
	}
	lt_line_cache_add(c, where, offset, place);
	return true;
}

static void forget(struct lt_line_cache *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->entries[i].where);
		lt_place_free(c->entries[i].place);
	}
	c->n = 0;
	lt_map_clear(&c->map);
}

bool lt_line_cache_parse(struct lt_line_cache *c, const char *text, size_t size)
{
	size_t magic = strlen(MAGIC), id = strlen(c->id), head = magic + id + 1 + 8 + 1;
	const char *pos = text + head, *line;
	char crc[9];
	uint64_t sum;
	size_t len;

	if (size < head || strlen(text) != size || memcmp(text, MAGIC, magic) ||
	    memcmp(text + magic, c->id, id) || text[magic + id] != ' ' || pos[-1] != '\n')
		return false;
	memcpy(crc, pos - 9, 8);
	crc[8] = 0;
	if (!lt_number(crc, 16, &sum) || sum != lt_crc32c(0, pos, size - head))
		return false;
	while (lt_line(&pos, &line, &len)) {
		if (!read_entry(c, &pos, line, len)) {
			forget(c);
			return false;
		}
	}
	return true;
}

/* A file of somebody else could say anything; a link or a FIFO is none of ours. */
static char *read_own(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	char *text = NULL;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    st.st_size <= (off_t)MAX_FILE)
		text = lt_read_text(fd, MAX_FILE, size);
	close(fd);
	return text;
}

void lt_line_cache_init(struct lt_line_cache *c, const char *dir, const char *id)
{
	size_t size = 0;
	char *text;

	*c = (struct lt_line_cache){ .seed = lt_hash_seed() };
	lt_map_init(&c->map);
	if (!dir || !lt_build_id_valid(id))
		return;
	strcpy(c->id, id);
	c->path = lt_format("%s/%s", dir, id);
	text = read_own(c->path, &size);
	if (text && !lt_line_cache_parse(c, text, size))
		lt_warn("%s: the cached lines are damaged; they are looked up again", c->path);
	free(text);
	c->n_saved = c->n;
}

void lt_line_cache_destroy(struct lt_line_cache *c)
{
	forget(c);
	free(c->entries);
	free(c->path);
	lt_map_destroy(&c->map);
	*c = (struct lt_line_cache){ .n = 0 };
}

/* ------------------------------------------------------------------------
 * Writing
 */

static char *write_entries(const struct lt_line_cache *c, size_t from, size_t *size)
{
	struct lt_str t = { .n = 0 };

	lt_str_add(&t, "%s", "");
	for (size_t i = from; i < c->n; i++) {
		const struct lt_cached *e = &c->entries[i];
		size_t n = e->place ? e->place->n : 0;

		lt_str_add(&t, "%s %" PRIx64 " %zu\n", e->where, e->offset, n);
		for (size_t k = 0; k < n; k++) {
			const struct lt_frame *f = &e->place->frames[k];

			lt_str_add(&t, "%" PRIu32 "\t%s\t%s\n", f->line, f->file ? f->file : "",
				   f->function ? f->function : "");
		}
	}
	*size = t.n;
	return t.s;
}

/* Creates the directory of a file, and those above it. */
static void make_dirs(const char *path)
{
	char *copy = lt_strdup(path);

	for (char *p = copy + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(copy, 0700);
		*p = '/';
	}
	free(copy);
}

static bool write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		size -= (size_t)n;
	}
	return true;
}

void lt_line_cache_save(struct lt_line_cache *c)
{
	char *body, *part, *head;
	size_t size;
	bool good;
	int fd;

	if (!c->path || c->n == c->n_saved)
		return;
	body = write_entries(c, 0, &size);
	/* What is in the file may be of many years; what is new was asked for now. */
	if (size > MAX_FILE / 2 || c->n > MAX_ENTRIES / 2) {
		free(body);
		body = write_entries(c, c->n_saved, &size);
	}
	if (size > MAX_FILE / 2 || c->n - c->n_saved > MAX_ENTRIES) {
		free(body);
		return;
	}
	make_dirs(c->path);
	part = lt_format("%s.XXXXXX", c->path);
	head = lt_format(MAGIC "%s %08" PRIx32 "\n", c->id, lt_crc32c(0, body, size));
	fd = mkostemp(part, O_CLOEXEC);
	good = fd >= 0 && write_all(fd, head, strlen(head)) && write_all(fd, body, size);
	if (fd >= 0 && close(fd))
		good = false;
	if (!good || rename(part, c->path)) {
		lt_warn("%s: lines cannot be kept: %s", c->path, strerror(errno));
		if (fd >= 0)
			unlink(part);
	} else {
		c->n_saved = c->n;
	}
	free(head);
	free(part);
	free(body);
}
