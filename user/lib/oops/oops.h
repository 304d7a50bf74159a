/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The addresses in what the kernel prints when it finds a fault: oops, BUG, KASAN's and SLUB's
 * reports, corrupted lists; alone or in a whole log, with or without the prefixes of dmesg and
 * journalctl.
 */
#ifndef LT_OOPS_OOPS_H
#define LT_OOPS_OOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"

#define LT_OOPS_VALUES	4096	/* more values in a text are refused */

/* What a report says that a value is. */
enum lt_oops_kind {
	LT_OOPS_REGISTER,
	LT_OOPS_FAULT,		/* the address of the access that failed */
	LT_OOPS_WORD,		/* any other address in the text */
	LT_OOPS_PFN,		/* a page frame number */
	LT_OOPS_HASHED,		/* printed by %p: not the address, but a hash of it */
};

/**
 * struct lt_oops_value - a value in a report
 * @name: the register, or the words before the value; plain ASCII
 * @value: as it is printed; 0 of LT_OOPS_HASHED if no number is printed
 * @kind: what it is
 * @report: index of its report
 * @line: of the text, from 1 on
 */
struct lt_oops_value {
	char name[40];
	uint64_t value;
	enum lt_oops_kind kind;
	uint32_t report;
	uint32_t line;
};

/**
 * struct lt_oops_report - one report
 * @title: its first line
 * @where: the function of the instruction, as the report has it: "f+0x12/0x34 [m]"; empty: not
 *	known
 * @release: of the kernel; empty: the report does not have it
 * @comm: of the task; empty: not known
 * @pid: of the task, as the kernel numbers it, with @comm
 * @line: of @title, from 1 on
 * @release_line: of @release
 * @has_time: @time_ns is known
 * @time_ns: since boot, as the log has it
 */
struct lt_oops_report {
	char title[160];
	char where[96];
	char release[65];
	char comm[17];
	uint32_t pid;
	uint32_t line;
	uint32_t release_line;
	bool has_time;
	uint64_t time_ns;
};

/**
 * struct lt_oops - what a text has
 * @reports: in the order of the text; at least one if there are values
 * @values: in the order of the text; a value that a report has twice under one name is there once
 * @n_user: registers of user space, which are left out
 * @has_offset: a line "Kernel Offset" gives @offset from @link_address
 * @offset: by how much the kernel was moved from where it was linked
 * @link_address: of the kernel's first byte
 * @offset_line: of that line
 */
struct lt_oops {
	struct lt_oops_report *reports;
	size_t n_reports;
	size_t cap_reports;
	struct lt_oops_value *values;
	size_t n_values;
	size_t cap_values;
	size_t n_user;
	bool has_offset;
	uint64_t offset;
	uint64_t link_address;
	uint32_t offset_line;
};

/**
 * lt_oops_parse() - find the values in a text
 * @o: to be freed by lt_oops_destroy(), whatever is returned
 * @why: why the text is refused
 * Return: 0, or -1: it has no value, or too many.
 */
int lt_oops_parse(struct lt_oops *o, const char *text, struct lt_why *why);
void lt_oops_destroy(struct lt_oops *o);

/**
 * lt_poison() - what a value is that is no address
 * @v: the value
 * @ptr_size: bytes of a pointer of that kernel
 * @machine: as uname(1) has it; empty: not known
 * @buf: for the text
 * Return: a sentence on what writes such a value, or @buf with one; NULL: it may be an address of
 * the kernel.
 */
const char *lt_poison(uint64_t v, unsigned int ptr_size, const char *machine, char *buf,
		      size_t size);

#endif /* LT_OOPS_OOPS_H */
