// SPDX-License-Identifier: GPL-2.0
/*
 * Which of the verifier's words say what is wrong: in logs of kernels as they came.
 */
#include "testlib.h"
#include "bpf/words.h"

static const char log_6_18[] =
	"libbpf: prog 'kfree_0': BPF program load failed: Permission denied\n"
	"libbpf: prog 'kfree_0': -- BEGIN PROG LOAD LOG --\n"
	"174: (18) r1 = 0x9e3779b97f4a7c15     ; R1=0x9e3779b97f4a7c15\n"
	"177: (2f) r8 *= r1\n"
	"R8 pointer arithmetic with *= operator prohibited\n"
	"processed 67 insns (limit 1000000) max_states_per_insn 0 total_states 6 peak_states 6 mark_read 0\n"
	"-- END PROG LOAD LOG --\n"
	"libbpf: prog 'kfree_0': failed to load: -13\n"
	"libbpf: failed to load object 'lifetrace'\n";

static const char log_7_3[] =
	"libbpf: prog 'kfree_0': BPF program load failed: Invalid argument\n"
	"libbpf: prog 'kfree_0': -- BEGIN PROG LOAD LOG --\n"
	"176: (bf) r8 = r6                     ; R6=trusted_ptr_task_struct()\n"
	"177: (2f) r8 *= r1\n"
	"math between trusted_ptr_ pointer and -7046029254386353131 is not allowed\n"
	"\n"
	"Verification failed: Register Type Safety: Pointer offset is not safe\n"
	"\n"
	"At:\n"
	"  insn 177\n"
	"       | ^-- error: pointer offset is not safe\n"
	"\n"
	"Suggestion:\n"
	"  Clamp or bounds-check the scalar offset before applying it to the pointer.\n"
	"\n"
	"processed 67 insns (limit 1000000) max_states_per_insn 0 total_states 6 peak_states 6 mark_read 0\n"
	"-- END PROG LOAD LOG --\n";

static const char *words_of(const char *said)
{
	static char words[200];

	lt_bpf_words(said, words, sizeof(words));
	return words;
}

static void test_logs(void **state)
{
	(void)state;
	assert_string_equal(words_of(log_6_18), "R8 pointer arithmetic with *= operator prohibited");
	assert_string_equal(words_of(log_7_3),
			    "math between trusted_ptr_ pointer and -7046029254386353131 is not allowed");
	assert_string_equal(words_of("libbpf: prog 'no_function': failed to load: -1\n"), "");
	assert_string_equal(words_of(""), "");
	assert_string_equal(words_of("\nprocessed 1 insns"), "");
	assert_string_equal(words_of("1:\ta\x1b\nprocessed 1 insns"), "1: a ");
}

static void test_short_buffer(void **state)
{
	char words[5];

	(void)state;
	lt_bpf_words(log_6_18, words, sizeof(words));
	assert_string_equal(words, "R8 p");
}

/* A log that is longer than what is kept, as one text: it is printed so. */
static void test_long_log(void **state)
{
	static struct lt_bpf_said s;
	const size_t n = 1U << 20;
	char *text = malloc(n + sizeof(log_7_3));

	(void)state;
	assert_non_null(text);
	memset(text, 'x', n);
	memcpy(text + n, log_7_3, sizeof(log_7_3));
	for (int i = 0; i < 3; i++) {
		lt_bpf_say(&s, text, strlen(text));
		assert_int_equal(strlen(s.text), s.n);
		assert_string_equal(words_of(s.text), words_of(log_7_3));
		lt_bpf_say(&s, "libbpf: more\n", 13);
		assert_string_equal(s.text + s.n - 13, "libbpf: more\n");
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_logs),
		cmocka_unit_test(test_short_buffer),
		cmocka_unit_test(test_long_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
