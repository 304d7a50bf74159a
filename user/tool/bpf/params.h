/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parameters of a session of the BPF programs: those of the module (Documentation/abi.rst), as
 * far as programs can do what they say.
 */
#ifndef LT_BPF_PARAMS_H
#define LT_BPF_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#define LT_BPF_N_PARAMS		26

/**
 * struct lt_bpf_params - values, as text
 * @values: by the order of the table in params.c; NULL: the standard
 */
struct lt_bpf_params {
	char *values[LT_BPF_N_PARAMS];
};

/* @copy: to be freed by lt_bpf_params_free() */
void lt_bpf_params_copy(struct lt_bpf_params *copy, const struct lt_bpf_params *p);
void lt_bpf_params_free(struct lt_bpf_params *p);

/* A value, valid until it is set; NULL: there is no such parameter. */
const char *lt_bpf_param(const struct lt_bpf_params *p, const char *name);

/* A value as a number. */
uint64_t lt_bpf_param_number(const struct lt_bpf_params *p, const char *name);

/*
 * Sets a value; a newline at its end is left out. Return: 0, or -1 after lt_error(): programs
 * cannot do what it asks for.
 */
int lt_bpf_param_set(struct lt_bpf_params *p, const char *name, const char *value);

/* Whether the parameter "events" asks for an event, by its name or by its group. */
bool lt_bpf_param_wants(const struct lt_bpf_params *p, unsigned int channel, const char *event);

/* A value as a flag. */
bool lt_bpf_param_flag(const struct lt_bpf_params *p, const char *name);

/* Sets bits, of @n, by a value like "0,2,257-260". Return: false: it is none. */
bool lt_bpf_param_numbers(const struct lt_bpf_params *p, const char *name, uint64_t *bits,
			  unsigned int n);

/* Whether births are kept by what allocates, or by a greatest size. */
bool lt_bpf_param_filters(const struct lt_bpf_params *p);

/* Bits of the channels that have a wanted event. */
unsigned int lt_bpf_param_channels(const struct lt_bpf_params *p);

#endif /* LT_BPF_PARAMS_H */
