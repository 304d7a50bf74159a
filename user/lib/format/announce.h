/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records that announce sites and stacks, and what plain records need of a site. For record.c.
 */
#ifndef LT_FORMAT_ANNOUNCE_H
#define LT_FORMAT_ANNOUNCE_H

#include "format/plain.h"

/**
 * struct lt_asked - plain records whose form is not known yet
 * @all: @n of them
 * @at: index of the record among those that are passed
 * @n_silent: as in struct lt_records, before it
 * @local: the number of its site in the packet
 * @key: @n_key words, by which the form may have been found out before; or none
 */
struct lt_asked {
	size_t n;
	struct lt_ask {
		size_t at;
		uint32_t n_silent;
		const struct lt_plain *plain;
		uint16_t local;
		uint32_t hash;
		uint32_t n_key;
		uint64_t key[LT_RECALL_KEY];
	} all[LT_AHEAD];
};

/* Reports what is wrong with the record that the walk is at. Return: -1 */
int lt_record_damaged(const struct lt_records *it, struct lt_why *why, const char *what,
		      uint64_t value);

/* The record announces a stack or a site. Return: 0, or -1: the packet is damaged. */
int lt_announce_stack(struct lt_records *it, const struct lt_record *r, uint16_t number,
		      struct lt_why *why);
int lt_announce_site(struct lt_records *it, const struct lt_record *r, uint16_t number,
		     struct lt_why *why);

/**
 * lt_announce_ahead() - pass a record that announces a site or a stack
 * @first: no other record is in use, which may be of a site with the same number, or of one that is
 *	to be announced again with the stack that had it
 * Return: false: the record needs care.
 */
bool lt_announce_ahead(struct lt_records *it, const struct lt_plain *q, const uint8_t *rec,
		       bool first);

/**
 * lt_ask_form() - ask for the form of a record, whose site has the number @local
 * @at: the number of records that were passed before it
 *
 * What it takes is brought into the processor's cache while further records are looked at.
 * Return: false: the site was not announced, or the record cannot be plain.
 */
bool lt_ask_form(const struct lt_records *it, const struct lt_plain *q, uint16_t local, size_t at,
		 struct lt_asked *asked);

/**
 * lt_announce_whole() - pass a site, or a stack and a site that has it, and ask for the form of an
 *	event of the site, the first one, all of which stand one behind the other
 * @q: of the first record, which is one to be passed without a word
 * @rec: that record
 *
 * It takes no number that the packet has announced before.
 * Return: the record of the event; NULL: there are others, or they need care. Then nothing was
 * done.
 */
const uint8_t *lt_announce_whole(struct lt_records *it, const struct lt_plain *q,
				 const uint8_t *rec, size_t at, struct lt_asked *asked);

/*
 * The form of an event that stands for itself. 0: there are too many, or its records are not plain.
 */
uint32_t lt_plain_form(struct lt_forms *forms, const struct lt_event *ev);

/**
 * lt_answer_forms() - find the forms that were asked for
 * @ahead: their records, whose forms are set. If there are too many forms, the walk goes back.
 */
void lt_answer_forms(struct lt_records *it, const struct lt_asked *asked, struct lt_ahead *ahead);

#endif /* LT_FORMAT_ANNOUNCE_H */
