/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The forms of a trace: what all events of a call site have in common, each different one with a
 * number, one for all packets and CPUs. What follows from it need be found out only once.
 */
#ifndef LT_FORMAT_FORMS_H
#define LT_FORMAT_FORMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "format/event.h"

#define LT_FORMS_KEY	10
#define LT_FORMS_MEMO	1024

/**
 * struct lt_forms_memo - a site whose form is known: each packet and CPU announces it again
 * @key: all that its events follow from, as it is recorded
 * @form: their form; 0: not known
 */
struct lt_forms_memo {
	uint64_t key[LT_FORMS_KEY];
	uint32_t form;
};

/**
 * struct lt_forms - different forms
 * @all: by number, from 1 on: an event with 0 for its time, sequence number, task, address, CPU,
 *	context and bytes
 * @n: length of @all
 * @by_hash: their numbers
 * @memo: of sites that were announced lately, by their key
 */
struct lt_forms {
	struct lt_event *all;
	size_t n;
	size_t cap;
	struct lt_map by_hash;
	uint64_t seed;
	struct lt_forms_memo memo[LT_FORMS_MEMO];
};

void lt_forms_init(struct lt_forms *f);
void lt_forms_destroy(struct lt_forms *f);

/*
 * The number of the form of an event, a new one if it is new; 0: there are too many. Sizes may be
 * chosen by users, so that a long trace may have any number of forms.
 */
uint32_t lt_forms_number(struct lt_forms *f, const struct lt_event *ev);

/* The place of a key, whose form is to be set if it is 0. */
struct lt_forms_memo *lt_forms_recall(struct lt_forms *f, const uint64_t key[LT_FORMS_KEY]);

#endif /* LT_FORMAT_FORMS_H */
