/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The header of a made-up ELF file of this machine's byte order, whose sections stand behind it.
 */
#ifndef ELFMAKE_H
#define ELFMAKE_H

#include <elf.h>
#include <string.h>

/* @names: the section that has the names of sections */
static inline void elf_head(Elf64_Ehdr *head, unsigned int sections, unsigned int names)
{
	memcpy(head->e_ident, ELFMAG, SELFMAG);
	head->e_ident[EI_CLASS] = ELFCLASS64;
	head->e_ident[EI_DATA] = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
	head->e_shoff = sizeof(*head);
	head->e_shentsize = sizeof(Elf64_Shdr);
	head->e_shnum = (Elf64_Half)sections;
	head->e_shstrndx = (Elf64_Half)names;
}

#endif /* ELFMAKE_H */
