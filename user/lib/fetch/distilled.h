/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Types of a module that was built outside of the kernel's tree.
 *
 * Those of the kernel that it uses are in its section .BTF.base, by their names and sizes alone.
 * Its own in .BTF have numbers and names behind these. When the module is loaded, from 6.12 on, the
 * kernel replaces them by its own; here the same is done from the file.
 */
#ifndef LT_FETCH_DISTILLED_H
#define LT_FETCH_DISTILLED_H

#include "fetch/btf.h"

/**
 * struct lt_distilled - the two sections of a module's file, of which nothing was checked
 */
struct lt_distilled {
	const uint8_t *own;
	size_t own_size;
	const uint8_t *base;
	size_t base_size;
};

/**
 * lt_distilled_parse() - the types of such a module, behind those of a kernel
 * @d: the sections, which are copied
 * @kernel: its types; they must live longer
 *
 * A type of .BTF.base that the kernel has not, or of which it cannot be said which one it is, has a
 * number for which lt_btf_type() has no type.
 * Return: NULL after setting @why.
 */
struct lt_btf *lt_distilled_parse(const struct lt_distilled *d, struct lt_btf *kernel,
				  struct lt_why *why);

#endif /* LT_FETCH_DISTILLED_H */
