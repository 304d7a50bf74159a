// SPDX-License-Identifier: GPL-2.0
/*
 * The directory of what was received.
 *
 * What changes the sum of the files is done under a lock of the directory: each write asks for its
 * room and takes it before another receiver can ask. A receiver also has a shared lock on the file
 * of its stream, so that others see that it is not to be deleted.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/owner.h"
#include "out/log.h"
#include "record/parts_dir.h"
#include "stream/room.h"
#include "stream/store.h"

#define LOCK_NAME	".lifetrace-receive.lock"
#define LOOK_S		60

static int take_lock(const struct lt_store *s)
{
	while (flock(s->lock, LOCK_EX)) {
		if (errno != EINTR)
			return -1;
	}
	return 0;
}

static void give_lock(const struct lt_store *s)
{
	flock(s->lock, LOCK_UN);
}

/**
 * struct account - what the file of the lock has
 * @sum: what all files take, as the receivers have counted it
 * @looked: when one of them has looked at the files, s since 1970
 */
struct account {
	uint64_t sum;
	uint64_t looked;
};

static struct account read_account(const struct lt_store *s)
{
	struct account a;

	if (pread(s->lock, &a, sizeof(a), 0) == (ssize_t)sizeof(a))
		return a;
	return (struct account){ .sum = UINT64_MAX / 2 };
}

static void write_account(const struct lt_store *s, struct account a)
{
	/* A sum that cannot be written is one that is not there: then the files are looked at. */
	if (pwrite(s->lock, &a, sizeof(a), 0) != (ssize_t)sizeof(a))
		(void)!ftruncate(s->lock, 0);
}

static void write_sum(const struct lt_store *s, uint64_t sum)
{
	struct account a = read_account(s);

	a.sum = sum;
	write_account(s, a);
}

static char *part_name(const struct lt_store *s)
{
	return lt_format("%s%s", s->part, LT_ROOM_PART);
}

static bool is_file(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return false;
	errno = EINVAL;
	return S_ISREG(st.st_mode);
}

/*
 * Looks at all files: others than receivers may have put some there, or deleted some. With very
 * many files that takes its time, for which all receivers wait; so it is not done for each
 * connection.
 */
static void look_if_due(const struct lt_store *s)
{
	uint64_t looked = read_account(s).looked, now = (uint64_t)time(NULL);

	if (now >= looked && now - looked < LOOK_S)
		return;
	lt_room_end_old(s->dir);
	write_account(s, (struct account){ .sum = lt_room_sum(s->dir), .looked = now });
}

int lt_store_open(struct lt_store *s, const struct lt_store_options *o)
{
	*s = (struct lt_store){ .o = o, .dir = -1, .lock = -1, .fd = -1 };
	if (lt_parts_dir_make(o->dir))
		return -1;
	s->dir = open(o->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir >= 0)
		s->lock = openat(s->dir, LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
				 0600);
	if (s->lock >= 0 && is_file(s->lock) && !take_lock(s)) {
		look_if_due(s);
		give_lock(s);
		return 0;
	}
	lt_error("%s/%s: %s", o->dir, LOCK_NAME, strerror(errno));
	return -1;
}

void lt_store_close(struct lt_store *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (s->lock >= 0)
		close(s->lock);
	if (s->dir >= 0)
		close(s->dir);
	free(s->part);
	free(s->name);
}

/* ------------------------------------------------------------------------
 * The file of a stream
 */

static int open_part(struct lt_store *s)
{
	char *part = part_name(s);
	off_t size;

	s->fd = openat(s->dir, part, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	free(part);
	if (s->fd < 0)
		return -1;
	size = lseek(s->fd, 0, SEEK_END);
	if (size < 0 || flock(s->fd, LOCK_SH | LOCK_NB)) {
		close(s->fd);
		s->fd = -1;
		return -1;
	}
	s->size = (uint64_t)size;
	return 0;
}

/*
 * Under the lock: whether the file is a part still, and how long it is: two connections may have
 * one stream, when the first one hangs, and the second may have ended it.
 */
static bool is_part(struct lt_store *s)
{
	char *part = part_name(s);
	struct stat own, named;
	bool is = !fstat(s->fd, &own) && !fstatat(s->dir, part, &named, AT_SYMLINK_NOFOLLOW) &&
		  own.st_ino == named.st_ino && own.st_dev == named.st_dev;

	free(part);
	if (is)
		s->size = (uint64_t)own.st_size;
	return is;
}

enum lt_store_state lt_store_find(struct lt_store *s, const char *token)
{
	enum lt_store_state state = LT_STORE_NOTHING;
	char suffix[16] = "";

	if (take_lock(s))
		return state;
	s->part = lt_room_find(s->dir, token, suffix, sizeof(suffix));
	if (s->part && !strcmp(suffix, LT_ROOM_WHOLE))
		state = LT_STORE_WHOLE;
	else if (s->part && !strcmp(suffix, LT_ROOM_CUT))
		state = LT_STORE_CUT;
	else if (s->part && !open_part(s))
		state = LT_STORE_PART;
	give_lock(s);
	return state;
}

void lt_store_name(struct lt_store *s, const struct lt_stream_about *about, const char *token)
{
	free(s->name);
	s->name = lt_format("%s_%s_%s_%s", s->o->host ? s->o->host : about->host, about->boot,
			    about->start, token);
	if (s->fd < 0) {
		free(s->part);
		s->part = lt_strdup(s->name);
	}
}

/* ------------------------------------------------------------------------
 * Room
 */

static uint64_t own_bytes(const struct lt_store *s)
{
	return s->fd >= 0 ? lt_room_counted(s->size) : 0;
}

static bool fits(const struct lt_store *s, uint64_t sum)
{
	return (!s->o->keep || sum <= s->o->keep) &&
	       !lt_parts_dir_is_full(s->o->dir, s->o->keep_free);
}

/*
 * Under the lock: whether the file may have @end bytes, after deleting what may be deleted for it.
 * A little more is deleted than is needed, so that not each write looks at all files.
 */
static bool make_room(struct lt_store *s, uint64_t end, struct lt_why *why)
{
	uint64_t sum = read_account(s).sum, growth = lt_room_counted(end) - own_bytes(s);
	uint64_t more = s->o->keep / 64;
	struct lt_room room;
	bool done;

	done = fits(s, sum + growth);
	if (!done) {
		lt_room_scan(&room, s->dir);
		while (s->o->delete_old && !fits(s, room.sum + growth + more) &&
		       lt_room_delete(&room, s->dir, s->part))
			;
		sum = room.sum;
		done = fits(s, sum + growth);
		lt_room_free(&room);
	}
	if (!done)
		lt_why_set(why, "there is no room (--keep, --keep-free)%s", s->o->delete_old ?
			   ", and nothing that may be deleted for it" : "");
	write_sum(s, done ? sum + growth : sum);
	return done;
}

/* Kernel addresses are secrets. Another connection of this stream may have been the first one. */
static int create(struct lt_store *s)
{
	char *part;

	if (s->fd >= 0)
		return 0;
	part = part_name(s);
	s->fd = openat(s->dir, part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	free(part);
	if (s->fd < 0)
		return errno == EEXIST ? open_part(s) : -1;
	lt_owner_give(s->fd);
	return flock(s->fd, LOCK_SH | LOCK_NB);
}

static int write_all(int fd, const char *data, size_t size, uint64_t offset)
{
	while (size) {
		ssize_t n = pwrite(fd, data, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

int lt_store_write(struct lt_store *s, const void *data, size_t size, uint64_t offset,
		   struct lt_why *why)
{
	uint64_t most = s->o->max_size ? s->o->max_size : UINT64_MAX, end = offset + size;
	bool too_long = end > most;
	int ret = -1;

	if (too_long)
		end = most > offset ? most : offset;
	if (take_lock(s)) {
		lt_why_set(why, "%s: %s", LOCK_NAME, strerror(errno));
		return -1;
	}
	if (s->fd >= 0 && !is_part(s)) {
		lt_why_set(why, "another connection has ended it, or its file is gone");
	} else if (end <= s->size || make_room(s, end, why)) {
		ret = create(s) || write_all(s->fd, data, (size_t)(end - offset), offset);
		if (ret)
			lt_why_set(why, "cannot write: %s", strerror(errno));
	}
	give_lock(s);
	if (!ret && end > s->size)
		s->size = end;
	if (!ret && too_long)
		lt_why_set(why, "it is longer than one trace may be (--max-size)");
	return ret || too_long ? -1 : 0;
}

/* ------------------------------------------------------------------------
 * The end
 */

/*
 * Under the lock. Return: 0; 1: that is left to another connection of this stream, which goes on
 * with the file or has ended it: then it is not made shorter, or called cut; -1.
 */
static int give_name(struct lt_store *s, const char *part, const char *name, uint64_t size,
		     bool whole)
{
	if (!is_part(s))
		return whole && faccessat(s->dir, name, F_OK, AT_SYMLINK_NOFOLLOW) ? -1 : 1;
	if (!whole && flock(s->fd, LOCK_EX | LOCK_NB))
		return 1;
	if (ftruncate(s->fd, (off_t)size))
		return -1;
	write_sum(s, read_account(s).sum + (size ? lt_room_counted(size) : 0) - own_bytes(s));
	return size ? renameat(s->dir, part, s->dir, name) : unlinkat(s->dir, part, 0);
}

int lt_store_finish(struct lt_store *s, uint64_t size, bool whole)
{
	char *part, *name;
	int ret;

	if (s->fd < 0)
		return 0;
	part = part_name(s);
	name = lt_format("%s%s", s->name, whole ? LT_ROOM_WHOLE : LT_ROOM_CUT);
	/* The data first: a disk may take the name before them. */
	ret = fsync(s->fd) || take_lock(s) ? -1 : 0;
	if (!ret) {
		ret = give_name(s, part, name, size, whole);
		give_lock(s);
	}
	fsync(s->dir);
	if (ret < 0)
		lt_error("%s/%s: %s; what came stays there", s->o->dir, part, strerror(errno));
	else if (ret)
		lt_warn("%s: another connection goes on with it, or has ended it", part);
	else if (size)
		fprintf(stderr, "%s/%s: %llu bytes\n", s->o->dir, name, (unsigned long long)size);
	free(part);
	free(name);
	return ret < 0 ? -1 : 0;
}
