/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's files, by its device or under debugfs, and its parameters.
 */
#ifndef LT_ENGINE_MODULE_H
#define LT_ENGINE_MODULE_H

#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LT_MODULE_DIR		"/sys/kernel/debug/lifetrace"
#define LT_MODULE_DEVICE	"/dev/lifetrace"
#define LT_MODULE_PARAMETERS	"/sys/module/lifetrace/parameters"

/**
 * struct lt_module - the files of the module
 * @dir: what their names are relative to, also in messages: the device, if it is open
 * @device: descriptor of the device, by which files are opened; -1: they are below @dir
 * @control: descriptor of the control file, whose owner this process is; -1: not open
 */
struct lt_module {
	char dir[PATH_MAX];
	char parameters[PATH_MAX];
	int device;
	int control;
};

/* @dir: NULL: the usual directories; another directory has the parameters below it. */
void lt_module_init(struct lt_module *m, const char *dir);
void lt_module_close(struct lt_module *m);	/* ends the session */

/* Uses the device from now on, if it can be opened; a kernel that is locked down closes
 * debugfs. Return: 0 or an errno.
 */
int lt_module_use_device(struct lt_module *m, const char *path);

/* Opens a file of the module, by its name below debugfs. Return: a descriptor, or -1 with
 * errno set.
 */
int lt_module_open(const struct lt_module *m, const char *name, int flags);

/* The names of all files, one a line, to be freed; NULL with errno set. Needs the device. */
char *lt_module_list(const struct lt_module *m);

/*
 * Finds the device or the directory, opens the control file and so becomes the owner of the
 * session. Return: 0, or -1 after printing why that failed, and what to do.
 */
int lt_module_own(struct lt_module *m);

/* A text file of the module, to be freed; NULL with errno set. */
char *lt_module_text(const struct lt_module *m, const char *name);

/* Writes a word to the control file. Return: 0 or an errno. */
int lt_module_command(struct lt_module *m, const char *word);

/* Whether a session is recording. */
bool lt_module_recording(const struct lt_module *m);

/* Closes all open packets. Return: 0 with @clock set to the end of these packets, or an errno. */
int lt_module_flush(struct lt_module *m, uint64_t *clock);

/*
 * Whether this user may set a parameter: root alone may, and not the members of the group
 * lifetrace.
 */
bool lt_module_may_set(const struct lt_module *m, const char *name);

/* Sets a parameter of the module. Return: 0, or -1 after printing why. */
int lt_module_set(const struct lt_module *m, const char *name, const char *value);

/* Writes into a file of the module, at once. Return: 0 or an errno. */
int lt_module_write(const struct lt_module *m, const char *name, const char *text);

/* The output of `make`, in the current directory. */
#define LT_MODULE_LOCAL		"lifetrace.ko"

/**
 * lt_module_files() - the files from which the module can be loaded
 * @modules: "/lib/modules"
 * @release: of the kernel
 * @g: result, for globfree(): the local one first, then those that modprobe finds
 */
void lt_module_files(const char *modules, const char *release, glob_t *g);

/* The owner of the session: "NAME (pid N)", or "another process" if it is not found. */
void lt_module_owner(const struct lt_module *m, char *buf, size_t size);

#endif /* LT_ENGINE_MODULE_H */
