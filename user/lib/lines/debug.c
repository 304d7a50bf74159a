// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Opening of debug files, and what they say about themselves.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "lines/debug.h"

/* A FIFO or a device must not stop the reader. Return: a descriptor, -1 with the reason. */
static int open_regular(const char *path, struct lt_why *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0) {
		lt_why_set(why, "%s", strerror(errno));
		return -1;
	}
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	lt_why_set(why, "expected a debug file, which is a regular file");
	close(fd);
	return -1;
}

#ifdef LT_HAVE_LIBDW

#include "lines/debug_internal.h"

/* Debug data of other files (by links, or from servers) would not be that of this build id. */
static int no_other_file(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **path)
{
	(void)mod;
	(void)data;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)path;
	return -1;
}

static void read_id(struct lt_debug *d)
{
	const unsigned char *bits;
	GElf_Addr vaddr;
	int n = d->dw->dwfl_module_build_id(d->mod, &bits, &vaddr);

	if (n < 2 || n > LT_BUILD_ID)
		return;
	for (int i = 0; i < n; i++)
		sprintf(d->id + 2 * i, "%02x", bits[i]);
}

/* Takes the descriptor. */
static bool begin(struct lt_debug *d, int fd, struct lt_why *why)
{
	static const Dwfl_Callbacks callbacks = {
		.find_debuginfo = no_other_file,
	};
	/* The other functions of it are known only when libdw is loaded. */
	static Dwfl_Callbacks with_sections;
	GElf_Addr bias;
	GElf_Ehdr ehdr;
	Elf *elf;

	with_sections = callbacks;
	with_sections.section_address = d->dw->dwfl_offline_section_address;
	d->dwfl = d->dw->dwfl_begin(&with_sections);
	if (d->dwfl)
		d->mod = d->dw->dwfl_report_offline(d->dwfl, "debug", d->path, fd);
	if (!d->mod)
		close(fd);
	if (!d->mod || d->dw->dwfl_report_end(d->dwfl, NULL, NULL)) {
		lt_why_set(why, "expected an ELF file: %s",
			   d->dw->dwfl_errmsg(d->dw->dwfl_errno()));
		return false;
	}
	elf = d->dw->dwfl_module_getelf(d->mod, &bias);
	if (!elf || !d->dw->gelf_getehdr(elf, &ehdr)) {
		lt_why_set(why, "expected an ELF file: %s",
			   d->dw->dwfl_errmsg(d->dw->dwfl_errno()));
		return false;
	}
	d->module = ehdr.e_type == ET_REL;
	read_id(d);
	return true;
}

struct lt_debug *lt_debug_open(const char *path, struct lt_why *why)
{
	const struct lt_dw *dw = lt_dw_load(why);
	struct lt_debug *d;
	int fd;

	if (!dw)
		return NULL;
	fd = open_regular(path, why);
	if (fd < 0)
		return NULL;
	d = lt_alloc(sizeof(*d));
	d->dw = dw;
	d->path = lt_strdup(path);
	if (begin(d, fd, why))
		return d;
	lt_debug_close(d);
	return NULL;
}

void lt_debug_close(struct lt_debug *d)
{
	if (!d)
		return;
	if (d->dwfl)
		d->dw->dwfl_end(d->dwfl);
	free(d->path);
	free(d->root);
	free(d);
}

const char *lt_debug_path(const struct lt_debug *d)
{
	return d->path;
}

const char *lt_debug_id(const struct lt_debug *d)
{
	return d->id;
}

bool lt_debug_is_module(const struct lt_debug *d)
{
	return d->module;
}

bool lt_debug_has_lines(struct lt_debug *d, struct lt_why *why)
{
	Dwarf_Addr bias;

	if (d->dw->dwfl_module_getdwarf(d->mod, &bias) &&
	    d->dw->dwfl_module_nextcu(d->mod, NULL, &bias))
		return true;
	lt_why_set(why, "it has no debug information (%s)",
		   d->dw->dwfl_errmsg(d->dw->dwfl_errno()));
	return false;
}

/* Finds a section of an ELF file. Its header has the address that libdw has chosen. */
static Elf_Scn *find_section(const struct lt_debug *d, const char *name, GElf_Shdr *shdr,
			     GElf_Addr *bias)
{
	Elf *elf = d->dw->dwfl_module_getelf(d->mod, bias);
	Elf_Scn *scn = NULL;
	size_t names;

	if (!elf || d->dw->elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = d->dw->elf_nextscn(elf, scn))) {
		const char *found;

		if (!d->dw->gelf_getshdr(scn, shdr))
			continue;
		found = d->dw->elf_strptr(elf, names, shdr->sh_name);
		if (found && !strcmp(found, name))
			return scn;
	}
	return NULL;
}

bool lt_debug_section(struct lt_debug *d, const char *name, uint64_t *addr)
{
	GElf_Shdr shdr;
	GElf_Addr bias;

	if (!find_section(d, name, &shdr, &bias) || !(shdr.sh_flags & SHF_ALLOC))
		return false;
	*addr = shdr.sh_addr + bias;
	return true;
}

bool lt_debug_symbol(struct lt_debug *d, const char *name, uint64_t *addr)
{
	int n = d->dw->dwfl_module_getsymtab(d->mod);
	bool found = false;

	for (int i = 1; i < n; i++) {
		GElf_Addr value;
		GElf_Sym sym;
		GElf_Word shndx;
		const char *known = d->dw->dwfl_module_getsym_info(d->mod, i, &sym, &value, &shndx,
								   NULL, NULL);

		if (!known || strcmp(known, name) || sym.st_shndx == SHN_UNDEF)
			continue;
		/* Static functions may have one name: neither is the right one. */
		if (found && value != *addr)
			return false;
		*addr = value;
		found = true;
	}
	return found;
}

/* The word behind @mark in the contents of a section, which may begin at an offset. */
static bool word_behind(const struct lt_debug *d, Elf_Scn *scn, uint64_t from, const char *mark,
			char *word, size_t size)
{
	Elf_Data *data = d->dw->elf_getdata(scn, NULL);
	const char *text, *found;
	size_t left, n;

	if (!data || !data->d_buf || from >= data->d_size)
		return false;
	text = (const char *)data->d_buf + from;
	left = data->d_size - from;
	found = memmem(text, left, mark, strlen(mark));
	if (!found)
		return false;
	found += strlen(mark);
	left -= (size_t)(found - text);
	for (n = 0; n < left && n + 1 < size && found[n] > ' ' && found[n] < 0x7f; n++)
		word[n] = found[n];
	word[n] = 0;
	return n && n < left;
}

bool lt_debug_release(const struct lt_debug *d, char *release, size_t size)
{
	GElf_Shdr shdr;
	GElf_Addr bias;
	Elf_Scn *scn = find_section(d, d->module ? ".modinfo" : ".rodata", &shdr, &bias);

	/* Files that have debug information alone name the section, without its contents. */
	if (!scn || shdr.sh_type == SHT_NOBITS)
		return false;
	return word_behind(d, scn, 0, d->module ? "vermagic=" : "Linux version ", release, size);
}

#else /* LT_HAVE_LIBDW */

struct lt_debug {
	const char *path;
};

struct lt_debug *lt_debug_open(const char *path, struct lt_why *why)
{
	int fd = open_regular(path, why);

	if (fd >= 0) {
		close(fd);
		lt_why_set(why, "this lifetrace was built without libdw, and reads no debug files");
	}
	return NULL;
}

void lt_debug_close(struct lt_debug *d)
{
	(void)d;
}

const char *lt_debug_path(const struct lt_debug *d)
{
	return d->path;
}

const char *lt_debug_id(const struct lt_debug *d)
{
	(void)d;
	return "";
}

bool lt_debug_is_module(const struct lt_debug *d)
{
	(void)d;
	return false;
}

bool lt_debug_release(const struct lt_debug *d, char *release, size_t size)
{
	(void)d;
	(void)release;
	(void)size;
	return false;
}

bool lt_debug_has_lines(struct lt_debug *d, struct lt_why *why)
{
	(void)d;
	(void)why;
	return false;
}

bool lt_debug_section(struct lt_debug *d, const char *name, uint64_t *addr)
{
	(void)d;
	(void)name;
	(void)addr;
	return false;
}

bool lt_debug_symbol(struct lt_debug *d, const char *name, uint64_t *addr)
{
	(void)d;
	(void)name;
	(void)addr;
	return false;
}

size_t lt_debug_resolve(struct lt_debug *d, uint64_t addr,
			struct lt_debug_frame frames[LT_MAX_FRAMES])
{
	(void)d;
	(void)addr;
	(void)frames;
	return 0;
}

#endif /* LT_HAVE_LIBDW */
