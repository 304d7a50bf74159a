// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records of a packet that are counted, or looked for, and not decoded.
 */
#include "base/byteorder.h"
#include "base/mem.h"
#include "format/record.h"

static void add_found(struct lt_found *found, size_t pos, uint64_t time)
{
	found->list = lt_grow(found->list, &found->cap, found->n, sizeof(*found->list));
	found->list[found->n++] = (struct lt_found_record){ pos, time, found->records };
}

/* A record, in a walk that only counts. */
struct walked {
	uint32_t id;
	uint8_t index;		/* as in struct lt_plain */
	uint64_t time;
};

/* As walk_record(), with a long head. */
static size_t walk_long(const struct lt_packet *p, const struct lt_schema *schema,
			const uint8_t *rec, size_t left, struct walked *w)
{
	const struct lt_event_desc *d;
	uint64_t time;

	if (left < LT_REC_LONG)
		return 0;
	time = lt_get64(rec + LT_LONG_TIME, p->big);
	w->id = lt_get16(rec + LT_LONG_ID, p->big);
	d = w->id <= LT_EV_ID(UINT32_MAX) ? lt_schema_event(schema, LT_EV(p->channel, w->id)) :
					    NULL;
	if (!d || time < w->time || d->size > left - LT_REC_LONG)
		return 0;
	w->time = time;
	w->index = d->class == LT_CLASS_NONE ? LT_N_CLASSES : LT_CLASS_INDEX(d->class);
	return LT_REC_LONG + d->size;
}

/* Return: the size of the record; 0: it is damaged. */
static inline size_t walk_record(const struct lt_packet *p, const struct lt_schema *schema,
				 const uint8_t *rec, size_t left, struct walked *w)
{
	const struct lt_plain *plain = schema->plain[p->channel - 1];
	uint32_t word, low;
	uint64_t time;

	if (left < LT_REC_WORD)
		return 0;
	word = lt_get32(rec, p->big);
	w->id = p->big ? word >> 26 : word & LT_ID_MASK;
	low = (p->big ? word >> 2 : word >> 6) & LT_TIME_MASK;
	if (w->id == LT_EV_LONG)
		return walk_long(p, schema, rec, left, w);
	time = w->time + ((low - (uint32_t)w->time) & LT_TIME_MASK);
	if (time < w->time)
		return 0;
	w->time = time;
	w->index = plain[w->id].index;
	return plain[w->id].bytes <= left ? plain[w->id].bytes : 0;
}

/* @found: NULL, or what is looked for */
static bool walk(const struct lt_packet *p, const struct lt_schema *schema,
		 uint64_t n[LT_N_CLASSES], struct lt_found *found)
{
	const uint8_t *rec = p->data + p->header_size, *end = p->data + p->size;
	uint64_t counts[LT_N_CLASSES + 1] = { 0 };
	struct walked w = { .time = p->begin };

	if (found) {
		found->n = 0;
		found->records = 0;
	}
	while (rec < end) {
		size_t bytes = walk_record(p, schema, rec, (size_t)(end - rec), &w);

		if (!bytes || w.time > p->end)
			break;
		counts[w.index]++;
		if (found && found->marks[LT_EV(p->channel, w.id)])
			add_found(found, (size_t)(rec - p->data), w.time);
		if (found)
			found->records++;
		rec += bytes;
	}
	for (unsigned int i = 0; i < LT_N_CLASSES; i++)
		n[i] += counts[i];
	return rec == end;
}

/* The size of a record without a short head. */
#define ODD	((size_t)1 << 31)

/**
 * struct sums - of the records of a packet that were passed
 * @time: of the last one
 * @ids: how many have each id, those with a long head left out; in four parts, since to count an id
 *	again must not wait until its number is stored
 * @bytes: the size of a record, by id
 */
struct sums {
	uint64_t time;
	uint32_t ids[4][LT_ID_MASK + 1];
	size_t bytes[LT_ID_MASK + 1];
};

/*
 * The short head of a record: its time is shifted, so that it goes round where a number of 32 bits
 * does.
 */
struct head {
	unsigned int id;
	uint32_t time;
};

static inline struct head head_at(const uint8_t *rec, const bool big)
{
	uint32_t word = lt_get32(rec, big);

	return (struct head){
		.id = big ? word >> 26 : word & LT_ID_MASK,
		.time = (big ? word << 6 : word << 2) & ~0xffU,
	};
}

/**
 * struct walk - where a walk over records is
 * @time: of the last one, as in a head
 * @rounds: how often that has gone round
 */
struct walk {
	size_t pos;
	uint32_t time;
	uint64_t rounds;
};

/*
 * Passes records as long as four that follow have one size. Nearly all records have: so where the
 * next ones begin need not wait for what these are.
 */
static inline __attribute__((always_inline)) void
pass_fours(const struct lt_packet *p, struct sums *sums, struct walk *w, size_t size,
	   const bool big)
{
	const uint8_t *rec = p->data + w->pos, *const end = p->data + p->size;

	while (4 * size <= (size_t)(end - rec)) {
		const uint8_t *next = rec;
		const struct head a = head_at(next, big), b = head_at(next += size, big);
		const struct head c = head_at(next += size, big), d = head_at(next += size, big);

		if ((sums->bytes[a.id] ^ size) | (sums->bytes[b.id] ^ size) |
		    (sums->bytes[c.id] ^ size) |
		    (sums->bytes[d.id] ^ size))
			break;
		w->rounds += a.time < w->time;
		w->rounds += b.time < a.time;
		w->rounds += c.time < b.time;
		w->rounds += d.time < c.time;
		w->time = d.time;
		sums->ids[0][a.id]++;
		sums->ids[1][b.id]++;
		sums->ids[2][c.id]++;
		sums->ids[3][d.id]++;
		rec = next + size;
	}
	w->pos = (size_t)(rec - p->data);
}

/*
 * Passes records up to the end of the packet, or up to an odd one. Return: the place of the next
 * one. Behind the last record there is room for the head of another one (LT_SLACK).
 */
static inline __attribute__((always_inline)) size_t
pass_short(const struct lt_packet *p, struct sums *sums, size_t pos, const bool big)
{
	const uint32_t from = (uint32_t)sums->time << 8;
	struct walk w = { .pos = pos, .time = from };
	size_t size, before = 0;
	unsigned int run = 0;

	do {
		struct head h = head_at(p->data + w.pos, big);

		size = sums->bytes[h.id];
		if (size == ODD)
			break;
		w.rounds += h.time < w.time;
		w.time = h.time;
		sums->ids[0][h.id]++;
		w.pos += size;
		/* Where sizes vary, it does not pay. */
		run = size == before ? run + 1 : 0;
		/* The last record may not be whole. */
		if (run >= 3 && w.pos < p->size)
			pass_fours(p, sums, &w, size, big);
		before = size;
	} while (w.pos < p->size);
	sums->time += ((w.rounds << 32) + w.time - from) >> 8;
	return w.pos;
}

/* How many records were passed that are not odd. */
static uint64_t number_of(const struct sums *sums)
{
	uint64_t n = 0;

	for (unsigned int part = 0; part < 4; part++) {
		for (unsigned int id = 0; id <= LT_ID_MASK; id++)
			n += sums->ids[part][id];
	}
	return n;
}

/* Records that are looked for are odd, too: the place of each must be known. */
static void set_sizes(const struct lt_packet *p, const struct lt_plain *plain,
		      const struct lt_found *found, struct sums *sums)
{
	for (unsigned int id = 0; id <= LT_ID_MASK; id++) {
		bool odd = !plain[id].bytes || (found && found->marks[LT_EV(p->channel, id)]);

		sums->bytes[id] = odd ? ODD : plain[id].bytes;
	}
}

/*
 * walk() of a packet in which nothing is wrong. Return: whether nothing is. The times of short
 * heads only grow, so the last one decides for all of them; a long head may have any time, and
 * times behind it could go round.
 */
static bool tally(const struct lt_packet *p, const struct lt_schema *schema,
		  uint64_t counts[LT_N_CLASSES + 1], struct lt_found *found)
{
	const struct lt_plain *plain = schema->plain[p->channel - 1];
	struct sums sums = { .time = p->begin };
	size_t pos = p->header_size;
	uint64_t odd = 0;

	if (found)
		found->n = 0;
	set_sizes(p, plain, found, &sums);
	while (pos < p->size) {
		struct walked w;
		size_t bytes;

		pos = p->big ? pass_short(p, &sums, pos, true) : pass_short(p, &sums, pos, false);
		if (pos >= p->size)
			break;
		w.time = sums.time;
		bytes = walk_record(p, schema, p->data + pos, p->size - pos, &w);
		if (!bytes || w.time > p->end)
			return false;
		if (found && found->marks[LT_EV(p->channel, w.id)]) {
			found->records = number_of(&sums) + odd;
			add_found(found, pos, w.time);
		}
		sums.time = w.time;
		counts[w.index]++;
		pos += bytes;
		odd++;
	}
	if (found)
		found->records = number_of(&sums) + odd;
	for (unsigned int part = 0; part < 4; part++) {
		for (unsigned int id = 0; id <= LT_ID_MASK; id++)
			counts[plain[id].index] += sums.ids[part][id];
	}
	/* Too near to 2^64 it might have gone round. */
	return pos == p->size && sums.time <= p->end && !(p->end >> 63);
}

static bool count(const struct lt_packet *p, const struct lt_schema *schema,
		  uint64_t n[LT_N_CLASSES], struct lt_found *found)
{
	uint64_t counts[LT_N_CLASSES + 1] = { 0 };

	if (tally(p, schema, counts, found)) {
		for (unsigned int i = 0; i < LT_N_CLASSES; i++)
			n[i] += counts[i];
		return true;
	}
	return walk(p, schema, n, found);
}

bool lt_packet_tally(const struct lt_packet *p, const struct lt_schema *schema,
		     uint64_t n[LT_N_CLASSES])
{
	return count(p, schema, n, NULL);
}

bool lt_packet_find(const struct lt_packet *p, const struct lt_schema *schema,
		    uint64_t n[LT_N_CLASSES], struct lt_found *found)
{
	return count(p, schema, n, found);
}
