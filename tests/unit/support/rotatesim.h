/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recorder that rotates, whose module is this file, and whose disk can be disturbed. Tests that
 * use it are linked with --wrap for the functions that it replaces, see user/Makefile.
 */
#ifndef ROTATESIM_H
#define ROTATESIM_H

#include <stdatomic.h>

#include "cuttest.h"
#include "record/rotate.h"

#define ROTATE_ADDRESSES	400
#define ROTATE_EVENTS		300
#define ROTATE_SIZE		8192
#define ROTATE_PATIENCE_MS	120000

extern uint64_t rotate_events;		/* from one step to the next; rotate_begin() sets it */
extern uint64_t rotate_n_events;	/* since then */
extern uint32_t rotate_tasks;		/* that were seen since then */
extern unsigned int rotate_meanwhile;	/* that come when the recorder reads while it is busy */
extern uint64_t rotate_rounds;		/* how often it did */
extern atomic_int rotate_disk_error;	/* every write fails with this */
extern atomic_bool rotate_disk_waits;	/* nothing is written, and nothing synchronized */
extern atomic_int rotate_syncs;		/* calls of fdatasync() */
extern uint64_t rotate_disk_bytes;	/* of the whole disk, for --keep-free */

void rotate_begin(struct lt_record_options *o);
/* Some events, which are the same in every recording, and a cut if that is due at @now. */
void rotate_step_on(uint64_t now);
/* Until the threads have done all they were given. What is measured then is always the same. */
struct lt_writing rotate_wait(void);
/* Both; whether a cut is due is looked at when all is written. */
struct lt_writing rotate_step(uint64_t now);
struct lt_writing rotate_state(void);
int rotate_end(void);

/* The files of a directory, by name. */
struct rotate_parts {
	char **names;
	size_t n;
	size_t cap;
	uint64_t bytes;
};

struct rotate_parts rotate_list(const char *dir);
void rotate_parts_free(struct rotate_parts *parts);
/* The path of a part, to be freed; NULL: there is none. @suffix: "" or ".part" */
char *rotate_path(const char *dir, uint64_t part, const char *suffix);

/*
 * Reads a part: nothing is missing or damaged, and it begins with @last, what was alive at the end
 * of the part before; then @last is of this one. Return: how much it begins with.
 */
size_t rotate_check(const char *path, struct cut_table *last, bool first);
/* All parts, in their order. Return: with how much they begin. */
size_t rotate_check_all(const struct rotate_parts *parts);

#endif /* ROTATESIM_H */
