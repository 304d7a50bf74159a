/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_LIB_SYMBOLS_H
#define LT_LIB_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct lt_symbols;

struct lt_symbols *lt_symbols_new(void);
void lt_symbols_free(struct lt_symbols *s);

/* Adds the lines of a text as /proc/kallsyms, code symbols only. Keeps a copy. */
void lt_symbols_add(struct lt_symbols *s, const char *text);

/* Adds where modules end, from a text as /proc/modules. */
void lt_symbols_modules(struct lt_symbols *s, const char *text);

/**
 * lt_symbols_find() - the symbol that an address lies in
 * @offset: how far in
 * @module: its module, NULL: the kernel itself
 * Return: the name, NULL: none is known. Names may hold any byte but blanks.
 */
const char *lt_symbols_find(struct lt_symbols *s, uint64_t addr, uint64_t *offset,
			    const char **module);

#endif /* LT_LIB_SYMBOLS_H */
