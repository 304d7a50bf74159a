// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records that announce sites and stacks. Packets and CPUs announce the same ones again and again,
 * so that the form of a site is found by what is recorded of it and of its stack, which is not
 * decoded then.
 */
#include "base/byteorder.h"
#include "format/announce.h"
#include "format/decode.h"
#include "format/key.h"
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
	lt_sites_announce_stack(it->sites, &stack);
	return 0;
}

static inline void fill_site(struct lt_site *site, const struct lt_event_desc *d,
			     const uint8_t *payload, const struct lt_announced *stack)
{
	site->payload = payload;
	site->desc = d;
	site->full = NULL;
	site->stack = *stack;
}

/* Return: false: its stack was not announced. */
static inline bool announce_site(struct lt_records *it, const struct lt_event_desc *d,
				 const uint8_t *payload, uint16_t number)
{
	const struct lt_announced none = { .desc = NULL }, *stack = NULL;
	uint16_t of = d->has_stack ? lt_get16(payload + d->stack, it->packet->big) : 0;

	if (of) {
		stack = lt_sites_find_stack(it->sites, of);
		if (!stack)
			return false;
	}
	fill_site(lt_sites_announce(it->sites, number), d, payload, stack ? stack : &none);
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

bool lt_announce_ahead(struct lt_records *it, const struct lt_plain *q, const uint8_t *rec,
		       bool first)
{
	const struct lt_packet *p = it->packet;
	const struct lt_event_desc *d = q->desc;
	const uint8_t *payload = rec + LT_REC_WORD;
	const uint16_t number = lt_get16(payload + d->site, p->big);
	const struct lt_forms *forms = it->sites->forms;
	struct lt_announced stack;

	if (it->announced && forms->announces_plain &&
	    !forms->announces_plain(forms->arg, p, d, payload))
		return false;
	if (!d->frames) {
		if ((!first && lt_sites_find(it->sites, number)) ||
		    !announce_site(it, d, payload, number))
			return false;
	} else {
		if ((!first && lt_sites_find_stack(it->sites, number)) ||
		    !is_stack(d, number, lt_load_field(p, d->n_frames, payload)))
			return false;
		stack = stack_of(it->sites, d, payload, number);
		lt_sites_announce_stack(it->sites, &stack);
	}
	it->n_silent += it->forms_only;
	return true;
}

/* ------------------------------------------------------------------------
 * Forms
 */

_Static_assert(LT_RECALL_KEY >= LT_KEY_WORDS + 8, "a site and any stack in the narrow form are a key");
_Static_assert(LT_MAX_FORMS <= 1U << LT_RECALL_BITS, "the number of a form is one of a key");

static __attribute__((noinline)) void find_base(const struct lt_records *it)
{
	const struct lt_packet *p = it->packet;

	it->sites->base = lt_forms_find_base(it->sites->forms, &(struct lt_form_base){
		.text = p->text_base, .ptr = p->ptr_base, .channel = p->channel, .big = p->big,
	});
}

/* Looked for once a packet. */
static inline unsigned int base_of(const struct lt_records *it)
{
	if (!it->sites->base)
		find_base(it);
	return it->sites->base;
}

/*
 * The key is all that the events of a site follow from, as it is recorded, but for the numbers that
 * site and stack have in the packet.
 */
static inline __attribute__((always_inline)) void
set_key(struct lt_ask *ask, unsigned int base, const struct lt_event_desc *d,
	const uint8_t *payload, const struct lt_announced *stack, const struct lt_event_desc *brief)
{
	const struct lt_event_desc *of = stack->desc;
	uint64_t *to = ask->key, tail, more = 0;

	ask->n_key = 0;
	if (!d->has_key || base == LT_NO_BASE ||
	    (of && (!of->has_key || d->key_words + of->key_words + 4 > LT_RECALL_KEY)))
		return;
	*to++ = (uint64_t)base << 24 | LT_EV_ID(d->id) << 16 | (of ? LT_EV_ID(of->id) : 0) << 8 |
		LT_EV_ID(brief->id);
	tail = lt_key_take(&to, d, payload);
	if (of)
		more = lt_key_take(&to, of, stack->payload);
	if (of && d->key_tail + of->key_tail > sizeof(tail))
		*to++ = more;
	else
		tail |= more << 8 * d->key_tail;
	*to++ = tail;
	ask->n_key = lt_key_end(to, ask->key);
	ask->hash = lt_recall_hash(ask->key, ask->n_key);
}

/*
 * Beside struct lt_ready.id: records of the site are not plain. They are not asked for again and
 * again.
 */
#define NOT_PLAIN	0x8000

static inline bool is_refused(const struct lt_sites *sites, uint16_t local, unsigned int id)
{
	return local < sites->n_ready && sites->ready[local].id == ((id + 1) | NOT_PLAIN);
}

/* So many further records are asked for until it is looked where the key of one is. */
#define LAG	3

static inline void seek(const struct lt_forms *forms, const struct lt_ask *ask)
{
	if (ask->n_key)
		lt_recall_seek(&forms->recall, ask->hash);
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
	set_key(ask, base_of(it), site->desc, site->payload, &site->stack, q->brief);
	if (ask->n_key)
		lt_recall_expect(&sites->forms->recall, ask->hash);
	/* What was expected some records ago is there. */
	if (asked->n >= LAG)
		seek(sites->forms, &asked->all[asked->n - LAG]);
	asked->n++;
	return true;
}

/* Whether the packet has not announced the number; there is room for it. */
static inline bool is_new(const struct lt_locals *places, uint16_t number, size_t n, size_t cap)
{
	return number < places->n && !places->all[number] && n < cap;
}

/* Whether a record announces a stack that is to be taken at once. */
static inline bool is_new_stack(const struct lt_sites *s, const struct lt_plain *q,
				const uint8_t *rec, uint16_t number)
{
	return number && rec[q->at] && rec[q->at] <= q->most &&
		is_new(&s->stack_places, number, s->n_stacks, s->cap_stacks);
}

/* Whether a record announces such a site, and the next one is an event of it, see @of. */
static inline bool is_new_site(const struct lt_records *it, const struct lt_plain *q,
			       const uint8_t *rec, const struct lt_plain **of)
{
	const struct lt_packet *p = it->packet;
	const struct lt_sites *s = it->sites;
	const uint8_t *const next = rec + q->bytes;
	const uint16_t number = lt_get16(rec + LT_REC_WORD, p->big);

	if (next >= p->data + p->size || !is_new(&s->places, number, s->n, s->cap))
		return false;
	*of = lt_plain_at(it, next);
	return (*of)->brief && (*of)->desc &&
	       lt_plain_site(*of, next, p->big) == number;
}

static inline void add_whole(struct lt_sites *s, const struct lt_plain *q, const uint8_t *rec,
			     uint16_t number, const struct lt_announced *stack)
{
	struct lt_site *site = &s->sites[s->n];

	fill_site(site, q->desc, rec + LT_REC_WORD, stack);
	site->local = number;
	s->n++;
	s->places.all[number] = (uint32_t)s->n;
}

const uint8_t *lt_announce_whole(struct lt_records *it, const struct lt_plain *q,
				 const uint8_t *rec, size_t at, struct lt_asked *asked)
{
	const struct lt_packet *p = it->packet;
	struct lt_sites *s = it->sites;
	struct lt_ask *ask = &asked->all[asked->n];
	struct lt_announced stack = { .desc = NULL };
	const struct lt_announced *known;
	uint16_t number = 0;

	if (q->announces == LT_ANNOUNCES_STACK) {
		number = lt_get16(rec + LT_REC_WORD, p->big);
		if (!is_new_stack(s, q, rec, number))
			return NULL;
		stack = stack_of(s, q->desc, rec + LT_REC_WORD, number);
		rec += q->bytes;
		if (rec >= p->data + p->size)
			return NULL;
		q = lt_plain_at(it, rec);
	}
	if (q->announces != LT_ANNOUNCES_SITE || !q->desc || !is_new_site(it, q, rec, &ask->plain))
		return NULL;
	if (q->at && lt_get16(rec + q->at, p->big) != number) {
		known = number ? NULL : lt_sites_find_stack(s, lt_get16(rec + q->at, p->big));
		if (!known)
			return NULL;
		stack = *known;
	} else if (number && !q->at) {
		return NULL;
	}
	ask->at = at;
	ask->local = lt_get16(rec + LT_REC_WORD, p->big);
	set_key(ask, base_of(it), q->desc, rec + LT_REC_WORD, &stack, ask->plain->brief);
	if (!ask->n_key)
		return NULL;
	lt_recall_expect(&s->forms->recall, ask->hash);
	if (asked->n >= LAG)
		seek(s->forms, &asked->all[asked->n - LAG]);
	if (number) {
		s->stacks[s->n_stacks] = stack;
		s->n_stacks++;
		s->stack_places.all[number] = (uint32_t)s->n_stacks;
		it->n_silent++;
	}
	add_whole(s, q, rec, ask->local, &stack);
	ask->n_silent = ++it->n_silent;
	asked->n++;
	return rec + q->bytes;
}

/* Whether records with events of a form are plain. */
static inline bool is_plain(const struct lt_forms *forms, uint32_t form)
{
	return form && (!forms->is_plain || forms->is_plain(forms->arg, &forms->all[form]));
}

/*
 * Of records that differ in what users choose; the other forms are left to those that have more
 * events.
 */
#define MOST_EACH	(LT_MAX_FORMS / 2)

uint32_t lt_plain_form(struct lt_forms *forms, const struct lt_event *ev)
{
	const uint32_t form = forms ? lt_forms_number(forms, ev, MOST_EACH) : 0;

	return is_plain(forms, form) ? form : 0;
}

/* 0: it was not found out, or forgotten. */
static inline uint32_t known_form(const struct lt_forms *forms, const struct lt_ask *ask)
{
	return ask->n_key ? lt_recall_find(&forms->recall, ask->hash, ask->key, ask->n_key) : 0;
}

/* The number of the form, 0: there are too many. */
static uint32_t form_of(const struct lt_records *it, const struct lt_ask *ask, struct lt_site *site)
{
	struct lt_forms *forms = it->sites->forms;
	uint32_t form = known_form(forms, ask);

	if (form)
		return form;
	if (!lt_site_is_made(site, ask->plain->desc))
		lt_site_make(it->packet, it->sites, site, ask->plain->brief);
	form = lt_forms_number(forms, &site->fields->event, LT_MAX_FORMS);
	if (ask->n_key && form)
		lt_recall_keep(&forms->recall, ask->hash, ask->key, ask->n_key, form);
	return form;
}

/*
 * What was fetched may still be on its way, and of the last ones nothing was. The processor loads
 * all of it at once here, but does not go far beyond a comparison whose result it has to guess.
 */
static void load_keys(const struct lt_forms *forms, const struct lt_asked *asked)
{
	uint64_t any = 0;

	for (size_t i = 0; i < asked->n; i++)
		any |= asked->all[i].n_key ? lt_recall_load(&forms->recall, asked->all[i].hash) : 0;
	/* So that the compiler does not leave it out. */
	__asm__ volatile("" : : "r"((uintptr_t)any));
}

/* Finds the form out that an ask is for. Return: what is ready then; NULL: it is not plain. */
static __attribute__((noinline)) const struct lt_ready *find_out(struct lt_records *it,
								 const struct lt_ask *ask)
{
	struct lt_sites *sites = it->sites;
	const uint16_t id = LT_EV_ID(ask->plain->brief->id);
	const struct lt_ready found = {
		.form = form_of(it, ask, lt_sites_find(sites, ask->local)),
		.id = id + 1, .class = ask->plain->desc->class,
	};

	if (is_plain(sites->forms, found.form))
		return lt_sites_ready(sites, ask->local, found);
	lt_sites_ready(sites, ask->local, (struct lt_ready){ .id = (id + 1) | NOT_PLAIN });
	return NULL;
}

void lt_answer_forms(struct lt_records *it, const struct lt_asked *asked, struct lt_ahead *ahead)
{
	struct lt_sites *sites = it->sites;
	const struct lt_forms *forms = sites->forms;

	load_keys(forms, asked);
	for (const struct lt_ask *ask = asked->all; ask < asked->all + asked->n; ask++) {
		const uint16_t id = LT_EV_ID(ask->plain->brief->id) + 1;
		struct lt_ready *ready = ask->local < sites->n_ready ? &sites->ready[ask->local] :
			NULL;
		const struct lt_ready *found = ready;

		/* Another record of the site may have asked before. */
		if (!ready || ready->id != id) {
			const uint32_t form = ready && !forms->is_plain ?
					      known_form(forms, ask) : 0;

			if (form)
				*ready = (struct lt_ready){
					.form = form, .id = id, .class = ask->plain->desc->class,
				};
			else
				found = find_out(it, ask);
		}
		if (!found) {
			lt_records_go_back(it, &ahead->records[ask->at]);
			it->n_silent = ask->n_silent;
			ahead->end = &ahead->records[ask->at];
			return;
		}
		ahead->records[ask->at].ev.form = found->form;
	}
}
