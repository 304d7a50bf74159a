/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which system calls a session leaves out, and what it records of the others.
 */
#ifndef LT_SYSCALL_FILTER_H
#define LT_SYSCALL_FILTER_H

#include <linux/bitmap.h>
#include <linux/types.h>

struct seq_file;

/* A list chooses among the numbers below this one; with a list all others are left out. */
#define LT_FILTER_SYSCALLS	512

/**
 * struct lt_syscall_filter - which calls are recorded
 * @by_number: there are lists of numbers
 * @chosen: those of the machine's ABI, and of its ABI of 32 bits
 * @errors: only calls that fail
 * @min_ns: only calls that take so long
 */
struct lt_syscall_filter {
	bool by_number;
	unsigned long chosen[2][BITS_TO_LONGS(LT_FILTER_SYSCALLS)];
	bool errors;
	u64 min_ns;
};

int lt_syscall_filter_parse(struct lt_syscall_filter *f, const char *native, const char *compat);
void lt_syscall_filter_show(struct seq_file *m);

/* texts.c */
int lt_texts_parse(char *native, char *compat);

#endif /* LT_SYSCALL_FILTER_H */
