// SPDX-License-Identifier: GPL-2.0
/* Numbers of pid namespaces whose ids are used again. */
#include "trace/namespaces.h"
#include "testlib.h"

static void announce(struct lt_ns_numbers *n, uint16_t id, uint32_t inum, uint64_t ns_id,
		     uint8_t level)
{
	lt_ns_number_announce(n, id, &(struct lt_ns_identity){ .inum = inum, .ns_id = ns_id,
							       .level = level });
}

static void test_again(void **state)
{
	struct lt_ns_numbers n = { 0 };

	(void)state;
	assert_int_equal(lt_ns_number_now(&n, 3), 3);
	assert_null(lt_ns_identity_now(&n, 3));
	announce(&n, 3, 8, 5, 1);
	announce(&n, 3, 8, 5, 1);		/* by the next snapshot */
	assert_int_equal(lt_ns_number_now(&n, 3), 3);
	lt_ns_number_gone(&n, 3);
	assert_int_equal(lt_ns_number_now(&n, 3), 3);
	announce(&n, 3, 8, 5, 1);		/* the kernel gives inode numbers again, too */
	assert_int_equal(lt_ns_number_now(&n, 3), LT_FIRST_LATER_NS);
	/* Without the record of the end, by each part of the identity. */
	announce(&n, 3, 9, 5, 1);
	assert_int_equal(lt_ns_number_now(&n, 3), LT_FIRST_LATER_NS + 1);
	announce(&n, 3, 9, 6, 1);
	assert_int_equal(lt_ns_number_now(&n, 3), LT_FIRST_LATER_NS + 2);
	announce(&n, 3, 9, 6, 2);
	assert_int_equal(lt_ns_number_now(&n, 3), LT_FIRST_LATER_NS + 3);
	assert_int_equal(lt_ns_identity_now(&n, 3)->level, 2);
	/* One that was never announced has an end. */
	lt_ns_number_gone(&n, 4);
	assert_int_equal(lt_ns_number_now(&n, 4), 4);
	assert_null(lt_ns_identity_now(&n, 4));
	announce(&n, 4, 9, 6, 2);
	assert_int_equal(lt_ns_number_now(&n, 4), LT_FIRST_LATER_NS + 4);
	assert_int_equal(lt_ns_number_now(&n, UINT16_MAX), UINT16_MAX);
	lt_ns_numbers_destroy(&n);
}

/* The id 0 stands for all namespaces that have none. */
static void test_no_id(void **state)
{
	struct lt_ns_numbers n = { 0 };

	(void)state;
	announce(&n, 0, 8, 5, 1);
	lt_ns_number_gone(&n, 0);
	announce(&n, 0, 9, 5, 1);
	assert_int_equal(lt_ns_number_now(&n, 0), 0);
	assert_null(lt_ns_identity_now(&n, 0));
	lt_ns_numbers_destroy(&n);
}

/* A number fits into its bits, however many namespaces come and go. */
static void test_bound(void **state)
{
	struct lt_ns_numbers n = { 0 };

	(void)state;
	announce(&n, 3, 0, 0, 1);
	for (uint32_t i = 1; i <= LT_MOST_LATER_NS; i++)
		announce(&n, 3, i, 0, 1);
	assert_int_equal(lt_ns_number_now(&n, 3), (1U << LT_NS_NUMBER_BITS) - 1);
	announce(&n, 4, 1, 0, 1);
	assert_int_equal(lt_ns_number_now(&n, 4), 4);
	/* The namespaces behind have no number, that of another id keeps its one. */
	announce(&n, 3, 1, 0, 1);
	assert_int_equal(lt_ns_number_now(&n, 3), 0);
	announce(&n, 3, 2, 0, 1);
	assert_int_equal(lt_ns_number_now(&n, 3), 0);
	assert_int_equal(lt_ns_number_now(&n, 4), 4);
	lt_ns_numbers_destroy(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_no_id),
		cmocka_unit_test(test_bound),
	};

	return cmocka_run_group_tests_name("namespaces", tests, NULL, NULL);
}
