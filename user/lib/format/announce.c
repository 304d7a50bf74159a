// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records that announce sites and stacks. Packets and CPUs announce the same ones again and again,
 * so that the form of a site is found by what is recorded of it and of its stack, which is not decoded then.
 */
#include "base/byteorder.h"
#include "format/announce.h"
#include "format/decode.h"
#include "format/site_make.h"

int lt_record_damaged(const struct lt_records *it, struct lt_why *why, const char *what,
		      uint64_t value)
{
	lt_why_set(why, "packet %llu of cpu %u%s, byte %zu: %s (%llu)",
		   (unsigned long long)it->packet->seq, it->packet->cpu,
		   lt_of_channel(it->packet->channel), it->pos, what,
		   (unsigned long long)value);
	return -1;
}

/* Whether a stack may have that number, and the frames that it says. */
static inline bool is_stack(const struct lt_event_desc *d, uint16_t number, uint64_t n)
{
	return number && n && n <= d->frames->count && n <= LT_STACK_MAX;
}

static struct lt_announced stack_of(const struct lt_sites *sites, const struct lt_event_desc *d,
				    const uint8_t *payload, uint16_t number)
{
	return (struct lt_announced){
		.payload = payload, .desc = d, .number = sites->all ? LT_STACK_NOT_ASKED : 0,
		.local = number,
	};
}

int lt_announce_stack(struct lt_records *it, const struct lt_record *r, uint16_t number,
		      struct lt_why *why)
{
	const uint64_t n = lt_load_field(it->packet, r->desc->n_frames, r->payload);
	struct lt_announced stack = stack_of(it->sites, r->desc, r->payload, number);

	if (!number)
		return lt_record_damaged(it, why, "a stack with a number that is not possible",
					 number);
	if (!is_stack(r->desc, number, n))
		return lt_record_damaged(it, why, "a stack with frames that it has no room for", n);
	/* Who takes records one by one gets the numbers in the order of the announcements. */
	if (it->sites->all)
		stack.number = lt_stack_number(it->packet, it->sites->all, &stack);
	lt_sites_announce_stack(it->sites, stack);
	return 0;
}

/* Return: false: its stack was not announced. */
static bool announce_site(struct lt_records *it, const struct lt_event_desc *d, const uint8_t *payload,
			  uint16_t number)
{
	const struct lt_announced *stack = NULL;
	struct lt_site *site;
	uint16_t of = d->has_stack ? lt_get16(payload + d->stack, it->packet->big) : 0;

	if (of) {
		stack = lt_sites_find_stack(it->sites, of);
		if (!stack)
			return false;
	}
	site = lt_sites_announce(it->sites, number);
	site->payload = payload;
	site->desc = d;
	site->full = NULL;
	site->stack = stack ? *stack : (struct lt_announced){ .desc = NULL };
	return true;
}

int lt_announce_site(struct lt_records *it, const struct lt_record *r, uint16_t number,
		     struct lt_why *why)
{
	if (announce_site(it, r->desc, r->payload, number))
		return 0;
	return lt_record_damaged(it, why, "the packet has not announced the stack",
				 lt_get16(r->payload + r->desc->stack, it->packet->big));
}

bool lt_announce_ahead(struct lt_records *it, const struct lt_plain *q, const uint8_t *rec, bool first)
{
	const struct lt_packet *p = it->packet;
	const struct lt_event_desc *d = q->desc;
	const uint8_t *payload = rec + LT_REC_WORD;
	const uint16_t number = lt_get16(payload + d->site, p->big);

	if (!d->frames) {
		if ((!first && lt_sites_find(it->sites, number)) || !announce_site(it, d, payload, number))
			return false;
	} else {
		if ((!first && lt_sites_find_stack(it->sites, number)) ||
		    !is_stack(d, number, lt_load_field(p, d->n_frames, payload)))
			return false;
		lt_sites_announce_stack(it->sites, stack_of(it->sites, d, payload, number));
	}
	it->n_silent += it->forms_only;
	return true;
}

/* ------------------------------------------------------------------------
 * Forms
 */

#define WORDS(bytes)	(((bytes) + 7) / 8)

/* Takes a number of 16 bits out of the words of a payload. Return: false: it is in two of them. */
static inline bool leave_out(uint64_t *words, unsigned int offset)
{
	words[offset / 8] &= le64toh(~(0xffffULL << offset % 8 * 8));
	return offset % 8 <= 6;
}

/*
 * All that the events of a site follow from, as it is recorded, but for the numbers that site and stack have
 * in the packet. Return: false: it is too much.
 */
static bool key_of(const struct lt_packet *p, const struct lt_site *site,
		   const struct lt_event_desc *brief, uint64_t key[LT_RECALL_KEY])
{
	const struct lt_event_desc *d = site->desc, *of = site->stack.desc;
	const size_t room = LT_RECALL_KEY - 3, n = WORDS(d->size);
	uint64_t *words = key + 3;

	if (n + (of ? WORDS(of->size) : 0) > room)
		return false;
	memset(key, 0, LT_RECALL_KEY * sizeof(*key));
	key[0] = (uint64_t)p->big << 63 | (uint64_t)(of ? of->id : 0) << 32 |
		 (uint64_t)d->id << 16 | brief->id;
	key[1] = p->text_base;
	key[2] = p->ptr_base;
	memcpy(words, site->payload, d->size);
	if (!leave_out(words, d->site) || (d->has_stack && !leave_out(words, d->stack)))
		return false;
	if (!of)
		return true;
	memcpy(words + n, site->stack.payload, of->size);
	return leave_out(words + n, of->site);
}

/* Beside struct lt_ready.id: records of the site are not plain. They are not asked for again and again. */
#define NOT_PLAIN	0x8000

static inline bool is_refused(const struct lt_sites *sites, uint16_t local, unsigned int id)
{
	return local < sites->n_ready && sites->ready[local].id == ((id + 1) | NOT_PLAIN);
}

bool lt_ask_form(const struct lt_records *it, const struct lt_plain *q, uint16_t local, size_t at,
		 struct lt_asked *asked)
{
	const struct lt_sites *sites = it->sites;
	const struct lt_site *site = sites->forms ? lt_sites_find(sites, local) : NULL;
	struct lt_ask *ask = &asked->all[asked->n];

	if (!site || is_refused(sites, local, LT_EV_ID(q->brief->id)))
		return false;
	ask->at = at;
	ask->n_silent = it->n_silent;
	ask->plain = q;
	ask->local = local;
	ask->has_key = key_of(it->packet, site, q->brief, ask->key);
	if (ask->has_key) {
		ask->hash = lt_recall_hash(ask->key);
		lt_recall_expect(&sites->forms->recall, ask->hash);
	}
	asked->n++;
	return true;
}

/* Whether records with events of a form are plain. */
static inline bool is_plain(const struct lt_forms *forms, uint32_t form)
{
	return form && (!forms->is_plain || forms->is_plain(forms->arg, &forms->all[form]));
}

/* Of records that differ in what users choose; the other forms are left to those that have more events. */
#define MOST_EACH	(LT_MAX_FORMS / 2)

uint32_t lt_plain_form(struct lt_forms *forms, const struct lt_event *ev)
{
	const uint32_t form = forms ? lt_forms_number(forms, ev, MOST_EACH) : 0;

	return is_plain(forms, form) ? form : 0;
}

/* The number of the form, 0: there are too many. */
static uint32_t form_of(const struct lt_records *it, const struct lt_ask *ask, struct lt_site *site)
{
	struct lt_forms *forms = it->sites->forms;
	uint32_t *known = NULL, form;

	if (ask->has_key)
		known = lt_recall_find(&forms->recall, ask->hash, ask->key);
	if (known && *known)
		return *known;
	if (!lt_site_is_made(site, ask->plain->desc))
		lt_site_make(it->packet, it->sites, site, ask->plain->brief);
	form = lt_forms_number(forms, &site->fields->event, LT_MAX_FORMS);
	if (known)
		*known = form;
	return form;
}

void lt_answer_forms(struct lt_records *it, const struct lt_asked *asked, struct lt_ahead *ahead)
{
	struct lt_sites *sites = it->sites;

	for (const struct lt_ask *ask = asked->all; ask < asked->all + asked->n; ask++) {
		const uint16_t id = LT_EV_ID(ask->plain->brief->id);
		const struct lt_ready *ready = ask->local < sites->n_ready ?
					       &sites->ready[ask->local] : NULL;

		/* Another record of the site may have asked before. */
		if (!ready || ready->id != id + 1) {
			const struct lt_ready found = {
				.form = form_of(it, ask, lt_sites_find(sites, ask->local)),
				.id = id + 1, .class = ask->plain->desc->class,
			};

			if (!is_plain(sites->forms, found.form)) {
				lt_sites_ready(sites, ask->local,
					       (struct lt_ready){ .id = (id + 1) | NOT_PLAIN });
				lt_records_go_back(it, &ahead->records[ask->at]);
				it->n_silent = ask->n_silent;
				ahead->end = &ahead->records[ask->at];
				return;
			}
			ready = lt_sites_ready(sites, ask->local, found);
		}
		ahead->records[ask->at].ev.form = ready->form;
	}
}
