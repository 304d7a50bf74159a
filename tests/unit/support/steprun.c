// SPDX-License-Identifier: GPL-2.0
#include "steprun.h"

void steprun_memory(struct steprun *r, uint64_t address, const void *bytes, size_t size, bool user)
{
	assert_true(r->n_regions < STEPRUN_REGIONS);
	r->regions[r->n_regions++] = (struct steprun_region){ address, bytes, size, user };
}

static bool peek(const struct steprun *r, uint64_t address, size_t size, bool user, void *to)
{
	for (size_t i = 0; i < r->n_regions; i++) {
		const struct steprun_region *m = &r->regions[i];

		if (m->user != user || address < m->address || size > m->size ||
		    address - m->address > m->size - size)
			continue;
		memcpy(to, (const uint8_t *)m->bytes + (address - m->address), size);
		return true;
	}
	return false;
}

static uint64_t low(uint64_t v, unsigned int bits)
{
	return bits == 64 ? v : v & ((1ULL << bits) - 1);
}

static uint64_t number(const void *bytes, unsigned int size)
{
	uint8_t v1;
	uint16_t v2;
	uint32_t v4;
	uint64_t v8;

	switch (size) {
	case 1:
		memcpy(&v1, bytes, 1);
		return v1;
	case 2:
		memcpy(&v2, bytes, 2);
		return v2;
	case 4:
		memcpy(&v4, bytes, 4);
		return v4;
	default:
		assert_int_equal(size, 8);
		memcpy(&v8, bytes, 8);
		return v8;
	}
}

/* One or two registers. */
static uint64_t words(const struct steprun *r, const uint64_t *from, const struct lt_call_step *s)
{
	const uint16_t one = 1;
	bool little = *(const uint8_t *)&one;

	if (s->size == 0 || r->word == 8)
		return r->word == 8 ? from[s->arg] : (uint32_t)from[s->arg];
	assert_int_equal(s->size, 8);
	return (uint64_t)(uint32_t)from[s->arg + little] << 32 | (uint32_t)from[s->arg + !little];
}

static void put(struct steprun *r, const void *bytes, size_t size)
{
	assert_true(r->n < LT_CALL_MAX_VALUES && r->size + size <= sizeof(r->values));
	memcpy(r->values + r->size, bytes, size);
	r->size += size;
	r->at[++r->n] = r->size;
}

static void put_number(struct steprun *r, uint64_t v, unsigned int size)
{
	uint8_t v1 = (uint8_t)v;
	uint16_t v2 = (uint16_t)v;
	uint32_t v4 = (uint32_t)v;

	put(r, size == 1 ? &v1 : size == 2 ? (void *)&v2 : size == 4 ? (void *)&v4 : (void *)&v,
	    size);
}

static void put_text(struct steprun *r, uint64_t address, unsigned int size, bool user)
{
	char text[LT_CALL_MAX_TEXT] = "";
	unsigned int n = 0;

	for (; n < size - 1U; n++) {
		if (!peek(r, address + n, 1, user, text + n)) {
			r->unread |= 1U << r->n;
			break;
		}
		if (!text[n])
			break;
	}
	if (n == size - 1U)
		r->cut |= 1U << r->n;
	text[n] = 0;
	put(r, text, n + 1);
}

static bool holds(unsigned int test, uint64_t a, uint64_t limit)
{
	switch (test) {
	case LT_CALL_EQ: return a == limit;
	case LT_CALL_NE: return a != limit;
	case LT_CALL_LT: return (int64_t)a < (int64_t)limit;
	case LT_CALL_LE: return (int64_t)a <= (int64_t)limit;
	case LT_CALL_GT: return (int64_t)a > (int64_t)limit;
	case LT_CALL_GE: return (int64_t)a >= (int64_t)limit;
	case LT_CALL_BELOW: return a < limit;
	case LT_CALL_ABOVE: return a > limit;
	case LT_CALL_AND: return a & limit;
	default:
		fail_msg("test %u", test);
		return false;
	}
}

static void write_value(struct steprun *r, const struct lt_call_step *s, uint64_t acc, bool whole)
{
	uint8_t many[LT_CALL_MAX_TEXT] = { 0 };

	if (s->op == LT_CALL_STORE) {
		if (!whole)
			r->unread |= 1U << r->n;
		put_number(r, acc, s->size);
	} else if (s->op == LT_CALL_BYTES) {
		assert_in_range(s->size, 1, sizeof(many));
		if (!peek(r, acc + (uint64_t)(int64_t)s->offset, s->size, false, many))
			r->unread |= 1U << r->n;
		put(r, many, s->size);
	} else {
		assert_in_range(s->size, 2, LT_CALL_MAX_TEXT);
		put_text(r, acc + (uint64_t)(int64_t)s->offset, s->size, s->op == LT_CALL_TEXTU);
	}
}

/* Where a value may begin. Return: false: the step is another one. */
static bool source(struct steprun *r, const struct lt_call_step *s, bool at_return, uint64_t *acc)
{
	switch (s->op) {
	case LT_CALL_ARG:
		assert_false(at_return);
		*acc = words(r, r->args, s);
		return true;
	case LT_CALL_RESULT:
		assert_true(at_return);
		*acc = words(r, r->result, s);
		return true;
	case LT_CALL_CONST:
		*acc = (uint64_t)(int64_t)s->offset;
		return true;
	case LT_CALL_LOADK:
		assert_true(at_return);
		*acc = r->kept[s->arg];
		return true;
	case LT_CALL_TASK:
		*acc = r->task;
		return true;
	default:
		return false;
	}
}

/* Steps that change the accumulator, or keep it. Return: false: the step is another one. */
static bool change(struct steprun *r, const struct lt_call_step *s, bool at_return, uint64_t *acc,
		   bool *whole)
{
	uint8_t bytes[8];

	switch (s->op) {
	case LT_CALL_ADD:
		*acc += (uint64_t)(int64_t)s->offset;
		return true;
	case LT_CALL_READ:
	case LT_CALL_READU:
		if (peek(r, *acc + (uint64_t)(int64_t)s->offset, s->size, s->op == LT_CALL_READU,
			 bytes)) {
			*acc = number(bytes, s->size);
		} else {
			*acc = 0;
			*whole = false;
		}
		return true;
	case LT_CALL_BITS:
		*acc = low(*acc >> s->arg, s->size);
		return true;
	case LT_CALL_SIGN:
		*acc = low(*acc, s->size);
		if (s->size < 64 && *acc >> (s->size - 1))
			*acc |= ~0ULL << s->size;
		return true;
	case LT_CALL_HIGH:
		*acc = low(*acc, 32) | (uint64_t)(uint32_t)s->offset << 32;
		return true;
	case LT_CALL_KEEP:
		assert_false(at_return);
		r->kept[s->arg] = *acc;
		return true;
	default:
		return false;
	}
}

void steprun_run(struct steprun *r, const struct lt_call_step *steps, unsigned int n,
		 bool at_return)
{
	bool whole = true, texts = false;
	uint64_t acc = 0, limit = 0;

	for (unsigned int i = 0; i < n && !r->left_out; i++) {
		const struct lt_call_step *s = &steps[i];

		if (source(r, s, at_return, &acc)) {
			whole = true;
			continue;
		}
		if (change(r, s, at_return, &acc, &whole))
			continue;
		switch (s->op) {
		case LT_CALL_LIMIT:
			limit = acc;
			break;
		case LT_CALL_TEST:
			r->left_out = !holds(s->arg, acc, limit);
			break;
		case LT_CALL_TEXT:
		case LT_CALL_TEXTU:
			assert_true(at_return);
			texts = true;
			write_value(r, s, acc, whole);
			break;
		case LT_CALL_STORE:
		case LT_CALL_BYTES:
			assert_false(texts);
			write_value(r, s, acc, whole);
			break;
		default:
			fail_msg("step %u: there is no operation %u", i, s->op);
		}
	}
}
