/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a trace proves, and what it does not.
 */
#ifndef LT_PRINT_VERIFY_H
#define LT_PRINT_VERIFY_H

#include <stdbool.h>

#include "base/out.h"
#include "verify/check.h"

/**
 * struct lt_verify_view - what is printed
 * @file: the trace, which is read again for what it proves of tasks and of its parts
 * @quiet: only what fails
 * @cpus: the counters of each CPU, too
 */
struct lt_verify_view {
	const char *file;
	bool quiet;
	bool cpus;
};

/* Return: whether all holds. */
bool lt_verify_print(struct lt_out *out, const struct lt_verify_view *p,
		     const struct lt_verify_result *v);

#endif /* LT_PRINT_VERIFY_H */
