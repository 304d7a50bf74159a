/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sections of ELF files, of either size and byte order.
 */
#ifndef LT_FETCH_ELF_H
#define LT_FETCH_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a file begins as an ELF file does. */
bool lt_elf_is(const uint8_t *data, size_t size);

/* Where a section is in the file. Return: false: it has none of that name, whole and with data. */
bool lt_elf_section(const uint8_t *data, size_t size, const char *name, size_t *offset,
		    size_t *length);

/* Calls @take for the name of each function that the file defines, as often as it does. */
void lt_elf_functions(const uint8_t *data, size_t size, void (*take)(void *arg, const char *name),
		      void *arg);

#endif /* LT_FETCH_ELF_H */
