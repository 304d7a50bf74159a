// SPDX-License-Identifier: GPL-2.0
/*
 * Build ids and places of modules, as the recorder reads them from files like those of /sys.
 */
#include <sys/stat.h>

#include "record/builds.h"
#include "testlib.h"

#define ID20	"0102030405060708090a0b0c0d0e0f1011121314"

static char root[400];

static void put(const char *name, const char *text)
{
	test_put(root, name, text, strlen(text));
}

/* A note: three words, the name, the contents. Return: where the next one begins. */
static size_t note(char *to, uint32_t type, const char *owner, uint32_t size)
{
	uint32_t head[3] = { (uint32_t)strlen(owner) + 1, size, type };
	size_t at = sizeof(head);

	memcpy(to, head, sizeof(head));
	memset(to + at, 0, 68);
	memcpy(to + at, owner, head[0]);
	at += (head[0] + 3) & ~3U;
	for (uint32_t i = 0; i < size; i++)
		to[at + i] = (char)(i + 1);
	return at + ((size + 3) & ~3U);
}

static void expect(const char *modules, const char *expected)
{
	char *text = lt_record_builds(root, modules);

	assert_string_equal(text, expected);
	free(text);
}

static void test_builds(void **state)
{
	char notes[1024];
	size_t n;

	(void)state;
	snprintf(root, sizeof(root), "%s", test_path("sys"));
	/* Others come before the build id, of odd sizes. */
	n = note(notes, 6, "Linux", 5);
	n += note(notes + n, 3, "Xen", 4);
	n += note(notes + n, 3, "GNU", 20);
	test_put(root, "kernel/notes", notes, n);
	n = note(notes, 3, "GNU", 8);
	test_put(root, "module/one/notes/.note.gnu.build-id", notes, n);
	put("module/one/sections/.text", "0xffffffffc0001000\n");
	put("module/one/sections/.init.text", "0xffffffffc0005000\n");
	put("module/one/sections/.data", "0xffffffffc0009000\n");
	put("module/one/sections/.exit.text", "0x0000000000000000\n");
	put("module/one/sections/.text.unlikely", "0xffffffffc0003000\n");
	put("module/two/sections/.text", "words\n");
	expect("one 16384 1 two, Live 0xffffffffc0000000\ntwo 4096 0 - Live 0xffffffffc0010000\n",
	       "kernel " ID20 "\n"
	       "module one 0102030405060708 .init.text=0xffffffffc0005000 "
	       ".text=0xffffffffc0001000 .text.unlikely=0xffffffffc0003000\n"
	       "module two -\n");
	expect(NULL, "kernel " ID20 "\n");
	/* A name that would lead elsewhere. */
	expect("../one 4096 0 - Live 0x0\n", "kernel " ID20 "\n");
}

/* Notes that end too early, or say wrong sizes. */
static void test_notes(void **state)
{
	char notes[1024];
	uint32_t huge = UINT32_MAX;
	size_t n;

	(void)state;
	snprintf(root, sizeof(root), "%s", test_path("sys-notes"));
	expect(NULL, "kernel -\n");
	n = note(notes, 3, "GNU", 20);
	for (size_t i = 0; i < n; i++) {
		test_put(root, "kernel/notes", notes, i);
		expect(NULL, "kernel -\n");
	}
	test_put(root, "kernel/notes", notes, n);
	expect(NULL, "kernel " ID20 "\n");
	for (size_t i = 0; i < 2; i++) {
		note(notes, 3, "GNU", 20);
		memcpy(notes + 4 * i, &huge, sizeof(huge));
		test_put(root, "kernel/notes", notes, n);
		expect(NULL, "kernel -\n");
	}
	n = note(notes, 3, "GNU", 65);
	test_put(root, "kernel/notes", notes, n);
	expect(NULL, "kernel -\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builds),
		cmocka_unit_test(test_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
