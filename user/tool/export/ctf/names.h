/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names for numbers in the packets: callers, caches and stacks. The metadata declares them as
 * enumerations, so that a viewer shows "kmem_cache_alloc+0x1f" and not 0x31244f.
 */
#ifndef LT_EXPORT_CTF_NAMES_H
#define LT_EXPORT_CTF_NAMES_H

#include "base/intern.h"
#include "format/record.h"
#include "format/stack.h"
#include "trace/trace.h"

/* Texts in CTF 2 have no other characters, so that it needs no escapes; those in 1.8 may have UTF-8. */
static inline bool lt_ctf_is_plain(char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

/* The kinds of fields that have names. The numbers are those in the exported packets. */
enum lt_ctf_naming {
	LT_CTF_SITE32,		/* a caller, relative to text_base */
	LT_CTF_SITE64,		/* a caller, absolute */
	LT_CTF_CACHE,		/* a slab cache */
	LT_CTF_STACK,		/* a stack, by its number in struct lt_ctf_names.stacks */
	LT_N_CTF_NAMINGS,
	LT_CTF_NO_NAMING = LT_N_CTF_NAMINGS,
};

/**
 * struct lt_ctf_name - a number that occurs
 * @raw: as in packets
 * @addr: of a caller its address
 * @label: its name, unique in its kind; NULL: not known, or not yet
 */
struct lt_ctf_name {
	uint64_t raw;
	uint64_t addr;
	char *label;
};

/**
 * struct lt_ctf_names - names of numbers, by enum lt_ctf_naming
 * @seen: the numbers that occur, which start at 1 in @names
 * @stacks: those that the packets have announced
 */
struct lt_ctf_names {
	struct lt_intern seen[LT_N_CTF_NAMINGS];
	struct lt_ctf_name *names[LT_N_CTF_NAMINGS];
	size_t cap[LT_N_CTF_NAMINGS];
	struct lt_stacks stacks;
};

void lt_ctf_names_init(struct lt_ctf_names *n);
void lt_ctf_names_destroy(struct lt_ctf_names *n);

/* Takes in a record of the full form @d. */
void lt_ctf_names_record(struct lt_ctf_names *n, const struct lt_packet *p,
			 const struct lt_event_desc *d, const uint8_t *payload);

/* Takes in a stack that an event has; 0: none. */
void lt_ctf_names_stack(struct lt_ctf_names *n, uint32_t number);

/* Behind the last record: finds the labels. */
void lt_ctf_names_finish(struct lt_ctf_names *n, const struct lt_trace *t);

/* How the numbers of a field are named; LT_CTF_NO_NAMING: they are not. */
enum lt_ctf_naming lt_ctf_naming(const struct lt_ctf_names *n, const struct lt_field *f);

/* Of the enumeration in the metadata. */
const char *lt_ctf_naming_type(enum lt_ctf_naming naming);
uint32_t lt_ctf_naming_size(enum lt_ctf_naming naming);

#endif /* LT_EXPORT_CTF_NAMES_H */
