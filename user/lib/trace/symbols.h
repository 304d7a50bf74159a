/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LT_LIB_SYMBOLS_H
#define LT_LIB_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lt_symbols;

struct lt_symbols *lt_symbols_new(void);
void lt_symbols_free(struct lt_symbols *s);

/* Adds the code symbols of a text like /proc/kallsyms. Keeps a copy. */
void lt_symbols_add(struct lt_symbols *s, const char *text);

/* Adds the addresses of the modules in a text like /proc/modules. */
void lt_symbols_modules(struct lt_symbols *s, const char *text);

/* Behind the last text: makes them ready to be asked for, after which no question changes them. */
void lt_symbols_ready(struct lt_symbols *s);

/**
 * lt_symbols_find() - the symbol of an address
 * @s: the symbols, which are ready; several threads may ask
 * @addr: the address
 * @offset: offset of @addr in the symbol
 * @module: its module, NULL: the kernel itself
 *
 * A symbol reaches to the next one, but not beyond its module, or the text of the kernel.
 *
 * Return: the name, any bytes but blanks; NULL: no symbol is known.
 */
const char *lt_symbols_find(const struct lt_symbols *s, uint64_t addr, uint64_t *offset,
			    const char **module);

/**
 * lt_symbols_stext() - where the kernel's own code begins
 * @s: the symbols
 * @addr: the address of _stext
 * Return: false: there is no such symbol.
 */
bool lt_symbols_stext(const struct lt_symbols *s, uint64_t *addr);

/* Whether a name is one by which the bounds of the kernel's own code are known. */
bool lt_symbols_is_bound(const char *name, size_t len);

/* Whether both, which are ready, have the same names at the same addresses, and any at all. */
bool lt_symbols_are_equal(const struct lt_symbols *a, const struct lt_symbols *b);

/* Whether there is any symbol. */
bool lt_symbols_any(const struct lt_symbols *s);

#endif /* LT_LIB_SYMBOLS_H */
