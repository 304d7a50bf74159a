// SPDX-License-Identifier: GPL-2.0
/*
 * Names of system calls as the lists of numbers that the module takes.
 */
#include "record/syscalls.h"
#include "testlib.h"

static void expect(const char *machine, const char *names, const char *native,
		   const char *compat)
{
	char *n, *c;

	assert_int_equal(lt_record_syscall_lists(machine, names, &n, &c), 0);
	assert_string_equal(n, native);
	assert_string_equal(c, compat);
	free(n);
	free(c);
}

static void test_names(void **state)
{
	(void)state;
	expect("x86_64", "read", "0", "3");
	expect("x86_64", "close,write,read,open", "0-3", "3-6");
	expect("x86_64", "openat*", "257,437", "295,437");
	/* Of one ABI alone. */
	expect("x86_64", "socketcall", "", "102");
	expect("s390x", "execve,ex[i]t", "1,11", "");
	expect("aarch64", "read", "63", "3");
	/* By number, of both. */
	expect("x86_64", "511,read", "0,511", "3,511");
	assert_true(lt_record_syscalls_are_listable("read,511,getp*"));
	assert_false(lt_record_syscalls_are_listable("read,999"));
	assert_false(lt_record_syscalls_are_listable("call_*"));
}

/* As the module's parameter takes them, and shorter than it. */
static void test_strings(void **state)
{
	static const char *const machines[] = { "x86_64", "i686", "aarch64", "armv7l", "s390x", "ppc" };
	char *n, *c;

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		assert_int_equal(lt_record_syscall_texts(machines[i], &n, &c), 0);
		assert_in_range(strlen(n), 300, 2000);
		assert_true(strlen(c) <= 2000);
		assert_int_equal(*c != 0, i == 0 || i == 2);
		if (i == 0) {
			assert_non_null(strstr(n, ",42:-k,43:-g,44:----k,45:----g,49:-k,51:-g,52:-g,59:tv,"));
			assert_non_null(strstr(c, "5:t,8:t,9:tt,10:t,11:tv,12:t,"));
		}
		free(n);
		free(c);
	}
	assert_int_equal(lt_record_syscall_texts("vax", &n, &c), -1);
}

static void test_wrong(void **state)
{
	char *n, *c;

	(void)state;
	assert_int_equal(lt_record_syscall_lists("x86_64", "read,reed", &n, &c), -1);
	assert_int_equal(lt_record_syscall_lists("x86_64", "", &n, &c), -1);
	assert_int_equal(lt_record_syscall_lists("x86_64", "512", &n, &c), -1);
	assert_int_equal(lt_record_syscall_lists("vax", "read", &n, &c), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
