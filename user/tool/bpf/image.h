/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of obj/, as bytes of this program: the Makefile makes these.
 */
#ifndef LT_BPF_IMAGE_H
#define LT_BPF_IMAGE_H

#include <stddef.h>

struct lt_bpf_image {
	const unsigned char *bytes;
	size_t size;
};

extern const struct lt_bpf_image lt_bpf_image_asked, lt_bpf_image_kmem, lt_bpf_image_kmem_symbol;
extern const struct lt_bpf_image lt_bpf_image_pid, lt_bpf_image_sys;
extern const struct lt_bpf_image lt_bpf_image_area;

#endif /* LT_BPF_IMAGE_H */
