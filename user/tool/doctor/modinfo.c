// SPDX-License-Identifier: GPL-2.0
/*
 * The section .modinfo of a kernel module. The file may be of another machine, or damaged.
 */
#include <stdio.h>
#include <string.h>

#include "base/byteorder.h"
#include "doctor/doctor.h"

struct elf {
	const uint8_t *data;
	size_t size;
	bool wide;		/* 64 bits */
	bool big;
};

struct section {
	const uint8_t *data;
	size_t size;
	uint32_t name;
};

static const uint8_t *range(const struct elf *e, uint64_t offset, uint64_t size)
{
	return offset <= e->size && size <= e->size - offset ? e->data + offset : NULL;
}

static bool read_elf(struct elf *e, const void *data, size_t size)
{
	const uint8_t *p = data;

	/* 64 bytes: the larger one of the two ELF headers. */
	if (size < 64 || memcmp(p, "\177ELF", 4) || p[4] < 1 || p[4] > 2 || p[5] < 1 || p[5] > 2)
		return false;
	*e = (struct elf){ .data = p, .size = size, .wide = p[4] == 2, .big = p[5] == 2 };
	return true;
}

static bool read_section(const struct elf *e, unsigned int i, struct section *s)
{
	uint64_t table = lt_get_uint(e->data + (e->wide ? 0x28 : 0x20), e->wide ? 8 : 4, e->big);
	unsigned int each = lt_get16(e->data + (e->wide ? 0x3a : 0x2e), e->big);
	unsigned int need = e->wide ? 64 : 40;
	const uint8_t *p;
	uint64_t offset;

	/* Both factors have 16 bits, so the product cannot overflow. */
	if (each < need || table > e->size)
		return false;
	p = range(e, table + (uint64_t)i * each, need);
	if (!p)
		return false;
	offset = lt_get_uint(p + (e->wide ? 0x18 : 0x10), e->wide ? 8 : 4, e->big);
	s->size = lt_get_uint(p + (e->wide ? 0x20 : 0x14), e->wide ? 8 : 4, e->big);
	s->name = lt_get32(p, e->big);
	s->data = range(e, offset, s->size);
	return s->data;
}

static bool find_section(const struct elf *e, const char *name, struct section *s)
{
	unsigned int n = lt_get16(e->data + (e->wide ? 0x3c : 0x30), e->big);
	size_t len = strlen(name) + 1;
	struct section names;

	if (!read_section(e, lt_get16(e->data + (e->wide ? 0x3e : 0x32), e->big), &names))
		return false;
	for (unsigned int i = 0; i < n; i++) {
		if (read_section(e, i, s) && s->name <= names.size &&
		    len <= names.size - s->name && !memcmp(names.data + s->name, name, len))
			return true;
	}
	return false;
}

bool lt_modinfo(const void *elf, size_t size, const char *key, char *value,
		size_t value_size)
{
	size_t len = strlen(key), at = 0;
	struct section s;
	struct elf e;

	if (!read_elf(&e, elf, size) || !find_section(&e, ".modinfo", &s))
		return false;
	while (at < s.size) {
		const char *word = (const char *)s.data + at;
		size_t n = strnlen(word, s.size - at);

		if (n > len && !memcmp(word, key, len) && word[len] == '=') {
			snprintf(value, value_size, "%.*s", (int)(n - len - 1), word + len + 1);
			return true;
		}
		at += n + 1;
	}
	return false;
}
