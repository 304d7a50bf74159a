/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of this room share.
 */
#ifndef LT_FETCH_INTERNAL_H
#define LT_FETCH_INTERNAL_H

#include "base/map.h"
#include "fetch/btf.h"
#include "fetch/fetch.h"
#include "fetch/machine.h"
#include "fetch/spec.h"

/**
 * struct lt_fetch_entry - a function by its name, in the kernel or a module
 * @type: BTF_KIND_FUNC; 0: none
 * @module: its number; 0: the kernel
 * @n_types: functions of this name among the types; @n_symbols: among the symbols; at most 255
 * @traceable: it is in available_filter_functions
 */
struct lt_fetch_entry {
	const char *name;
	uint64_t address;
	uint32_t type;
	uint16_t module;
	uint8_t n_types;
	uint8_t n_symbols;
	bool traceable;
};

struct lt_fetch_module {
	char *name;		/* "": the kernel */
	struct lt_btf *btf;	/* NULL: none */
	bool asked;		/* whether they are lacking */
};

/* @texts: files whose names the entries point to. */
struct lt_fetch {
	const struct lt_machine *machine;
	struct lt_fetch_module *modules;
	size_t n_modules;
	size_t cap_modules;
	struct lt_fetch_entry *entries;
	size_t n;
	size_t cap;
	struct lt_map by_name;
	char **texts;
	size_t n_texts;
	size_t cap_texts;
	bool has_symbols;
	bool has_traceable;
};

/* kernel.c */

uint32_t lt_fetch_hash(const char *name);

/* The entry of a name, of the kernel or a module; NULL: there is none. */
struct lt_fetch_entry *lt_fetch_find(const struct lt_fetch *f, const char *name, uint16_t module);

/* The types of a function: those of its module, or of the kernel. */
const struct lt_btf *lt_fetch_btf(const struct lt_fetch *f, const struct lt_fetch_entry *e);

/* one.c */

/* What is compiled: a function of @f by a spec, into @out, whose enums are @set's. */
struct lt_compile {
	const struct lt_fetch *f;
	struct lt_fetch_set *set;
	const struct lt_fetch_entry *entry;
	const struct lt_spec *spec;
	struct lt_fetch_function *out;
};

void lt_fetch_compile_one(const struct lt_compile *c);

/* check.c */

/* Why a function is refused as a whole, whatever is fetched of it; LT_FETCH_NONE: it is not. */
enum lt_fetch_reason lt_fetch_refusal(const struct lt_fetch *f, const struct lt_fetch_entry *e,
				      char **detail);

#endif /* LT_FETCH_INTERNAL_H */
