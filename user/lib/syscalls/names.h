/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of system calls and of errors, by the machine of the trace.
 */
#ifndef LT_SYSCALLS_NAMES_H
#define LT_SYSCALLS_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* What the numbers of a machine's system calls mean. */
struct lt_abi;

/**
 * lt_abi_of() - the ABI of a machine
 * @machine: as uname -m has it, as in INFO; NULL: not known
 * @compat: that of its programs of 32 bits
 * Return: NULL: this version has no names for it.
 */
const struct lt_abi *lt_abi_of(const char *machine, bool compat);

/* That of requests of io_uring, whose numbers are opcodes; the same for all machines. */
const struct lt_abi *lt_abi_of_requests(void);

/*
 * The ABI of a call by its number, of a machine's @abi, which may be NULL: on x86-64 a bit of it
 * says that it is of x32.
 */
const struct lt_abi *lt_abi_of_syscall(const struct lt_abi *abi, int32_t nr);
bool lt_abi_is_x32(const struct lt_abi *abi);

/* "x86_64", "i386" and so on; "x32", "io_uring". */
const char *lt_abi_name(const struct lt_abi *abi);

/* The name of a call; NULL: the number has none. @abi may be NULL. */
const char *lt_syscall_name(const struct lt_abi *abi, int32_t nr);

#define LT_ABOVE_NAMES	512	/* no machine has a name for a number from here on, but x32 */
#define LT_SYSCALL_LABEL	32

/*
 * What a call is called where it may have no name: "call_1000", "IORING_OP_100". @buf: may hold the
 * result.
 */
const char *lt_syscall_label(const struct lt_abi *abi, int32_t nr, char buf[LT_SYSCALL_LABEL]);

/*
 * Whether a word is a number of system calls: "999", or "call_999" or "IORING_OP_999" for one that
 * is above all names. @nr: result.
 */
bool lt_syscall_is_number(const char *word, int32_t *nr);

/* The registers that are arguments of a call; LT_SYSCALL_MAX_ARGS where that is not known. */
unsigned int lt_syscall_n_args(const struct lt_abi *abi, int32_t nr);

#define LT_SYSCALL_MAX_ARGS	6

/**
 * lt_error_name() - the name of an error
 * @error: as the kernel has it, from 1 on; those from 512 on never get to user space
 * Return: "ENOENT"; NULL: there is none.
 */
const char *lt_error_name(unsigned int error);

/* A sentence about it; NULL: there is none. */
const char *lt_error_text(unsigned int error);

#endif /* LT_SYSCALLS_NAMES_H */
