// SPDX-License-Identifier: GPL-2.0
/*
 * kmem.bpf.c for kernels that lack bpf_rdonly_cast(), before 6.2.
 */
#define LEVEL_BY_SYMBOL

#include "prog/kmem.bpf.c"
