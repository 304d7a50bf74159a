/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lifetrace calls --list.
 */
#ifndef LT_CMD_CALLS_LIST_H
#define LT_CMD_CALLS_LIST_H

#include "cmd/args.h"
#include "fetch/fetch.h"

extern const struct lt_row_kind lt_rows_of_function;

/**
 * struct lt_calls_list - what is listed
 * @specs: @n_specs of them
 * @why: those that are refused or not fetched as asked, alone
 * @types: --btf; NULL: the running kernel
 * @symbols: --kallsyms; NULL: none
 * @machine: --machine; NULL: this one's
 */
struct lt_calls_list {
	char **specs;
	size_t n_specs;
	bool why;
	const char *types;
	const char *symbols;
	const char *machine;
};

/* Return: enum lt_exit. */
int lt_calls_list(const struct lt_calls_list *l, const struct lt_args *args);

#endif /* LT_CMD_CALLS_LIST_H */
