/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of the flags of allocations. The module has them from the kernel's headers; here they come
 * from the kernel's types, or, before these have them, from what is known of its release.
 */
#ifndef LT_BPF_GFP_H
#define LT_BPF_GFP_H

#include <stddef.h>
#include <stdint.h>

struct lt_btf;

#define LT_BPF_GFP_MAX	48

/* A name of flags; composite ones come first. */
struct lt_bpf_gfp {
	uint64_t mask;
	char name[32];
};

/**
 * lt_bpf_gfp_names() - the names of a kernel's flags
 * @btf: types of the kernel; NULL: there are none
 * @release: as uname() gives it
 * @out: gets them
 * Return: how many there are.
 */
size_t lt_bpf_gfp_names(const struct lt_btf *btf, const char *release,
			struct lt_bpf_gfp out[LT_BPF_GFP_MAX]);

#endif /* LT_BPF_GFP_H */
