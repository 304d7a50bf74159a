/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libdw, which is loaded when it is needed first: most commands never need it, and lifetrace
 * runs where it is not installed.
 */
#ifndef LT_LIB_LINES_DW_H
#define LT_LIB_LINES_DW_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

#include "base/why.h"

#define LT_DW_FUNCTIONS(F)								\
	F(dwarf_attr_integrate) F(dwarf_child) F(dwarf_diename) F(dwarf_filesrc)	\
	F(dwarf_formstring) F(dwarf_formudata) F(dwarf_getsrc_die) F(dwarf_getsrcfiles)	\
	F(dwarf_haspc) F(dwarf_lineno) F(dwarf_linesrc) F(dwarf_siblingof) F(dwarf_tag)	\
	F(dwfl_begin) F(dwfl_end) F(dwfl_errmsg) F(dwfl_errno) F(dwfl_module_addrdie)	\
	F(dwfl_module_build_id) F(dwfl_module_getdwarf) F(dwfl_module_getelf)		\
	F(dwfl_module_getsym_info) F(dwfl_module_getsymtab) F(dwfl_module_nextcu)	\
	F(dwfl_offline_section_address) F(dwfl_report_end) F(dwfl_report_offline)	\
	F(elf_getdata) F(elf_getshdrstrndx) F(elf_nextscn) F(elf_strptr)		\
	F(gelf_getehdr) F(gelf_getshdr) F(elf_getscn)

struct lt_dw {
#define F(name)	__typeof__(&name) name;
	LT_DW_FUNCTIONS(F)
#undef F
};

/* NULL: it cannot be loaded. */
const struct lt_dw *lt_dw_load(struct lt_why *why);

#endif /* LT_LIB_LINES_DW_H */
