/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The reason why an operation failed, as a sentence for the user.
 */
#ifndef LT_BASE_WHY_H
#define LT_BASE_WHY_H

/* The caller adds where it happened (file, offset) when it reports the failure. */
struct lt_why {
	char text[200];
};

void lt_why_set(struct lt_why *why, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* LT_BASE_WHY_H */
