// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading BTF.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/mem.h"
#include "base/text.h"
#include "fetch/btf.h"
#include "fetch/elf.h"

#define MAX_FILE	(1U << 30)
#define MAX_TYPES	(1U << 24)

static const struct btf_type no_type;

/* Bytes behind a type of that kind; false: there is no such kind. */
static bool size_behind(const struct btf_type *t, size_t *size)
{
	static const uint8_t once[] = {
		[BTF_KIND_INT] = 4, [BTF_KIND_ARRAY] = sizeof(struct btf_array),
		[BTF_KIND_VAR] = 4, [LT_BTF_DECL_TAG] = 4, [LT_BTF_ENUM64] = 0,
	};
	static const uint8_t each[] = {
		[BTF_KIND_STRUCT] = sizeof(struct btf_member),
		[BTF_KIND_UNION] = sizeof(struct btf_member),
		[BTF_KIND_ENUM] = sizeof(struct btf_enum),
		[BTF_KIND_FUNC_PROTO] = sizeof(struct btf_param),
		[BTF_KIND_DATASEC] = 12, [LT_BTF_ENUM64] = sizeof(struct lt_btf_enum64),
	};
	unsigned int kind = lt_btf_kind(t);

	if (kind == BTF_KIND_UNKN || kind >= sizeof(once))
		return false;
	*size = once[kind] + (size_t)each[kind] * lt_btf_vlen(t);
	return true;
}

static bool add_types(struct lt_btf *b, const uint8_t *at, size_t left, struct lt_why *why)
{
	size_t cap = 0, behind;

	while (left) {
		const struct btf_type *t = (const void *)at;

		if (left < sizeof(*t) || !size_behind(t, &behind) ||
		    left - sizeof(*t) < behind) {
			lt_why_set(why, "type %u is of no known kind, or not whole", b->n);
			return false;
		}
		if (b->n >= MAX_TYPES) {
			lt_why_set(why, "more than %u types", MAX_TYPES);
			return false;
		}
		b->types = lt_grow(b->types, &cap, b->n - b->first, sizeof(*b->types));
		b->types[b->n++ - b->first] = t;
		at += sizeof(*t) + behind;
		left -= sizeof(*t) + behind;
	}
	return true;
}

static bool check_strings(const char *s, size_t size, struct lt_why *why)
{
	if (!size || s[size - 1]) {
		lt_why_set(why, "the names have no end");
		return false;
	}
	for (size_t i = 0; i < size; i++) {
		if (s[i] && (s[i] < ' ' || s[i] > '~')) {
			lt_why_set(why, "a name has a byte 0x%02x (byte %zu of the names)",
				   (unsigned char)s[i], i);
			return false;
		}
	}
	return true;
}

/* Types and their tables are made of words of 4 bytes alone. */
static void swap_words(uint8_t *p, size_t size)
{
	for (; size >= 4; p += 4, size -= 4) {
		uint32_t v;

		memcpy(&v, p, 4);
		v = __builtin_bswap32(v);
		memcpy(p, &v, 4);
	}
}

/* A pointer is as large as a long. */
static unsigned int find_word(const struct lt_btf *b)
{
	for (uint32_t id = b->first; id < b->n; id++) {
		const struct btf_type *t = lt_btf_type(b, id);
		const char *name = lt_btf_name(b, t->name_off);

		if (lt_btf_kind(t) == BTF_KIND_INT && (t->size == 4 || t->size == 8) &&
		    (!strcmp(name, "long") || !strcmp(name, "long int") ||
		     !strcmp(name, "unsigned long") || !strcmp(name, "long unsigned int")))
			return t->size;
	}
	return 8;
}

static bool parse(struct lt_btf *b, size_t size, struct lt_why *why)
{
	struct btf_header h;
	uint8_t *types;

	if (size < sizeof(h)) {
		lt_why_set(why, "%zu bytes are too few for BTF", size);
		return false;
	}
	memcpy(&h, b->data, sizeof(h));
	b->big = lt_get16(b->data, true) == BTF_MAGIC;
	if (!b->big && lt_get16(b->data, false) != BTF_MAGIC) {
		lt_why_set(why, "it is neither BTF nor an ELF file with a section .BTF");
		return false;
	}
	if (h.version != BTF_VERSION) {
		lt_why_set(why, "BTF of version %u; 1 is known", h.version);
		return false;
	}
	h.hdr_len = lt_get32(&h.hdr_len, b->big);
	h.type_off = lt_get32(&h.type_off, b->big);
	h.type_len = lt_get32(&h.type_len, b->big);
	h.str_off = lt_get32(&h.str_off, b->big);
	h.str_len = lt_get32(&h.str_len, b->big);
	if (h.hdr_len < sizeof(h) || h.hdr_len > size || h.hdr_len % 4 || h.type_off % 4 ||
	    h.type_off > size - h.hdr_len || h.type_len > size - h.hdr_len - h.type_off ||
	    h.str_off > size - h.hdr_len || h.str_len > size - h.hdr_len - h.str_off) {
		lt_why_set(why, "the header of BTF points beyond its %zu bytes", size);
		return false;
	}
	types = b->data + h.hdr_len + h.type_off;
	if (b->big != (__BYTE_ORDER == __BIG_ENDIAN)) {
		if (h.str_off < h.type_off + h.type_len && h.type_off < h.str_off + h.str_len) {
			lt_why_set(why, "types and names of BTF overlap");
			return false;
		}
		swap_words(types, h.type_len);
	}
	b->strings = (const char *)b->data + h.hdr_len + h.str_off;
	b->end_string = b->first_string + h.str_len;
	return check_strings(b->strings, h.str_len, why) && add_types(b, types, h.type_len, why);
}

struct lt_btf *lt_btf_parse(uint8_t *data, size_t size, struct lt_btf *base, struct lt_why *why)
{
	struct lt_btf *b = lt_alloc(sizeof(*b));

	b->data = data;
	b->base = base;
	b->first = base ? base->n : 1;
	b->first_string = base ? base->end_string : 0;
	b->n = b->first;
	if (!parse(b, size, why)) {
		lt_btf_free(b);
		return NULL;
	}
	if (base && base->big != b->big) {
		lt_why_set(why, "its byte order is not that of the kernel's types");
		lt_btf_free(b);
		return NULL;
	}
	b->word = base ? base->word : find_word(b);
	return b;
}

/*
 * The first byte of the names, 0 in types that are built upon no others. Return: -1: it has none.
 */
static int first_of_names(const uint8_t *data, size_t size)
{
	struct btf_header h;
	uint64_t at;
	bool big;

	if (size < sizeof(h))
		return -1;
	memcpy(&h, data, sizeof(h));
	big = lt_get16(data, true) == BTF_MAGIC;
	if (!big && lt_get16(data, false) != BTF_MAGIC)
		return -1;
	at = (uint64_t)lt_get32(&h.hdr_len, big) + lt_get32(&h.str_off, big);
	return lt_get32(&h.str_len, big) && at < size ? data[at] : -1;
}

bool lt_btf_is_whole(const uint8_t *data, size_t size)
{
	return first_of_names(data, size) == 0;
}

struct lt_btf *lt_btf_read(const char *path, struct lt_btf *base, struct lt_why *why)
{
	size_t size, offset, length;
	uint8_t *data = (uint8_t *)lt_read_text_file(path, MAX_FILE, &size);

	if (!data) {
		lt_why_set(why, "%s", strerror(errno));
		return NULL;
	}
	if (lt_elf_is(data, size)) {
		if (!lt_elf_section(data, size, ".BTF", &offset, &length)) {
			lt_why_set(why, "the ELF file has no section .BTF");
			free(data);
			return NULL;
		}
		memmove(data, data + offset, length);
		data = lt_realloc(data, length ? length : 1);
		size = length;
	}
	if (!base && first_of_names(data, size) > 0) {
		lt_why_set(why, "it is damaged, or has the types of a module, which need those of its kernel: there "
			   "name a function as MODULE:NAME, without a file");
		free(data);
		return NULL;
	}
	return lt_btf_parse(data, size, base, why);
}

void lt_btf_free(struct lt_btf *b)
{
	if (!b)
		return;
	free(b->types);
	free(b->data);
	free(b);
}

const struct btf_type *lt_btf_type(const struct lt_btf *b, uint32_t id)
{
	while (b->base && id < b->first)
		b = b->base;
	return id >= b->first && id < b->n ? b->types[id - b->first] : &no_type;
}

const char *lt_btf_name(const struct lt_btf *b, uint32_t offset)
{
	while (b->base && offset < b->first_string)
		b = b->base;
	return offset < b->end_string ? b->strings + (offset - b->first_string) : "";
}

static bool is_cover(const struct btf_type *t)
{
	switch (lt_btf_kind(t)) {
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case LT_BTF_TYPE_TAG:
		return true;
	default:
		return false;
	}
}

uint32_t lt_btf_plain(const struct lt_btf *b, uint32_t id)
{
	for (unsigned int i = 0; i < LT_BTF_DEPTH; i++) {
		const struct btf_type *t = lt_btf_type(b, id);

		if (!is_cover(t))
			return id;
		id = t->type;
	}
	return 0;
}

bool lt_btf_tagged(const struct lt_btf *b, uint32_t id, const char *tag)
{
	for (unsigned int i = 0; i < LT_BTF_DEPTH; i++) {
		const struct btf_type *t = lt_btf_type(b, id);

		if (!is_cover(t))
			return false;
		if (lt_btf_kind(t) == LT_BTF_TYPE_TAG && !strcmp(lt_btf_name(b, t->name_off), tag))
			return true;
		id = t->type;
	}
	return false;
}

uint64_t lt_btf_size(const struct lt_btf *b, uint32_t id)
{
	uint64_t n = 1;

	for (unsigned int i = 0; i < LT_BTF_DEPTH; i++) {
		const struct btf_type *t;
		const struct btf_array *a;

		id = lt_btf_plain(b, id);
		t = lt_btf_type(b, id);
		switch (lt_btf_kind(t)) {
		case BTF_KIND_INT:
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
		case BTF_KIND_ENUM:
		case LT_BTF_FLOAT:
		case LT_BTF_ENUM64:
			return n * t->size;
		case BTF_KIND_PTR:
			return n * b->word;
		case BTF_KIND_ARRAY:
			a = lt_btf_behind(t);
			if (a->nelems && n > UINT32_MAX / a->nelems)
				return 0;
			n *= a->nelems;
			id = a->type;
			break;
		default:
			return 0;
		}
	}
	return 0;
}
