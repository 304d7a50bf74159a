/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists of system calls, for the module: it knows numbers only.
 */
#ifndef LT_RECORD_SYSCALLS_H
#define LT_RECORD_SYSCALLS_H

#include <stdbool.h>

/**
 * lt_record_syscall_lists() - numbers of system calls
 * @machine: as uname -m has it
 * @names: names, patterns (fnmatch) and numbers, separated by commas; a number is of both ABIs
 * @native: result, to be freed: "0,2,257-260", numbers of the machine's ABI
 * @compat: of its ABI of 32 bits; "": it has none, or no such call
 * Return: 0; -1, after saying why: a word matches no call, or the machine is not known.
 */
int lt_record_syscall_lists(const char *machine, const char *names, char **native, char **compat);

/**
 * lt_record_syscall_texts() - which arguments of calls point to something that can be recorded
 * @machine: as uname -m has it
 * @native: result, to be freed: "2:t,59:tv", as the module's parameter call_texts
 * @compat: of its ABI of 32 bits; "": it has none
 * Return: 0; -1, after saying why: the machine is not known.
 */
int lt_record_syscall_texts(const char *machine, char **native, char **compat);
int lt_record_syscall_texts_here(char **native, char **compat);

/*
 * Whether the module's lists can have all calls of @names:
 * they have no numbers above the named ones.
 */
bool lt_record_syscalls_are_listable(const char *names);

/* Of this machine. */
int lt_record_syscall_lists_here(const char *names, char **native, char **compat);

#endif /* LT_RECORD_SYSCALLS_H */
