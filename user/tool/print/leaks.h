/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_PRINT_LEAKS_H
#define LT_PRINT_LEAKS_H

#include "lifetimes/leaks.h"
#include "print/table.h"

/**
 * lt_leaks_print() - print leaks
 * @top: maximum number of rows; 0: all
 * @width: characters in a line of text; 0: any number
 * @cut: names may be cut to fit into @width
 */
void lt_leaks_print(const struct lt_leaks *l, const struct lt_trace *t, struct lt_out *out,
		    enum lt_format format, size_t top, unsigned int width, bool cut);

#endif /* LT_PRINT_LEAKS_H */
