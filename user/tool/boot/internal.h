/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of this room share.
 */
#ifndef LT_BOOT_INTERNAL_H
#define LT_BOOT_INTERNAL_H

#include <sys/types.h>

#include "boot/boot.h"

/* install.c */

/* A path below the root of the machine, to be freed. */
char *lt_boot_below(const struct lt_boot *b, const char *path);
void lt_boot_say(const struct lt_boot *b, const char *what, const char *text);
/*
 * The directories above a name. Return: 0; or -1 with errno set, then the name is cut behind the
 * directory.
 */
int lt_boot_make_directories(char *name);
/* Return: 0, or -1 after lt_error(). */
int lt_boot_install(const struct lt_boot *b, const char *path, mode_t mode, const void *bytes,
		    size_t size);
/* Sets @any if the file was there. Return: as lt_boot_install(). */
int lt_boot_drop(const struct lt_boot *b, const char *path, bool *any);

/* calls.c: the files that have the functions whose calls are recorded */

/* Return: -1 after lt_error(): a file of another origin is in the way. */
int lt_boot_calls_check(const struct lt_boot *b);
/* Those that are not asked for go. Return: 0, or -1 after lt_error(). */
int lt_boot_calls_install(const struct lt_boot *b);
/* All but the one with the path @but; sets @any. Return: as lt_boot_calls_install(). */
int lt_boot_calls_drop(const struct lt_boot *b, const char *but, bool *any);
void lt_boot_calls_status(const struct lt_boot *b);

#endif /* LT_BOOT_INTERNAL_H */
