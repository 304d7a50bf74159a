// SPDX-License-Identifier: GPL-2.0
/*
 * The table of live objects compared with a plain array, with objects of all sizes.
 */
#include "base/hash.h"
#include "lifetimes/objtable_internal.h"
#include "testlib.h"

#define N	20000
#define FLAG	4

static uint64_t rng = 42;

static uint64_t rnd(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

/* An object as it must be in the table, and whether it is in the table. */
struct model {
	struct lt_obj obj;
	bool live;
};

static struct model *model;

static uint64_t address(size_t i)
{
	return i % 7 ? 0xffff888000000000ULL + i * 64 : i * 0x123456789abcdefULL;
}

/* Every tenth object has a value that does not fit the small form. */
static struct lt_obj make(size_t i, uint64_t time, uint32_t count)
{
	struct lt_obj obj = {
		.ptr = address(i), .time = time, .bytes_req = rnd() % 4096, .bytes_alloc = 4096,
		.site = (uint32_t)(rnd() % 500), .task = (uint32_t)(rnd() % 90),
		.gfp = (uint32_t)(rnd() % 5), .count = count, .cpu = (uint32_t)(rnd() % 128),
		.node = (int32_t)(rnd() % 3) - 1, .cache = (uint16_t)(rnd() % 200),
		.kind = (uint8_t)(rnd() % 4), .context = (uint8_t)(rnd() % 4),
		.order = (uint8_t)(rnd() % 11), .flags = (uint8_t)(rnd() % 2),
	};

	switch (i % 50) {
	case 3:
		obj.bytes_req = 1ULL << 33;
		break;
	case 4:
		obj.bytes_alloc = UINT64_MAX;
		break;
	case 5:
		obj.extra = 9;
		break;
	case 6:
		obj.cpu = UINT32_MAX;
		break;
	case 8:
		obj.time = time % 1000;	/* before the first one */
		break;
	}
	return obj;
}

static void expect_same(const struct lt_obj *a, const struct lt_obj *b)
{
	assert_int_equal(a->ptr, b->ptr);
	assert_int_equal(a->time, b->time);
	assert_int_equal(a->bytes_req, b->bytes_req);
	assert_int_equal(a->bytes_alloc, b->bytes_alloc);
	assert_int_equal(a->site, b->site);
	assert_int_equal(a->task, b->task);
	assert_int_equal(a->gfp, b->gfp);
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->cpu, b->cpu);
	assert_int_equal(a->node, b->node);
	assert_int_equal(a->extra, b->extra);
	assert_int_equal(a->cache, b->cache);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->context, b->context);
	assert_int_equal(a->order, b->order);
	assert_int_equal(a->flags, b->flags);
}

static void step(struct lt_objtable *t, size_t i, uint64_t time)
{
	struct model *m = &model[i];
	struct lt_obj obj;
	bool found = lt_objtable_find(t, address(i), &obj);

	lt_objtable_prefetch_tags(t, lt_objtable_mix(t, address(i)));
	lt_objtable_prefetch_object(t, lt_objtable_mix(t, address(i)));
	assert_int_equal(found, m->live);
	if (!found) {
		m->obj = make(i, time, (uint32_t)time);
		obj = m->obj;
		lt_objtable_add(t, &obj);
		m->live = true;
		return;
	}
	expect_same(&obj, &m->obj);
	if (rnd() % 2) {
		/* Changes between the small form and the large one. */
		obj.extra = obj.extra ? 0 : 77;
		obj.flags ^= FLAG;
		lt_objtable_put(t, &obj);
		m->obj = obj;
	} else {
		lt_objtable_remove(t, &obj);
		m->live = false;
	}
}

/* The calls of see() so far. */
struct seen {
	struct lt_objtable *t;
	size_t n;
	uint64_t time;
	uint32_t count;
	bool removing;
	bool unordered;
};

static void see(void *arg, struct lt_obj *obj)
{
	struct seen *s = arg;
	size_t i;

	assert_true(s->unordered || obj->time > s->time ||
		    (obj->time == s->time && obj->count >= s->count));
	s->time = obj->time;
	s->count = obj->count;
	for (i = 0; i < N && !(model[i].live && address(i) == obj->ptr); i += 1)
		;
	assert_true(i < N);
	expect_same(obj, &model[i].obj);
	s->n++;
	if (!s->removing)
		return;
	assert_true(obj->flags & FLAG);
	if (i % 2) {
		lt_objtable_remove(s->t, obj);
		model[i].live = false;
	}
}

static void check_random(bool ordered)
{
	struct lt_objtable t;
	struct seen s = { .t = &t };
	size_t flagged = 0, left = 0;

	model = calloc(N, sizeof(*model));
	lt_objtable_init(&t);
	for (uint64_t n = 0; n < 200000; n++)
		step(&t, rnd() % (n < 100000 ? N : N / 10), 1000 + n / 3);
	for (size_t i = 0; i < N; i++)
		flagged += model[i].live && model[i].obj.flags & FLAG;
	s.removing = true;
	lt_objtable_close(&t, FLAG, ordered, see, &s);
	assert_int_equal(s.n, flagged);
	for (size_t i = 0; i < N; i++)
		left += model[i].live;
	assert_int_equal(t.n, left);
	s = (struct seen){ .t = &t, .unordered = !ordered };
	lt_objtable_walk(&t, see, &s);
	assert_int_equal(s.n, left);
	lt_objtable_destroy(&t);
	free(model);
}

static void test_random(void **state)
{
	(void)state;
	check_random(true);
	check_random(false);
}

static void test_hash(void **state)
{
	(void)state;
	for (int i = 0; i < 100000; i++) {
		uint64_t key = rnd(), seed = rnd();

		assert_int_equal(lt_unmix64(lt_mix64(key, seed), lt_unmix_seed(seed)), key);
	}
}

static void test_intern(void **state)
{
	struct lt_intern in;
	uint64_t value = 1;

	(void)state;
	lt_intern_init(&in);
	assert_int_equal(lt_intern_number(&in, 0), 0);
	for (uint32_t i = 1; i < 10000; i++) {
		assert_int_equal(lt_intern_number(&in, value), i);
		assert_int_equal(lt_intern_value(&in, i), value);
		/* The last value again, and one that has left the memo since. */
		assert_int_equal(lt_intern_number(&in, value), i);
		assert_int_equal(lt_intern_number(&in, 1), 1);
		assert_int_equal(lt_intern_number(&in, 0), 0);
		value = value * 0x5851f42d4c957f2dULL + 1;
	}
	lt_intern_destroy(&in);
}

/* A million tasks, of which each makes an object; few objects stay. */
static void test_actors(void **state)
{
	struct lt_objtable t;
	struct lt_obj obj;
	uint32_t most = 0;

	(void)state;
	lt_objtable_init(&t);
	for (uint32_t i = 1; i <= 1000000; i++) {
		obj = (struct lt_obj){ .ptr = i * 64ULL, .time = i, .task = i, .cpu = i % 128 };
		/* One that has a form of its own has no actor. */
		obj.extra = i % 10000 == 5000;
		lt_objtable_add(&t, &obj);
		if (i % 5000)
			lt_objtable_remove(&t, &obj);
		most = t.actors.n > most ? t.actors.n : most;
	}
	assert_int_equal(t.n, 200);
	assert_in_range(most, 60000, 70000);
	for (uint32_t i = 5000; i <= 1000000; i += 5000) {
		assert_true(lt_objtable_find(&t, i * 64ULL, &obj));
		assert_int_equal(obj.task, i);
		assert_int_equal(obj.cpu, i % 128);
		assert_int_equal(obj.extra, i % 10000 == 5000);
	}
	lt_objtable_destroy(&t);
}

#define AHEAD	64

/* Births and frees that are known ahead, as far as the table may be asked before. */
static void test_ahead(void **state)
{
	static struct lt_objtable_place places[AHEAD];
	static bool live[N];
	size_t which[AHEAD], n = 0;
	struct lt_objtable t;

	(void)state;
	lt_objtable_init(&t);
	for (uint32_t round = 0; round < 6000; round++) {
		const uint32_t growths = t.growths;

		for (size_t i = 0; i < AHEAD; i++) {
			which[i] = rnd() % (round % 1000 + 1) * N / 1000;
			places[i].mixed = lt_objtable_mix(&t, address(which[i]));
			find_groups(&t, &places[i]);
			find_ahead(&t, &places[i], rnd() % 2);
		}
		for (size_t i = 0; i < AHEAD && growths == t.growths; i++) {
			struct lt_packed *p = seek_place(&t, &places[i]);

			/* One that was removed may be there still, and seems to be whole. */
			p = p && is_whole(p) ? seek_packed(&t, places[i].mixed) : p;
			assert_int_equal(p != NULL, live[which[i]]);
			if (p) {
				drop_packed(&t, places[i].mixed, p);
			} else {
				p = new_at_place(&t, &places[i]);
				set_packed(p, 0, 0, 0, 1, 0);
				if (growths == t.growths)
					assert_null(new_at_place(&t, &places[i]));
			}
			live[which[i]] = !live[which[i]];
			n += live[which[i]] ? 1 : -1;
		}
	}
	assert_int_equal(t.n, n);
	lt_objtable_destroy(&t);
}

/* Half a year; of each fourth day an object stays. */
static void test_times(void **state)
{
	const uint64_t day = 86400ULL * 1000000000;
	struct lt_objtable t;
	struct lt_obj obj;

	(void)state;
	lt_objtable_init(&t);
	for (uint32_t i = 1; i <= 180; i++) {
		obj = (struct lt_obj){ .ptr = i * 64ULL, .time = i * day, .task = i, .flags = FLAG };
		lt_objtable_add(&t, &obj);
		if (i % 4)
			lt_objtable_remove(&t, &obj);
		for (uint32_t k = 4; k <= i; k += 4) {
			assert_true(lt_objtable_find(&t, k * 64ULL, &obj));
			assert_int_equal(obj.time, k * day);
			assert_int_equal(obj.task, k);
			assert_int_equal(obj.flags, FLAG);
		}
	}
	/* Those of the last weeks have no form of their own. */
	assert_in_range(t.whole.used, 20, 40);
	lt_objtable_destroy(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random), cmocka_unit_test(test_hash),
		cmocka_unit_test(test_intern), cmocka_unit_test(test_actors),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_ahead),
	};

	return cmocka_run_group_tests_name("objtable", tests, NULL, NULL);
}
