// SPDX-License-Identifier: GPL-2.0
#include "base/buf.h"
#include "base/mem.h"
#include "encode/texts.h"
#include "encodetest.h"

struct lt_encode_machine et_machine(bool big)
{
	return (struct lt_encode_machine){
		.big = big, .version_minor = LT_VERSION_MINOR, .size_long = 8, .size_ptr = 8,
		.size_pid = 4, .size_gfp = 4, .page_shift = 12, .text_base = TEXT,
		.ptr_base = PTR, .session = 77,
	};
}

void et_init(struct et *t)
{
	struct lt_str text = { 0 };

	memset(t, 0, sizeof(*t));
	lt_encode_schema(&text, 0, NULL, 0);
	t->schema = lt_schema_parse(text.s, "the encoder");
	assert_non_null(t->schema);
	free(text.s);
	lt_stacks_init(&t->stacks);
	t->sites.all = &t->stacks;
}

void et_free(struct et *t)
{
	for (size_t i = 0; i < t->n; i++)
		free((void *)t->packets[i].data);
	free(t->packets);
	lt_sites_free(&t->sites);
	lt_stacks_destroy(&t->stacks);
	lt_schema_free(t->schema);
}

int et_take(void *arg, const struct lt_encode_packet *packet)
{
	struct et *t = arg;
	struct lt_why why = { 0 };
	struct lt_packet *p;
	uint8_t *copy = lt_alloc(packet->size + LT_SLACK);

	memcpy(copy, packet->data, packet->size);
	t->packets = lt_grow(t->packets, &t->cap, t->n, sizeof(*t->packets));
	p = &t->packets[t->n++];
	assert_int_equal(lt_packet_parse(p, copy, packet->size, &why), 0);
	assert_int_equal(p->channel, packet->channel);
	assert_int_equal(p->cpu, packet->cpu);
	assert_int_equal(p->seq, packet->seq);
	assert_int_equal(p->begin, packet->begin);
	assert_int_equal(p->end, packet->end);
	return 0;
}

const struct lt_packet *et_packet(const struct et *t)
{
	return &t->packets[t->at - 1];
}

bool et_next(struct et *t, struct lt_record *r)
{
	struct lt_why why = { 0 };

	for (;;) {
		if (t->at) {
			int ret;

			memset(r, 0, sizeof(*r));
			ret = lt_records_next(&t->records, r, &why);

			assert_int_not_equal(ret, -1);
			if (ret)
				return true;
		}
		if (t->at == t->n)
			return false;
		lt_records_begin(&t->records, &t->packets[t->at++], t->schema, &t->sites);
	}
}

bool et_next_event(struct et *t, struct lt_record *r, struct lt_record *task)
{
	size_t packet = t->at;

	while (et_next(t, r)) {
		const char *name = r->desc->name;

		if (t->at != packet)
			task->payload = NULL;
		packet = t->at;
		if (!strcmp(name, "task") || strstr(name, "_task"))
			*task = *r;
		else if (strcmp(name, "site") && strcmp(name, "stack"))
			return true;
	}
	return false;
}

void et_expect(struct et *t, unsigned int event, struct lt_record *r)
{
	while (et_next(t, r)) {
		if (r->desc && (unsigned int)LT_EV(r->desc->channel, r->desc->id) == event)
			return;
	}
	fail_msg("there is no record of event 0x%x", event);
}

uint64_t et_value(const struct et *t, const struct lt_record *r, const char *field)
{
	const struct lt_field *f = lt_schema_field(r->desc, field);

	assert_non_null(f);
	return lt_field_value(et_packet(t), f, r->payload);
}

void et_assert_text(const struct lt_record *r, const char *field, const char *text)
{
	const struct lt_field *f = lt_schema_field(r->desc, field);
	size_t n = strlen(text);

	assert_non_null(f);
	assert_true(n <= f->size);
	assert_memory_equal(r->payload + f->offset, text, n);
	for (size_t i = n; i < f->size; i++)
		assert_int_equal(r->payload[f->offset + i], 0);
}

static const struct lt_packet *before(const struct et *t, size_t i)
{
	const struct lt_packet *p = &t->packets[i];

	while (i--)
		if (t->packets[i].channel == p->channel && t->packets[i].cpu == p->cpu)
			return &t->packets[i];
	return NULL;
}

static void assert_follows(const struct lt_packet *p, const struct lt_packet *last,
			   const uint64_t n[LT_N_CLASSES])
{
	uint64_t lost = 0;

	assert_true(p->begin <= p->end);
	assert_int_equal(p->seq, last ? last->seq + 1 : 0);
	assert_true(!last || (last->end <= p->begin && !(last->flags & LT_PACKET_LAST)));
	for (unsigned int k = 0; k < LT_N_CLASSES; k++) {
		struct lt_class_counts c = lt_packet_counts(p, k), old = { 0 };

		if (last)
			old = lt_packet_counts(last, k);
		assert_true(c.seen >= old.seen && lt_lost(&c) >= lt_lost(&old));
		assert_int_equal(lt_written(&c) - lt_written(&old), n[k]);
		lost += lt_lost(&c);
	}
	assert_int_equal(p->discarded, lost);
}

void et_assert_conserved(const struct et *t)
{
	for (size_t i = 0; i < t->n; i++) {
		uint64_t n[LT_N_CLASSES] = { 0 };

		assert_true(lt_packet_tally(&t->packets[i], t->schema, n));
		assert_follows(&t->packets[i], before(t, i), n);
	}
}

uint64_t et_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}
