/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The running tasks, and whether the list is proven.
 */
#ifndef LT_PRINT_PS_H
#define LT_PRINT_PS_H

#include "base/out.h"
#include "ps/ps.h"

/* @rows: the rows of @ps in their order, each a struct lt_ps_row. */
void lt_ps_text(struct lt_out *o, const struct lt_ps *ps, const void *const *rows);
void lt_ps_json(struct lt_out *o, const struct lt_ps *ps, const void *const *rows);

#endif /* LT_PRINT_PS_H */
