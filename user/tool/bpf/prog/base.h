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
#define NO_UNROLL	_Pragma("clang loop unroll(disable)")

char LICENSE[] SEC("license") = "GPL";

#endif /* LT_BPF_BASE_H */
