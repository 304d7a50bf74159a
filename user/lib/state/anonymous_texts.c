// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A trace without names and addresses: texts.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text.h"
#include "format/block.h"
#include "state/anonymous_internal.h"

#define MAX_DIGITS	16U

static size_t digits(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && isxdigit((unsigned char)s[n]))
		n++;
	return n;
}

/* An address of @n digits, with as many. */
static void put_address(const struct lt_anonymous *a, struct lt_str *to, const char *s, size_t n,
			bool code)
{
	char word[MAX_DIGITS + 1];

	memcpy(word, s, n);
	word[n] = 0;
	lt_str_add(to, "%0*" PRIx64, (int)n, lt_moved(a, strtoull(word, NULL, 16), code));
}

/* All addresses of a line are written with 0x. */
static void put_addresses(const struct lt_anonymous *a, struct lt_str *to, const char *line,
			  size_t len, bool code)
{
	size_t from = 0;

	for (size_t i = 0; i + 2 < len; i++) {
		size_t n;

		if (line[i] != '0' || line[i + 1] != 'x')
			continue;
		n = digits(line + i + 2, len - i - 2);
		if (!n || n > MAX_DIGITS)
			continue;
		lt_str_bytes(to, line + from, i + 2 - from);
		put_address(a, to, line + i + 2, n, code);
		from = i + 2 + n;
		i = from - 1;
	}
	lt_str_bytes(to, line + from, len - from);
}

/* A line of /proc/kallsyms. */
static void put_symbol(const struct lt_anonymous *a, struct lt_str *to, const char *line,
		       size_t len)
{
	size_t n = digits(line, len);

	if (!n || n > MAX_DIGITS) {
		lt_str_bytes(to, line, len);
		return;
	}
	put_address(a, to, line, n, true);
	lt_str_bytes(to, line + n, len - n);
}

/* A path of cgroups: each name in it is replaced. */
static void put_group(struct lt_anonymous *a, struct lt_str *to, const char *path, size_t len)
{
	size_t begin = 0;

	for (size_t i = 0; i <= len; i++) {
		char hidden[LT_HIDDEN_SIZE];

		if (i < len && path[i] != '/')
			continue;
		lt_hidden(&a->groups, "group", path + begin, i - begin, hidden);
		lt_str_put(to, hidden);
		if (i < len)
			lt_str_put(to, "/");
		begin = i + 1;
	}
}

/* "ID PATH", but for the last line. */
static void put_cgroup(struct lt_anonymous *a, struct lt_str *to, const char *line, size_t len)
{
	const char *blank = memchr(line, ' ', len);
	size_t n = blank ? (size_t)(blank - line) + 1 : len;

	lt_str_bytes(to, line, n);
	if (n < len && line[n] == '/')
		put_group(a, to, line + n, len - n);
	else
		lt_str_bytes(to, line + n, len - n);
}

static bool is_key(const char *line, size_t len, const char *key, const char **value)
{
	size_t n = strlen(key);

	*value = line + n + 1;
	return len > n && !memcmp(line, key, n) && line[n] == '=';
}

static void put_base(struct lt_str *to, const char *key, const char *value, uint64_t add)
{
	uint64_t base = strtoull(value, NULL, 0);

	lt_str_add(to, "%s=0x%" PRIx64, key, base ? base + add : 0);
}

/* Return: false if the line is left out. */
static bool put_info(struct lt_anonymous *a, struct lt_str *to, const char *line, size_t len)
{
	const char *value;

	if (is_key(line, len, "command", &value))
		return false;
	if (is_key(line, len, "hostname", &value)) {
		lt_str_put(to, "hostname=host");
	} else if (is_key(line, len, "boot_id", &value)) {
		lt_str_add(to, "boot_id=%08x-%04x-%04x-0000-000000000000",
			   (uint32_t)(a->boot >> 32), (uint16_t)(a->boot >> 16),
			   (uint16_t)a->boot);
	} else if (is_key(line, len, "text_base", &value)) {
		put_base(to, "text_base", value, a->code);
	} else if (is_key(line, len, "ptr_base", &value)) {
		put_base(to, "ptr_base", value, a->data);
	} else if (is_key(line, len, "linear_base", &value)) {
		lt_str_add(to, "linear_base=0x%" PRIx64,
			   (uint64_t)strtoull(value, NULL, 0) + a->data);
	} else if (is_key(line, len, "only_code", &value)) {
		put_addresses(a, to, line, len, true);
	} else if (is_key(line, len, "only_cgroup", &value)) {
		/* The kernel takes a path without a slash at its begin, too. */
		lt_str_put(to, "only_cgroup=");
		put_group(a, to, value, len - (size_t)(value - line));
	} else {
		lt_str_bytes(to, line, len);
	}
	return true;
}

/* The session stays, since packets have it; the boot becomes another one. */
static void put_part(struct lt_anonymous *a, struct lt_str *to, const char *line, size_t len)
{
	char hidden[LT_HIDDEN_SIZE];
	const char *value;

	if (is_key(line, len, "task", &value) && strspn(value, "0123456789@\n") < len - 5) {
		lt_hidden_task(a, value, len - 5, hidden);
		lt_str_add(to, "task=%s", hidden);
	} else if (is_key(line, len, "set", &value) && len >= 4 + 16) {
		lt_str_add(to, "%.20s%016" PRIx64, line, a->boot);
	} else {
		lt_str_bytes(to, line, len);
	}
}

/* Return: false if the line is left out. */
static bool put_line(struct lt_anonymous *a, unsigned int type, struct lt_str *to, const char *line,
		     size_t len)
{
	switch (type) {
	case LT_BLOCK_INFO:
		return put_info(a, to, line, len);
	case LT_BLOCK_PART:
		put_part(a, to, line, len);
		return true;
	case LT_BLOCK_CGROUPS:
		put_cgroup(a, to, line, len);
		return true;
	case LT_BLOCK_SYMBOLS:
		put_symbol(a, to, line, len);
		return true;
	case LT_BLOCK_MODULES:
	case LT_BLOCK_BUILDS:
	case LT_BLOCK_CODE:
		put_addresses(a, to, line, len, true);
		return true;
	case LT_BLOCK_CACHES:
		put_addresses(a, to, line, len, false);
		return true;
	default:
		lt_str_bytes(to, line, len);
		return true;
	}
}

char *lt_anonymous_text(struct lt_anonymous *a, unsigned int type, const char *text)
{
	struct lt_str s = { .n = 0 };
	const char *line;
	size_t len;

	while (lt_line(&text, &line, &len)) {
		if (put_line(a, type, &s, line, len))
			lt_str_put(&s, "\n");
	}
	return s.s ? s.s : lt_strdup("");
}
