/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is unusual about a system call.
 */
#ifndef LT_SYSCALLS_REMARKS_H
#define LT_SYSCALLS_REMARKS_H

#include "syscalls/syscall.h"

/**
 * lt_syscall_remarks() - what is unusual about a call, not about an argument of it
 * @buf: of @size bytes, 512 are enough
 * Return: @buf: words, separated by commas; "" if there is nothing
 */
const char *lt_syscall_remarks(const struct lt_syscall *call, char *buf, size_t size);

/* Whether a text of its arguments is late, see lt_syscall_text_is_late(). */
bool lt_syscall_has_late_text(const struct lt_syscall *call);

#endif /* LT_SYSCALLS_REMARKS_H */
