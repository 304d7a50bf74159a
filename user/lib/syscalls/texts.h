/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What arguments of system calls point to, as text.
 */
#ifndef LT_SYSCALLS_TEXTS_H
#define LT_SYSCALLS_TEXTS_H

#include <stddef.h>

#include "syscalls/syscall.h"

/* Whether an argument's text, or a part of it, was recorded. */
bool lt_syscall_has_text(const struct lt_syscall *call, unsigned int arg);

/*
 * Whether a text of an argument, or an element of it, was read when the call returned, and may be
 * something else than the kernel has read.
 */
bool lt_syscall_text_is_late(const struct lt_syscall *call, unsigned int arg);

/**
 * lt_syscall_put_text() - what an argument points to, as strace writes it
 * @arg: number of the argument, of which lt_syscall_has_text()
 * @to: result
 * @size: bytes there, the zero at the end included; what does not fit is left out
 *
 * "\"/etc/passwd\"", "[\"ls\", \"-l\"]", "{sa_family=AF_INET, sin_port=htons(80), ...}". Dots
 * follow what was cut, and " [read at the return]" what lt_syscall_text_is_late().
 * Return: bytes without the zero.
 */
size_t lt_syscall_put_text(const struct lt_syscall *call, unsigned int arg, char *to, size_t size);

/**
 * lt_syscall_path() - the path that an argument is
 * @arg: number of the argument
 * @directory: where a path begins that does not begin with /; NULL: not known
 *
 * Return: to be freed; NULL: it was not recorded, or not whole, or may be another one.
 */
char *lt_syscall_path(const struct lt_syscall *call, unsigned int arg, const char *directory);

/*
 * "</etc/passwd>", as strace writes it behind a descriptor. @to: result, of @size bytes with the
 * zero at its end; what does not fit is left out. Return: bytes without the zero.
 */
size_t lt_syscall_put_path(const char *path, char *to, size_t size);

#endif /* LT_SYSCALLS_TEXTS_H */
