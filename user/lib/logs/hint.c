// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What users give by mistake for a log, and what they want instead.
 */
#include "logs/internal.h"

#define LOOK	256	/* bytes of the first line */

static const struct {
	const char *magic;
	const char *hint;
} binaries[] = {
	{ "PERFILE2", "this is what perf record writes: make it text by perf script -i FILE" },
	{ "2ELIFREP", "this is what perf record writes: make it text by perf script -i FILE" },
	{ "\x17\x08\x44tracing", "this is what trace-cmd record writes: make it text by trace-cmd report -i FILE" },
	{ "LPKSHHRH", "this is a file of the journal: make it text by journalctl -o json --file=FILE" },
	{ "LIFETRAC", "this is a trace of lifetrace, and no log" },
	{ "\x1f\x8b", "this is compressed: unpack it by zcat" },
	{ "\x28\xb5\x2f\xfd", "this is compressed: unpack it by zstdcat" },
	{ "\xfd" "7zXZ", "this is compressed: unpack it by xzcat" },
};

/* "1795973325.778035 brk(NULL) = 0", "brk(NULL) = 0": strace without -f. */
static bool lacks_number(struct lt_text t)
{
	struct lt_log_parser p = { .format = LT_LOG_STRACE };
	struct lt_log_line line = { 0 };
	char numbered[LOOK + 2];
	struct lt_why why;

	memcpy(numbered, "1 ", 2);
	memcpy(numbered + 2, t.p, lt_text_left(&t));
	t = (struct lt_text){ numbered, numbered + 2 + lt_text_left(&t) };
	return lt_log_strace(&p, t, &line, &why) != LT_LOG_NO_TASK;
}

/*
 * "[Mon Nov 30 05:58:38 2026] ", "[Nov30 05:58] ", "[  +0.000001] ", "[<    0.000001>] ", and
 * "2026-11-30T05:58:38,550260+00:00 ": dmesg with options. Syslog has a point for the comma.
 */
static bool is_time_of_dmesg(struct lt_text t)
{
	if (lt_text_skip(&t, '['))
		return lt_text_left(&t) && memchr(" <+ADFJMNOSTW", *t.p, 13) &&
		       memmem(t.p, lt_text_left(&t), "] ", 2);
	return lt_text_left(&t) > 20 && t.p[10] == 'T' && t.p[13] == ':' && t.p[19] == ',';
}

/* "{" or "[", and the rest on other lines. */
static bool is_json_of_lines(struct lt_text t)
{
	lt_text_spaces(&t);
	if (!lt_text_skip(&t, '{') && !lt_text_skip(&t, '['))
		return false;
	lt_text_spaces(&t);
	return !lt_text_left(&t) || lt_text_is(&t, '{') || lt_text_is(&t, '"');
}

const char *lt_log_hint(const char *text, size_t len)
{
	struct lt_text t = { text, text + (len < LOOK ? len : LOOK) };
	const char *end;

	for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); i++) {
		struct lt_text u = t;

		if (lt_text_take(&u, binaries[i].magic))
			return binaries[i].hint;
	}
	while (lt_text_is(&t, '\n'))
		t.p++;
	end = memchr(t.p, '\n', lt_text_left(&t));
	if (end)
		t.end = end;
	if (is_json_of_lines(t))
		return "an object of JSON has to stand on one line: journalctl -o json, not json-pretty; of others jq -c '.[]' or jq -c . makes lines";
	if (is_time_of_dmesg(t))
		return "of the kernel's log the times in seconds since the boot are read: dmesg without -T, -e, -r and --time-format";
	if (lt_text_left(&t) && memmem(t.p, lt_text_left(&t), "): ", 3) &&
	    (lt_text_is(&t, ' ') || lt_text_digit(&t)) && memchr(t.p, '/', lt_text_left(&t)))
		return "lines of perf trace are not read: perf record -e 'raw_syscalls:*' and perf script print ones that are";
	if (lacks_number(t))
		return "strace writes no numbers of tasks without -f: record with strace -f -ttt -o FILE";
	return NULL;
}
