/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * BTF, the types of a kernel: what its functions take and return, and where members are.
 *
 * A file is checked once when it is read: sizes of all tables, and that names are printable.
 * Numbers of types in it are not: lt_btf_type() has an answer for any number, and chains of types
 * may be circles. Functions that follow a chain count its types, see LT_BTF_DEPTH.
 */
#ifndef LT_FETCH_BTF_H
#define LT_FETCH_BTF_H

#include <linux/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"

/* Kinds that older headers lack. */
#define LT_BTF_FLOAT		16
#define LT_BTF_DECL_TAG		17
#define LT_BTF_TYPE_TAG		18
#define LT_BTF_ENUM64		19

#define LT_BTF_DEPTH		32	/* types behind one another that are followed */

struct lt_btf_enum64 {
	__u32 name_off;
	__u32 low;
	__u32 high;
};

/**
 * struct lt_btf - the types of a kernel, or those that a module adds
 * @base: of a module: those of the kernel, whose numbers and names go before
 * @data: the file, or the section of it
 * @types: from the number @first on
 * @n: one more than the greatest number
 * @strings: from offset @first_string on
 * @word: size of a pointer
 * @big: the machine is big-endian
 */
struct lt_btf {
	struct lt_btf *base;
	uint8_t *data;
	const struct btf_type **types;
	size_t cap;
	uint32_t first;
	uint32_t n;
	const char *strings;
	uint32_t first_string;
	uint32_t end_string;
	unsigned int word;
	bool big;
};

/**
 * lt_btf_read() - read a file of types
 * @path: as below /sys/kernel/btf, or an ELF file with a section .BTF
 * @base: NULL: of the kernel itself
 * Return: NULL after setting @why.
 */
struct lt_btf *lt_btf_read(const char *path, struct lt_btf *base, struct lt_why *why);

/* Types from the bytes of such a file; they are taken over. */
struct lt_btf *lt_btf_parse(uint8_t *data, size_t size, struct lt_btf *base, struct lt_why *why);
void lt_btf_free(struct lt_btf *b);

/* A type; of 0 and of a number that there is not: void. */
const struct btf_type *lt_btf_type(const struct lt_btf *b, uint32_t id);

/* A name; "": none. */
const char *lt_btf_name(const struct lt_btf *b, uint32_t offset);

/* What a type is behind names of it, const, volatile, restrict and tags. */
uint32_t lt_btf_plain(const struct lt_btf *b, uint32_t id);

/* Whether that has a tag: __user is "user". */
bool lt_btf_tagged(const struct lt_btf *b, uint32_t id, const char *tag);

/*
 * Whether BTF is whole, not built upon another's: its names begin with the empty one, which each
 * has once.
 */
bool lt_btf_is_whole(const uint8_t *data, size_t size);

/* Bytes of a type; 0: none, or not known. */
uint64_t lt_btf_size(const struct lt_btf *b, uint32_t id);

static inline unsigned int lt_btf_kind(const struct btf_type *t)
{
	return BTF_INFO_KIND(t->info);
}

static inline unsigned int lt_btf_vlen(const struct btf_type *t)
{
	return BTF_INFO_VLEN(t->info);
}

/* What stands behind a type: members, parameters, an array, values of an enum. */
static inline const void *lt_btf_behind(const struct btf_type *t)
{
	return t + 1;
}

static inline bool lt_btf_is_struct(const struct btf_type *t)
{
	return lt_btf_kind(t) == BTF_KIND_STRUCT || lt_btf_kind(t) == BTF_KIND_UNION;
}

static inline uint32_t lt_btf_member_bit(const struct btf_type *t, const struct btf_member *m)
{
	return BTF_INFO_KFLAG(t->info) ? BTF_MEMBER_BIT_OFFSET(m->offset) : m->offset;
}

static inline uint32_t lt_btf_member_bits(const struct btf_type *t, const struct btf_member *m)
{
	return BTF_INFO_KFLAG(t->info) ? BTF_MEMBER_BITFIELD_SIZE(m->offset) : 0;
}

#endif /* LT_FETCH_BTF_H */
