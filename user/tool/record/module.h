/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's files under debugfs, and its parameters.
 */
#ifndef LT_LIB_MODULE_H
#define LT_LIB_MODULE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LT_MODULE_DIR		"/sys/kernel/debug/lifetrace"
#define LT_MODULE_PARAMETERS	"/sys/module/lifetrace/parameters"

/**
 * struct lt_module - the module, and its control file once it is ours
 * @control: -1: not open
 */
struct lt_module {
	char dir[PATH_MAX];
	char parameters[PATH_MAX];
	int control;
};

/* @dir: NULL for the usual place; another one has its parameters below it. */
void lt_module_init(struct lt_module *m, const char *dir);
void lt_module_close(struct lt_module *m);	/* ends the session */

/* Becomes the owner. Return: 0, or -1 after printing why, and what to do. */
int lt_module_own(struct lt_module *m);

/* A text file of the module, to be freed; NULL with errno set. */
char *lt_module_text(const struct lt_module *m, const char *name);

/* Writes a word to the control file. Return: 0 or an errno. */
int lt_module_command(struct lt_module *m, const char *word);

/* Whether a session is recording. */
bool lt_module_recording(const struct lt_module *m);

/* Closes all open packets. Return: 0 and the time they reach to, or an errno. */
int lt_module_flush(struct lt_module *m, uint64_t *clock);

/* Return: 0, or -1 after printing why. */
int lt_module_set(const struct lt_module *m, const char *name, const char *value);

/* Asks for a snapshot of all tasks: "1" or "final". Return: 0 or an errno. */
int lt_module_snapshot(const struct lt_module *m, const char *word);

enum lt_snapshot_state {
	LT_SNAPSHOT_NONE,	/* no tasks are recorded, or the module knows none */
	LT_SNAPSHOT_RUNNING,
	LT_SNAPSHOT_DONE,
	LT_SNAPSHOT_ABORTED,
};

/* Of the latest one, and how many tasks it has written so far. */
enum lt_snapshot_state lt_module_snapshot_state(const struct lt_module *m, uint64_t *tasks);

/* A marker, best effort. Return: 0 or an errno. */
int lt_module_mark(const struct lt_module *m, const char *text);

/* Who has the control file open: "NAME (pid N)", or "another process". */
void lt_module_owner(const struct lt_module *m, char *buf, size_t size);

#endif /* LT_LIB_MODULE_H */
