// SPDX-License-Identifier: GPL-2.0
/*
 * The tournament of streams, against a search among all of them.
 */
#include "trace/heads.h"
#include "testlib.h"

#define N	37
#define ROUNDS	20000

/* The pointers are only compared. */
static struct lt_heap_entry all[N];

/* Records that were known before they came first. */
static unsigned int n_followed;

static struct lt_stream *stream_of(size_t i)
{
	return (struct lt_stream *)&all[i];
}

/*
 * Equal keys are frequent, the last key occurs, and ranks change with the record, as those of frees
 * do.
 */
static void make_record(size_t i, uint64_t least)
{
	uint64_t key = least + (uint64_t)rand() % 6;

	/* Some are so far that they have no room in a match, and some earlier than those before. */
	if (!(rand() % 30))
		key += (uint64_t)rand() << (rand() % 33);
	if (!(rand() % 100) && key > 1000)
		key -= 1000;
	all[i].key = rand() % 50 ? key : UINT64_MAX;
	all[i].rank = (i * 7 % N) << 32 | (rand() & 1 ? LT_FREES_LAST : 0);
}

/* Return: the place of the first one; N: there is none. */
static size_t find_first(void)
{
	size_t first = N;

	for (size_t i = 0; i < N; i++) {
		if (!all[i].s)
			continue;
		if (first == N || lt_heap_earlier(&all[i], &all[first], NULL))
			first = i;
	}
	return first;
}

static void check(const struct lt_heads *h)
{
	size_t first = find_first(), n = 0;

	for (size_t i = 0; i < N; i++)
		n += all[i].s != NULL;
	assert_int_equal(h->n, n);
	if (!n)
		return;
	assert_ptr_equal(lt_heads_first(h), stream_of(first));
	assert_int_equal(lt_heads_key(h), all[first].key);
}

/* Some of those that are not there come. */
static void come(struct lt_heads *h, unsigned int one_in, uint64_t least)
{
	for (size_t i = 0; i < N; i++) {
		if (all[i].s || (unsigned int)rand() % one_in)
			continue;
		make_record(i, least);
		all[i].s = stream_of(i);
		lt_heads_add(h, all[i].s, all[i].key, all[i].rank);
	}
	lt_heads_build(h);
}

/* Records behind those of @all, which are known of some. */
static struct lt_heap_entry behind[N];

/* The first one, of stream @i, is followed by another. */
static void replace(struct lt_heads *h, size_t i, uint64_t least)
{
	const size_t leaf = lt_heads_leaf(h->matches[0]);
	const uint64_t following = h->behind[leaf].match;
	const bool known = behind[i].s;
	struct lt_heap_entry next;

	if (known)
		all[i] = behind[i];
	else
		make_record(i, least);
	next = all[i];
	h->behind[leaf].match = 0;
	behind[i].s = NULL;
	if (rand() % 4) {
		make_record(i, next.key == UINT64_MAX ? least : next.key);
		behind[i] = all[i];
		all[i] = next;
		lt_heads_follow(h, leaf, behind[i].key, behind[i].rank & LT_FREES_LAST, 0);
	}
	n_followed += known && following;
	if (known && following)
		lt_heads_play(h, leaf, following);
	else
		lt_heads_replace(h, next.key, next.rank & LT_FREES_LAST);
}

static void test_heads(void **state)
{
	struct lt_heads h = { 0 };
	unsigned int left = 0;

	(void)state;
	srand(1);
	memset(all, 0, sizeof(all));
	lt_heads_build(&h);
	check(&h);
	come(&h, 2, 0);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		size_t first = find_first();
		/* Of some rounds more leave than come, so that there is none. */
		unsigned int stay = round / 1000 % 2 ? 3 : 30;

		check(&h);
		if (first != N && rand() % stay) {
			replace(&h, first, all[first].key == UINT64_MAX ? round : all[first].key);
		} else if (first != N) {
			all[first].s = behind[first].s = NULL;
			lt_heads_leave(&h);
			left++;
		}
		if (!(rand() % 40) || (first == N && !(rand() % 4)))
			come(&h, 1 + (unsigned int)rand() % 30, round);
	}
	assert_true(left > 1000);
	assert_true(n_followed > 1000);
	lt_heads_free(&h);
}

/* All of one stream come before those of another, where keys are equal. */
static void test_ranks(void **state)
{
	struct lt_heads h = { 0 };

	(void)state;
	for (size_t i = N; i-- > 0; )
		lt_heads_add(&h, stream_of(i), 0, i);
	lt_heads_build(&h);
	for (size_t i = 0; i < N; i++) {
		for (unsigned int k = 0; k < 3; k++) {
			assert_ptr_equal(lt_heads_first(&h), stream_of(i));
			lt_heads_replace(&h, 0, false);
		}
		lt_heads_leave(&h);
	}
	assert_int_equal(h.n, 0);
	lt_heads_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
