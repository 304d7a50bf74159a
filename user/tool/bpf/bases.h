/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the kernel's code and its objects lie, so that most addresses fit the narrow forms.
 */
#ifndef LT_BPF_BASES_H
#define LT_BPF_BASES_H

#include <stdint.h>

/**
 * lt_bpf_text_base() - below the code of the kernel and its modules
 *
 * Return: 32 bits above it have all of them; 0: not known.
 */
uint64_t lt_bpf_text_base(void);

/**
 * lt_bpf_ptr_base() - below the kernel's map of the machine's memory
 * @object: an address in it; 0: none is known
 *
 * Return: 40 bits above it have all of it, on machines of up to 512 GiB; 0: not known.
 */
uint64_t lt_bpf_ptr_base(uint64_t object);

#endif /* LT_BPF_BASES_H */
