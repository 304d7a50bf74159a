// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Finding a section of an ELF file.
 */
#include <elf.h>
#include <stddef.h>
#include <string.h>

#include "base/byteorder.h"
#include "fetch/elf.h"

/**
 * struct file - an ELF file, of which nothing was checked
 * @wide: of 64 bits
 * @big: big-endian
 * @sections: offset of the table of sections; @entry: bytes of one; @n: how many
 */
struct file {
	const uint8_t *data;
	size_t size;
	bool wide;
	bool big;
	uint64_t sections;
	uint32_t entry;
	uint32_t n;
};

struct section {
	uint32_t name;
	uint32_t type;
	uint64_t offset;
	uint64_t size;
};

bool lt_elf_is(const uint8_t *data, size_t size)
{
	return size >= EI_NIDENT && !memcmp(data, ELFMAG, SELFMAG);
}

#define FIELD(f, at, narrow, wider, member)						\
	((f)->wide ? get((f), (at), offsetof(wider, member), sizeof(((wider *)0)->member)) : \
		     get((f), (at), offsetof(narrow, member), sizeof(((narrow *)0)->member)))

static uint64_t get(const struct file *f, uint64_t at, size_t offset, size_t size)
{
	const uint8_t *p = f->data + at + offset;

	return size == 2 ? lt_get16(p, f->big) : size == 4 ? lt_get32(p, f->big) :
	       lt_get64(p, f->big);
}

static bool section_at(const struct file *f, uint32_t i, struct section *s)
{
	uint64_t at = f->sections + (uint64_t)i * f->entry;

	if (i >= f->n || at > f->size || f->size - at < f->entry)
		return false;
	s->name = (uint32_t)FIELD(f, at, Elf32_Shdr, Elf64_Shdr, sh_name);
	s->type = (uint32_t)FIELD(f, at, Elf32_Shdr, Elf64_Shdr, sh_type);
	s->offset = FIELD(f, at, Elf32_Shdr, Elf64_Shdr, sh_offset);
	s->size = FIELD(f, at, Elf32_Shdr, Elf64_Shdr, sh_size);
	return s->type != SHT_NOBITS && s->offset <= f->size && s->size <= f->size - s->offset;
}

static bool open_file(struct file *f)
{
	if (!lt_elf_is(f->data, f->size))
		return false;
	f->wide = f->data[EI_CLASS] == ELFCLASS64;
	f->big = f->data[EI_DATA] == ELFDATA2MSB;
	return f->size >= (f->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
}

bool lt_elf_section(const uint8_t *data, size_t size, const char *name, size_t *offset,
		    size_t *length)
{
	struct file f = { .data = data, .size = size };
	size_t len = strlen(name) + 1;
	struct section names, s;

	if (!open_file(&f))
		return false;
	f.sections = FIELD(&f, 0, Elf32_Ehdr, Elf64_Ehdr, e_shoff);
	f.entry = (uint32_t)FIELD(&f, 0, Elf32_Ehdr, Elf64_Ehdr, e_shentsize);
	f.n = (uint32_t)FIELD(&f, 0, Elf32_Ehdr, Elf64_Ehdr, e_shnum);
	if (f.entry < (f.wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)) || f.sections > size ||
	    !section_at(&f, (uint32_t)FIELD(&f, 0, Elf32_Ehdr, Elf64_Ehdr, e_shstrndx), &names))
		return false;
	for (uint32_t i = 0; i < f.n; i++) {
		if (!section_at(&f, i, &s) || s.name >= names.size ||
		    names.size - s.name < len || memcmp(data + names.offset + s.name, name, len))
			continue;
		*offset = s.offset;
		*length = s.size;
		return true;
	}
	return false;
}

void lt_elf_functions(const uint8_t *data, size_t size, void (*take)(void *arg, const char *name),
		      void *arg)
{
	struct file f = { .data = data, .size = size };
	size_t symbols, n, names, names_size, entry;

	if (!open_file(&f) || !lt_elf_section(data, size, ".symtab", &symbols, &n) ||
	    !lt_elf_section(data, size, ".strtab", &names, &names_size) ||
	    !names_size || data[names + names_size - 1])
		return;
	entry = f.wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	for (size_t at = symbols; n >= entry; at += entry, n -= entry) {
		uint32_t name = (uint32_t)FIELD(&f, at, Elf32_Sym, Elf64_Sym, st_name);
		uint8_t info = data[at + (f.wide ? offsetof(Elf64_Sym, st_info) :
						   offsetof(Elf32_Sym, st_info))];

		if ((info & 0xf) == STT_FUNC && FIELD(&f, at, Elf32_Sym, Elf64_Sym, st_shndx) &&
		    name < names_size)
			take(arg, (const char *)data + names + name);
	}
}
