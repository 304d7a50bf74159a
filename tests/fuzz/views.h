/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ways in which a trace file is read: by every command that reads one, in its formats, and
 * by functions of the library that no command uses.
 */
#ifndef LT_FUZZ_VIEWS_H
#define LT_FUZZ_VIEWS_H

#include <stddef.h>

extern const unsigned int fuzz_n_views;

/* Reads the file by one of the views. */
void fuzz_view(unsigned int view, const char *path);

const char *fuzz_view_name(unsigned int view);

#endif /* LT_FUZZ_VIEWS_H */
