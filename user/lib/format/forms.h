/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The forms of a trace: what all events of a call site have in common, each different one with a
 * number, one for all packets and CPUs. What follows from it need be found out only once.
 */
#ifndef LT_FORMAT_FORMS_H
#define LT_FORMAT_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/recall.h"
#include "format/event.h"

struct lt_packet;
struct lt_event_desc;

#define LT_FORM_BASES	8

/**
 * struct lt_form_base - what numbers in announcements of a packet are relative to
 */
struct lt_form_base {
	uint64_t text;
	uint64_t ptr;
	unsigned int channel;
	bool big;
};

/**
 * struct lt_forms - different forms
 * @all: by number, from 1 on: an event with 0 for its time, sequence number, task, address, CPU,
 *	context and bytes
 * @n: length of @all
 * @by_hash: their numbers
 * @recall: their numbers by what is recorded of sites and their stacks
 * @bases: @n_bases different ones of packets
 * @is_plain: with @arg: whether records with such events are plain, since they mean the same at any
 *	time; NULL: all are. When it changes its mind, lt_sites_forget_ready() is due.
 * @announces_plain: with @arg: whether the addresses of code in an announcement of a site or stack
 *	mean the same at any time; NULL: in all
 */
struct lt_forms {
	struct lt_event *all;
	size_t n;
	size_t cap;
	struct lt_map by_hash;
	uint64_t seed;
	struct lt_recall recall;
	struct lt_form_base bases[LT_FORM_BASES];
	unsigned int n_bases;
	bool (*is_plain)(void *arg, const struct lt_event *form);
	bool (*announces_plain)(void *arg, const struct lt_packet *p, const struct lt_event_desc *d,
				const uint8_t *payload);
	void *arg;
};

void lt_forms_init(struct lt_forms *f);
void lt_forms_destroy(struct lt_forms *f);

/*
 * From now on no form moves: one thread reads forms that it knows the numbers of while another one
 * adds more. Of the room for these no memory is used before.
 */
void lt_forms_stay(struct lt_forms *f);

#define LT_NO_BASE	UINT16_MAX

/* The number of the base of a packet, from 1 on; LT_NO_BASE: there are too many. */
uint16_t lt_forms_find_base(struct lt_forms *f, const struct lt_form_base *base);

#define LT_MAX_FORMS	(1U << 16)	/* 6 MB */

/*
 * The number of the form of an event, a new one if it is new; 0: then there would be more than
 * @most, which is LT_MAX_FORMS or less. Sizes may be chosen by users, so that a long trace may have
 * any number of forms.
 */
uint32_t lt_forms_number(struct lt_forms *f, const struct lt_event *ev, size_t most);

#endif /* LT_FORMAT_FORMS_H */
