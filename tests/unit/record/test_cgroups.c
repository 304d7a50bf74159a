// SPDX-License-Identifier: GPL-2.0
/* The text CGROUPS, against what find(1) and stat(1) say of this machine's hierarchy. */
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "record/internal.h"
#include "testlib.h"

/* What a shell prints, to be freed. */
static char *output_of(const char *command)
{
	FILE *p = popen(command, "r");
	char *text;

	assert_non_null(p);
	text = lt_read_text(fileno(p), 16 << 20, NULL);
	pclose(p);
	assert_non_null(text);
	return text;
}

static void test_hierarchy(void **state)
{
	char *text = lt_record_cgroups();
	char *expected = output_of("m=$(awk '$3 == \"cgroup2\" { print $2; exit }' /proc/self/mounts); "
				   "[ -z \"$m\" ] || find \"$m\" -type d -printf '%i /%P\\n'");
	const char *pos = expected, *line;
	size_t len, n = 0, found = 0;

	(void)state;
	while (lt_line(&pos, &line, &len)) {
		char want[5000];

		n++;
		/* A name with escapes, and a cgroup that came or went meanwhile, differ. */
		snprintf(want, sizeof(want), "%.*s\n", (int)len, line);
		found += text && (strstr(text, want) == text ||
				  (strstr(text, want) && strstr(text, want)[-1] == '\n'));
	}
	if (!n)
		assert_null(text);
	else
		assert_true(found >= (n + 1) / 2);
	free(expected);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_hierarchy) };

	return cmocka_run_group_tests_name("cgroups of the recorder", tests, NULL, NULL);
}
