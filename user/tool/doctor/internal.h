/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the examination share.
 */
#ifndef LT_LIB_DOCTOR_PRIVATE_H
#define LT_LIB_DOCTOR_PRIVATE_H

#include "doctor/doctor.h"

/* More than an absolute path below a root of PATH_MAX. */
#define DOCTOR_PATH	(PATH_MAX + 512)

/* One finding: a line "level  topic: text". */
void lt_doctor_say(struct lt_doctor *d, enum lt_doctor_level level, const char *topic,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* An absolute path of this machine, as it is below the root. */
const char *lt_doctor_path(const struct lt_doctor *d, char *buf, size_t size,
			   const char *path);

bool lt_doctor_exists(const struct lt_doctor *d, const char *path);

/* A small text file, to be freed; NULL with errno set. */
char *lt_doctor_text(const struct lt_doctor *d, const char *path);

/* Its first line. Return: false: it cannot be read; @word is then empty. */
bool lt_doctor_word(const struct lt_doctor *d, const char *path, char *word, size_t size);

/* The groups of checks, each in a file of this name. */
void lt_doctor_kernel(struct lt_doctor *d);	/* configuration, lockdown */
void lt_doctor_loadable(struct lt_doctor *d);	/* why the module is not loaded */
void lt_doctor_session(struct lt_doctor *d);	/* what the loaded module says */

#endif /* LT_LIB_DOCTOR_PRIVATE_H */
