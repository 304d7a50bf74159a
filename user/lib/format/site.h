/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The call sites, and their stacks, that a packet has announced.
 */
#ifndef LT_FORMAT_SITE_H
#define LT_FORMAT_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/byteorder.h"
#include "format/event.h"
#include "format/forms.h"
#include "format/schema.h"
#include "format/stack.h"

/**
 * struct lt_site_fields - the fields that all events of one call site share
 * @event: what its events have in common
 * @common: a payload of their full form, in the byte order of the packet
 */
struct lt_site_fields {
	struct lt_event event;
	uint8_t common[LT_FULL_MAX + LT_SLACK];
};

#define LT_STACK_NOT_ASKED	UINT32_MAX

/**
 * struct lt_announced - a stack that a packet has announced
 * @payload: of the record that announces it, in the packet
 * @desc: of that record; NULL: there is no stack
 * @number: in struct lt_stacks; 0: stacks are not kept; LT_STACK_NOT_ASKED: it was not looked for
 *	yet
 * @local: its number in the packet
 */
struct lt_announced {
	const uint8_t *payload;
	const struct lt_event_desc *desc;
	uint32_t number;
	uint16_t local;
};

/**
 * struct lt_site - a call site that a packet has announced
 * @payload: of the record that announces the site, in the packet
 * @desc: of that record
 * @full: the form that @fields were decoded for; NULL: none yet
 * @fields: made when they are first needed: those of most sites are known from another CPU or
 *	packet
 * @stack: its stack
 * @local: its number in the packet
 */
struct lt_site {
	const uint8_t *payload;
	const struct lt_event_desc *desc;
	const struct lt_event_desc *full;
	struct lt_site_fields *fields;
	struct lt_announced stack;
	uint16_t local;
};

/**
 * struct lt_ready - a site that plain records refer to, see format/plain.h
 * @form: its number in struct lt_forms
 * @id: of the records that have that form, plus 1; 0: none; announce.c: with a bit that no id has
 *	if they are not plain
 * @class: of the form
 */
struct lt_ready {
	uint32_t form;
	uint16_t id;
	uint8_t class;
};

/**
 * struct lt_locals - places in an array, plus 1, by numbers in the packet; 0: it has none
 * @n: length of @all
 */
struct lt_locals {
	uint32_t *all;
	size_t n;
};

static inline uint32_t lt_locals_find(const struct lt_locals *p, uint16_t number)
{
	return number < p->n ? p->all[number] : 0;
}

#define LT_TASK_NUMBERS	256
#define LT_PAGE_FORMS	64	/* a power of two */

/**
 * struct lt_page_form - the form of records of pages that have no site
 * @key: what they have but the page, see record.c; 0: none
 * @form: 0: they are not plain
 */
struct lt_page_form {
	uint64_t key;
	uint32_t form;
};

/**
 * struct lt_numbered_task - a task that a packet has announced
 * @payload: of the record that announces it, in the packet
 * @desc: of that record; NULL: there is none
 */
struct lt_numbered_task {
	const uint8_t *payload;
	const struct lt_event_desc *desc;
};

/**
 * struct lt_sites - the sites and stacks that a packet has announced up to the current record
 * @sites: in the order of their announcement; behind @n those of earlier packets
 * @places: of @sites
 * @stacks: in the order of their announcement
 * @stack_places: of @stacks
 * @ready: by the number in the packet; the sites themselves of many CPUs do not fit into the
 *	processor's cache
 * @base: see lt_forms_find_base(); 0: not looked for yet
 * @tasks: by the number in the packet
 * @completed: the payload of the last record that has the number of a task in place of it, in the
 *	full form
 * @all: where stacks are kept; the owner's, NULL: they are not kept
 * @forms: where forms are kept; the owner's, NULL: nothing is plain
 * @page_forms: by a part of the hash of their keys
 *
 * { 0 } before the first lt_sites_begin(). There are never more than records in the packets that
 * were read, and never more than 65536.
 */
struct lt_sites {
	struct lt_site *sites;
	size_t n;
	size_t cap;
	struct lt_locals places;
	struct lt_announced *stacks;
	size_t n_stacks;
	size_t cap_stacks;
	struct lt_locals stack_places;
	struct lt_ready *ready;
	size_t n_ready;
	uint16_t base;
	struct lt_numbered_task tasks[LT_TASK_NUMBERS];
	uint8_t completed[LT_FULL_MAX + LT_SLACK];
	struct lt_stacks *all;
	struct lt_forms *forms;
	struct lt_page_form page_forms[LT_PAGE_FORMS];
};

/* Forgets all sites and stacks: a packet begins. */
void lt_sites_begin(struct lt_sites *s);
void lt_sites_free(struct lt_sites *s);

/* The number of a site, or stack, in the payload of a record. */
static inline uint16_t lt_site_number(const struct lt_event_desc *d, const uint8_t *payload,
				      bool big)
{
	return lt_get16(payload + (big ? d->site_big : d->site), big) & d->site_mask;
}

/* A site, or stack, with a number that was not announced yet. */
struct lt_site *lt_sites_add(struct lt_sites *s, uint16_t number);
struct lt_announced *lt_sites_add_stack(struct lt_sites *s, uint16_t number);

/* The site with that number; NULL: it was not announced. */
static inline struct lt_site *lt_sites_find(const struct lt_sites *s, uint16_t number)
{
	uint32_t place = lt_locals_find(&s->places, number);

	return place ? &s->sites[place - 1] : NULL;
}

/* The site with that number; a new one if it was not announced yet. */
static inline struct lt_site *lt_sites_announce(struct lt_sites *s, uint16_t number)
{
	struct lt_site *site = lt_sites_find(s, number);

	if (number < s->n_ready)
		s->ready[number].id = 0;
	return site ? site : lt_sites_add(s, number);
}

/* Plain records may refer to the site with that number. Return: what they need of it. */
const struct lt_ready *lt_sites_ready(struct lt_sites *s, uint16_t number, struct lt_ready ready);

/* Records of any site are to be asked for anew: which of them are plain has changed. */
void lt_sites_forget_ready(struct lt_sites *s);

/* The stack with that number in the packet. NULL: it was not announced. */
static inline const struct lt_announced *lt_sites_find_stack(const struct lt_sites *s,
							     uint16_t number)
{
	uint32_t place = lt_locals_find(&s->stack_places, number);

	return place ? &s->stacks[place - 1] : NULL;
}

/* The stack with the number @stack.local in the packet is from here on that one. */
static inline void lt_sites_announce_stack(struct lt_sites *s, const struct lt_announced *stack)
{
	uint32_t place = lt_locals_find(&s->stack_places, stack->local);

	*(place ? &s->stacks[place - 1] : lt_sites_add_stack(s, stack->local)) = *stack;
}

#endif /* LT_FORMAT_SITE_H */
