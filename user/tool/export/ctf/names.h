/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names for numbers in the packets. The metadata declares caches and stacks as enumerations, so that a
 * viewer shows "dentry" and not 9. For each number that it shows, babeltrace2 walks through all labels
 * of its enumeration, and it compares each label with all others when it opens the trace: of hundreds
 * of callers that takes more time than all else. So exported records have the label of a caller,
 * "kmem_cache_alloc+0x1f", in place of its number.
 */
#ifndef LT_EXPORT_CTF_NAMES_H
#define LT_EXPORT_CTF_NAMES_H

#include "base/intern.h"
#include "base/names.h"
#include "format/record.h"
#include "format/stack.h"
#include "trace/trace.h"

/* Texts in CTF 2 have no other characters, so that it needs no escapes; those in 1.8 may have UTF-8. */
static inline bool lt_ctf_is_plain(char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

/* What has names. The numbers of caches and stacks are those in the exported packets. */
enum lt_ctf_naming {
	LT_CTF_SITE,		/* a caller, by its address */
	LT_CTF_CACHE,		/* a slab cache */
	LT_CTF_STACK,		/* a stack, by its number in struct lt_ctf_names.stacks */
	LT_N_CTF_NAMINGS,
	LT_CTF_NO_NAMING = LT_N_CTF_NAMINGS,
};

#define LT_CTF_FIRST_TYPE	LT_CTF_CACHE	/* this one and those behind it are enumerations */

/**
 * struct lt_ctf_name - a number that occurs
 * @raw: as in packets
 * @label: its name, unique in its kind; NULL: not known, or not yet
 */
struct lt_ctf_name {
	uint64_t raw;
	char *label;
};

/* In place of a caller that is not known: babeltrace2 2.0 shows an earlier text for an empty one. */
#define LT_CTF_NO_SITE	"-"

/**
 * struct lt_ctf_names - names of numbers, by enum lt_ctf_naming
 * @t: the trace, which has the symbols; NULL: callers stay numbers
 * @seen: the numbers that occur, which start at 1 in @names
 * @labels: of callers
 * @stacks: those that the packets have announced
 */
struct lt_ctf_names {
	const struct lt_trace *t;
	struct lt_names labels;
	struct lt_intern seen[LT_N_CTF_NAMINGS];
	struct lt_ctf_name *names[LT_N_CTF_NAMINGS];
	size_t cap[LT_N_CTF_NAMINGS];
	struct lt_stacks stacks;
};

void lt_ctf_names_init(struct lt_ctf_names *n, const struct lt_trace *t);
void lt_ctf_names_destroy(struct lt_ctf_names *n);

/* Takes in a record of the full form @d, which may name a cache. */
void lt_ctf_names_record(struct lt_ctf_names *n, const struct lt_packet *p,
			 const struct lt_event_desc *d, const uint8_t *payload);

/* Whether the exported records have a label in place of the number in this field. */
static inline bool lt_ctf_is_label(const struct lt_ctf_names *n, const struct lt_field *f)
{
	return n->t && f->kind == LT_KIND_CODE && f->type == LT_TYPE_UINT;
}

/* That label, of element @i. */
const char *lt_ctf_label(struct lt_ctf_names *n, const struct lt_packet *p,
			 const struct lt_field *f, const uint8_t *payload, unsigned int i);

/* Takes in a stack that an event has; 0: none. */
void lt_ctf_names_stack(struct lt_ctf_names *n, uint32_t number);

/* Behind the last record: finds the labels of caches and stacks. */
void lt_ctf_names_finish(struct lt_ctf_names *n);

/* The enumeration of the numbers of a field; LT_CTF_NO_NAMING: there is none. */
enum lt_ctf_naming lt_ctf_naming(const struct lt_ctf_names *n, const struct lt_field *f);

/* Of the enumeration in the metadata. */
const char *lt_ctf_naming_type(enum lt_ctf_naming naming);
uint32_t lt_ctf_naming_size(enum lt_ctf_naming naming);

#endif /* LT_EXPORT_CTF_NAMES_H */
