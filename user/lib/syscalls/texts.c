// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Texts and addresses of sockets that arguments of system calls point to.
 */
#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/quote.h"
#include "syscalls/texts.h"
#include "syscalls/types.h"

/* The families of addresses that have a form of their own, the same on all machines. */
enum { UNIX = 1, INET = 2, INET6 = 10, NETLINK = 16 };

#define UNIX_PATH	108	/* bytes of a path in an address */

/* A text that is being written. */
struct out {
	char *to;
	size_t size;
	size_t n;
};

static void put(struct out *o, const char *text)
{
	for (; *text && o->n + 1 < o->size; text++)
		o->to[o->n++] = *text;
	o->to[o->n] = 0;
}

static void __attribute__((format(printf, 2, 3))) putf(struct out *o, const char *format, ...)
{
	char text[128];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	put(o, text);
}

static void put_byte(struct out *o, unsigned char c, bool digit_follows)
{
	char text[5];

	text[lt_quote_byte(text, c, digit_follows)] = 0;
	put(o, text);
}

static void put_bytes(struct out *o, const char *bytes, size_t n)
{
	put(o, "\"");
	for (size_t i = 0; i < n; i++) {
		char next = i + 1 < n ? bytes[i + 1] : 0;

		put_byte(o, (unsigned char)bytes[i], next >= '0' && next <= '7');
	}
	put(o, "\"");
}

static void put_quoted(struct out *o, const struct lt_syscall_text *t, size_t n)
{
	put_bytes(o, t->bytes, n);
	if (t->flags & LT_SYS_TEXT_CUT)
		put(o, "...");
}

size_t lt_syscall_put_path(const char *path, char *to, size_t size)
{
	struct out o = { .to = to, .size = size };

	put(&o, "<");
	for (; *path; path++) {
		bool digit_follows = path[1] >= '0' && path[1] <= '7';

		if (*path == '<' || *path == '>')
			putf(&o, digit_follows ? "\\%03o" : "\\%o", *path);
		else
			put_byte(&o, (unsigned char)*path, digit_follows);
	}
	put(&o, ">");
	return o.n;
}

/* ------------------------------------------------------------------------
 * Addresses of sockets
 */

static uint32_t number(const struct lt_syscall_text *t, size_t at, size_t size, bool big)
{
	uint32_t v = 0;

	for (size_t i = 0; i < size; i++)
		v |= (uint32_t)(uint8_t)t->bytes[at + i] << 8 * (big ? size - 1 - i : i);
	return v;
}

static void put_unix(struct out *o, const struct lt_syscall_text *t)
{
	const char *path = t->bytes + 2;
	size_t n = t->size - 2U;

	if (n > UNIX_PATH)
		n = UNIX_PATH;
	put(o, "AF_UNIX");
	if (!n)
		return;
	put(o, ", sun_path=");
	/* An abstract one is as long as was said, zeros included. */
	if (!path[0]) {
		put(o, "@");
		put_bytes(o, path + 1, n - 1);
	} else {
		put_bytes(o, path, strnlen(path, n));
	}
}

static void put_inet(struct out *o, const struct lt_syscall_text *t)
{
	char text[INET_ADDRSTRLEN];

	putf(o, "AF_INET, sin_port=htons(%u), sin_addr=inet_addr(\"%s\")", number(t, 2, 2, true),
	     inet_ntop(AF_INET, t->bytes + 4, text, sizeof(text)));
}

static void put_inet6(struct out *o, const struct lt_syscall_text *t)
{
	char text[INET6_ADDRSTRLEN];

	putf(o, "AF_INET6, sin6_port=htons(%u), sin6_flowinfo=htonl(%u), ", number(t, 2, 2, true),
	     number(t, 4, 4, true));
	putf(o, "inet_pton(AF_INET6, \"%s\", &sin6_addr)",
	     inet_ntop(AF_INET6, t->bytes + 8, text, sizeof(text)));
	if (t->size >= 28)
		putf(o, ", sin6_scope_id=%u", number(t, 24, 4, t->big));
}

static void put_other(struct out *o, const struct lt_syscall_text *t, uint32_t family)
{
	const char *name = lt_family_name(family);

	if (name)
		put(o, name);
	else
		putf(o, "%#x", family);
	if (t->size == 2)
		return;
	put(o, ", sa_data=");
	put_bytes(o, t->bytes + 2, t->size - 2U);
}

static void put_address(struct out *o, const struct lt_syscall_text *t)
{
	uint32_t family;

	family = number(t, 0, 2, t->big);
	put(o, "{sa_family=");
	if (family == UNIX)
		put_unix(o, t);
	else if (family == INET && t->size >= 8)
		put_inet(o, t);
	else if (family == INET6 && t->size >= 24)
		put_inet6(o, t);
	else if (family == NETLINK && t->size >= 12)
		putf(o, "AF_NETLINK, nl_pid=%u, nl_groups=%#08x", number(t, 4, 4, t->big),
		     number(t, 8, 4, t->big));
	else
		put_other(o, t, family);
	put(o, t->flags & LT_SYS_TEXT_CUT ? ", ...}" : "}");
}

/* ------------------------------------------------------------------------
 * Arguments
 */

static const char late_mark[] = " [read at the return]";

static const struct lt_syscall_text *next_of(const struct lt_syscall *call, unsigned int arg,
					     size_t *i)
{
	for (; *i < call->n_texts; (*i)++) {
		if (call->texts[*i].arg == arg)
			return &call->texts[(*i)++];
	}
	return NULL;
}

static char letter_of(const struct lt_syscall *call, unsigned int arg)
{
	const char *letters = lt_syscall_letters(call->abi, call->nr);

	letters += letters[0] == '=';
	return arg < strlen(letters) ? letters[arg] : 0;
}

bool lt_syscall_has_text(const struct lt_syscall *call, unsigned int arg)
{
	size_t i = 0;
	const struct lt_syscall_text *t = next_of(call, arg, &i);

	/* A part of it is no text, for the kernel, either; of an array elements may be there. */
	if (t && letter_of(call, arg) == 'v')
		return t->element != LT_SYS_TEXT_REST;
	return t && !(t->flags & LT_SYS_TEXT_FAULT) && (!t->address || t->size >= 2);
}

bool lt_syscall_text_is_late(const struct lt_syscall *call, unsigned int arg)
{
	size_t i = 0;
	const struct lt_syscall_text *t;

	while ((t = next_of(call, arg, &i)) != NULL) {
		if (t->flags & LT_SYS_TEXT_LATE)
			return true;
	}
	return false;
}

static void put_array(struct out *o, const struct lt_syscall *call, unsigned int arg)
{
	const struct lt_syscall_text *t;
	size_t i = 0, n = 0;

	put(o, "[");
	while ((t = next_of(call, arg, &i)) != NULL) {
		if (n++)
			put(o, ", ");
		if (t->element == LT_SYS_TEXT_REST || t->flags & LT_SYS_TEXT_FAULT)
			put(o, "...");
		else
			put_quoted(o, t, t->size);
	}
	put(o, "]");
}

size_t lt_syscall_put_text(const struct lt_syscall *call, unsigned int arg, char *to, size_t size)
{
	struct out o = { .to = to, .size = size };
	char letter = letter_of(call, arg);
	const struct lt_syscall_text *t;
	size_t i = 0, n;

	t = next_of(call, arg, &i);
	n = t->size;
	/* What getcwd() writes ends with a zero. */
	if (letter == 'r' && n && !t->bytes[n - 1])
		n--;
	if (letter == 'v')
		put_array(&o, call, arg);
	else if (t->address)
		put_address(&o, t);
	else
		put_quoted(&o, t, n);
	if (lt_syscall_text_is_late(call, arg))
		put(&o, late_mark);
	return o.n;
}

/* Joins a path to that of its directory. */
static char *join(const char *directory, const char *bytes, int size)
{
	const char *slash = "/";

	while (size >= 2 && bytes[0] == '.' && bytes[1] == '/') {
		bytes += 2;
		size -= 2;
	}
	if (!size || (size == 1 && bytes[0] == '.'))
		return lt_strdup(directory);
	if (directory[0] && directory[strlen(directory) - 1] == '/')
		slash = "";
	return lt_format("%s%s%.*s", directory, slash, size, bytes);
}

char *lt_syscall_path(const struct lt_syscall *call, unsigned int arg, const char *directory)
{
	const unsigned int unsure = LT_SYS_TEXT_CUT | LT_SYS_TEXT_FAULT | LT_SYS_TEXT_LATE;
	size_t i = 0;
	const struct lt_syscall_text *t = next_of(call, arg, &i);
	int size;

	if (!t || t->address || t->flags & unsure)
		return NULL;
	size = t->size;
	while (size && !t->bytes[size - 1])
		size--;
	if (!size || memchr(t->bytes, 0, (size_t)size))
		return NULL;
	if (t->bytes[0] == '/')
		return lt_format("%.*s", size, t->bytes);
	return directory ? join(directory, t->bytes, size) : NULL;
}
