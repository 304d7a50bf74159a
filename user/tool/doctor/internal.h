/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the checks of the doctor share.
 */
#ifndef LT_DOCTOR_INTERNAL_H
#define LT_DOCTOR_INTERNAL_H

#include "doctor/doctor.h"

/* Holds an absolute path below a root of PATH_MAX. */
#define DOCTOR_PATH	(PATH_MAX + 512)

/* finding.c */

/* Prints a finding, a line "level  topic: text". */
void lt_doctor_say(struct lt_doctor *d, enum lt_doctor_level level, const char *topic,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* An absolute path with the root in front, in @buf. */
const char *lt_doctor_path(const struct lt_doctor *d, char *buf, size_t size,
			   const char *path);

bool lt_doctor_exists(const struct lt_doctor *d, const char *path);

/* A small text file, to be freed; NULL with errno set. */
char *lt_doctor_text(const struct lt_doctor *d, const char *path);

/* The first line of a text file. Return: false, with @word empty: it cannot be read. */
bool lt_doctor_word(const struct lt_doctor *d, const char *path, char *word, size_t size);

/* kernel.c: the kernel's configuration, and lockdown */
void lt_doctor_kernel(struct lt_doctor *d);

/* loadable.c: why the module is not loaded */
void lt_doctor_loadable(struct lt_doctor *d);

/* session.c: the state of the loaded module, and the parameters of its next session */
void lt_doctor_session(struct lt_doctor *d);

/* engines.c: what can record instead of the module */
void lt_doctor_engines(struct lt_doctor *d);

#endif /* LT_DOCTOR_INTERNAL_H */
