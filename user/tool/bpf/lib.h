/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libbpf, which is loaded when it is needed first: lifetrace runs where it is not installed.
 */
#ifndef LT_BPF_LIB_H
#define LT_BPF_LIB_H

/* Those of libbpf: this room has a bpf/bpf.h, too. */
#include_next <bpf/bpf.h>
#include_next <bpf/libbpf.h>

#include "base/why.h"

#define LT_LIBBPF_FUNCTIONS(F)								\
	F(bpf_iter_create) F(bpf_link__destroy) F(bpf_link__fd) F(bpf_map__fd)		\
	F(bpf_map__initial_value) F(bpf_map__name) F(bpf_map__reuse_fd)			\
	F(bpf_map__set_autocreate) F(bpf_map__set_max_entries) F(bpf_map__value_size) F(bpf_map_create)		\
	F(bpf_map_update_elem) F(bpf_obj_get_info_by_fd) F(bpf_object__close)		\
	F(bpf_object__find_map_by_name) F(bpf_object__find_program_by_name)		\
	F(bpf_object__load) F(bpf_object__next_map) F(bpf_object__next_program)		\
	F(bpf_object__open_mem) F(bpf_prog_test_run_opts) F(bpf_program__attach)	\
	F(bpf_program__attach_iter) F(bpf_program__fd) F(bpf_program__name)		\
	F(bpf_program__set_attach_target) F(bpf_program__set_autoload)			\
	F(libbpf_set_print)

struct lt_libbpf {
#define F(name)	__typeof__(&name) name;
	LT_LIBBPF_FUNCTIONS(F)
#undef F
};

/* NULL: it cannot be loaded. */
const struct lt_libbpf *lt_libbpf_load(struct lt_why *why);

/* What is said behind an error: which privileges are needed, where it is for want of them. */
const char *lt_bpf_needs(int err);

/*
 * What libbpf has said since lt_libbpf_clear(): the lines that name a failure. One thread at a time
 * loads programs.
 */
void lt_libbpf_clear(void);
const char *lt_libbpf_said(void);

#endif /* LT_BPF_LIB_H */
