/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ways to read a trace file: every command that reads one, in its formats, and
 * what the library offers besides.
 */
#ifndef LT_FUZZ_VIEWS_H
#define LT_FUZZ_VIEWS_H

#include <stddef.h>

extern const unsigned int fuzz_n_views;

/* Reads the file in one of the ways. */
void fuzz_view(unsigned int view, const char *path);

const char *fuzz_view_name(unsigned int view);

#endif /* LT_FUZZ_VIEWS_H */
