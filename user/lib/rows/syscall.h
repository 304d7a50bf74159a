/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows of system calls, and of results of requests of io_uring; the row is a struct lt_syscall.
 */
#ifndef LT_ROWS_SYSCALL_H
#define LT_ROWS_SYSCALL_H

#include "rows/column.h"
#include "syscalls/args.h"
#include "syscalls/syscall.h"

/**
 * struct lt_syscall_ctx - what the getters need
 * @common: with @addresses
 * @raw: arguments as numbers
 * @text: of the latest value
 */
struct lt_syscall_ctx {
	struct lt_row_ctx common;
	bool raw;
	char text[LT_SYSCALL_TEXT];
};

extern const struct lt_row_kind lt_rows_of_syscall, lt_rows_of_request;

/* The arguments, in @c->text: without addresses of the program unless they are asked for. */
const char *lt_syscall_row_args(struct lt_syscall_ctx *c, const struct lt_syscall *call);

/* Whether there is a result that may leave. */
bool lt_syscall_row_has_result(const struct lt_syscall_ctx *c, const struct lt_syscall *call);

/* The user_data of a request, in @c->text; NULL if it may be an address, which is a secret. */
const char *lt_syscall_row_user_data(struct lt_syscall_ctx *c, const struct lt_syscall *call);

#endif /* LT_ROWS_SYSCALL_H */
