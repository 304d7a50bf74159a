/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Types as text, as they are written in C.
 */
#ifndef LT_FETCH_CTYPE_H
#define LT_FETCH_CTYPE_H

#include "fetch/btf.h"

/* "const char *"; to be freed. */
char *lt_ctype(const struct lt_btf *b, uint32_t id);

/* "int vfs_fsync(struct file *file, int datasync)", of a function; to be freed. */
char *lt_ctype_function(const struct lt_btf *b, uint32_t id);

#endif /* LT_FETCH_CTYPE_H */
