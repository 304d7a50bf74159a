/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names for numbers in the packets, so that a viewer shows "dentry" and not 9. The metadata could
 * declare an enumeration of them. But for each number that it shows, babeltrace2 walks through all
 * labels of its enumeration, and it compares each label with all others when it opens the trace: of
 * hundreds of callers or caches that takes more time than all else. So exported records have the
 * label of a caller, "kmem_cache_alloc+0x1f", and of a cache in place of the number. Stacks are an
 * enumeration, since their labels are longer than all else in a record.
 */
#ifndef LT_EXPORT_CTF_NAMES_H
#define LT_EXPORT_CTF_NAMES_H

#include "base/intern.h"
#include "base/names.h"
#include "format/record.h"
#include "format/stack.h"
#include "trace/trace.h"

/*
 * Texts in CTF 2 have no other characters, so that it needs no escapes; those in 1.8 may have
 * UTF-8.
 */
static inline bool lt_ctf_is_plain(char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

/* What has names. */
enum lt_ctf_naming {
	LT_CTF_SITE,		/* a caller, by its address */
	LT_CTF_CACHE,		/* a slab cache, by its id */
	LT_CTF_STACK,		/* a stack, by its number in struct lt_ctf_names.stacks */
	LT_N_CTF_NAMINGS,
};

/* The enumeration of stacks in the metadata. */
#define LT_CTF_STACK_TYPE	"stack_t"
#define LT_CTF_STACK_SIZE	4	/* bytes */

#define LT_CTF_CACHE_SIZE	2	/* bytes of a field whose cache has a label */

/**
 * struct lt_ctf_name - a number that occurs
 * @raw: as in packets
 * @label: its name, unique in its kind; NULL: not known, or not yet
 */
struct lt_ctf_name {
	uint64_t raw;
	char *label;
};

/*
 * In place of a caller or cache that is 0: babeltrace2 2.0 shows an earlier text for an empty one.
 */
#define LT_CTF_NONE	"-"

/**
 * struct lt_ctf_names - names of numbers, by enum lt_ctf_naming
 * @t: the trace, which has the symbols; NULL: callers and caches stay numbers
 * @seen: the numbers that occur, which start at 1 in @names
 * @labels: those that are taken
 * @stacks: those that the packets have announced
 */
struct lt_ctf_names {
	const struct lt_trace *t;
	struct lt_names labels[LT_N_CTF_NAMINGS];
	struct lt_intern seen[LT_N_CTF_NAMINGS];
	struct lt_ctf_name *names[LT_N_CTF_NAMINGS];
	size_t cap[LT_N_CTF_NAMINGS];
	struct lt_stacks stacks;
};

void lt_ctf_names_init(struct lt_ctf_names *n, const struct lt_trace *t);
void lt_ctf_names_destroy(struct lt_ctf_names *n);

/* Takes in a record, which may name a cache: all of them before the first label of a cache. */
void lt_ctf_names_record(struct lt_ctf_names *n, const struct lt_packet *p,
			 const struct lt_event_desc *d, const uint8_t *payload);

/* Whether the exported records have a label in place of the number in this field. */
static inline bool lt_ctf_is_label(const struct lt_ctf_names *n, const struct lt_field *f)
{
	return n->t && f->type == LT_TYPE_UINT &&
	       (f->kind == LT_KIND_CODE ||
		(f->kind == LT_KIND_CACHE && f->size == LT_CTF_CACHE_SIZE));
}

/* That label, of element @i. */
const char *lt_ctf_label(struct lt_ctf_names *n, const struct lt_packet *p,
			 const struct lt_field *f, const uint8_t *payload, unsigned int i);

/* Takes in a stack that an event has; 0: none. */
void lt_ctf_names_stack(struct lt_ctf_names *n, uint32_t number);

/* Behind the last record that names a cache: makes the labels of caches. */
void lt_ctf_names_caches(struct lt_ctf_names *n);

/* Behind the last record: makes the labels of stacks. */
void lt_ctf_names_finish(struct lt_ctf_names *n);

#endif /* LT_EXPORT_CTF_NAMES_H */
