/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all programs include.
 */
#ifndef LT_BPF_BASE_H
#define LT_BPF_BASE_H

#include "prog/kernel.h"

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "raw.h"

#define AI		static __always_inline
#define UNLIKELY(x)	__builtin_expect(!!(x), 0)
#define NO_UNROLL	_Pragma("clang loop unroll(disable)")

/* Of programs of functions. 6.1 lets no program read a "void *" from its context itself. */
AI u64 arg(u64 *ctx, u32 i)
{
	u64 value = 0;

	bpf_get_func_arg(ctx, i, &value);
	return value;
}

AI u64 result(u64 *ctx)
{
	u64 value = 0;

	bpf_get_func_ret(ctx, &value);
	return value;
}

char LICENSE[] SEC("license") = "GPL";

#endif /* LT_BPF_BASE_H */
