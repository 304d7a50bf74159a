// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The values of a line of the kernel's log, and what the line calls them.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oops/internal.h"

#define REGISTER_NAME	6	/* characters of the longest name */

const char *lt_oops_find(const struct lt_oops_line *l, const char *text)
{
	return memmem(l->text, l->len, text, strlen(text));
}

bool lt_oops_begins(const struct lt_oops_line *l, const char *text)
{
	size_t n = strlen(text);

	return l->len >= n && !memcmp(l->text, text, n);
}

static char at(const struct lt_oops_line *l, size_t i)
{
	return i < l->len ? l->text[i] : ' ';
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* How many hexadecimal digits stand there, in lower case as the kernel prints them. */
static size_t digits(const struct lt_oops_line *l, size_t i)
{
	size_t n = 0;

	while (i + n < l->len && strchr("0123456789abcdef", l->text[i + n]))
		n++;
	return n;
}

/*
 * The word before a colon or equals sign that stands before @i, as in "RAX: " and "x0 : "; a
 * segment may stand between, "RSP: 0018:". Return: its length, 0: none. @begin: where it begins.
 */
static size_t name_before(const struct lt_oops_line *l, size_t i, size_t *begin)
{
	size_t end, n;

	while (i && strchr(" [<", l->text[i - 1]))
		i--;
	if (!i || (l->text[i - 1] != ':' && l->text[i - 1] != '='))
		return 0;
	i--;
	while (i && l->text[i - 1] == ' ')
		i--;
	end = i;
	while (i && in_word(l->text[i - 1]))
		i--;
	n = end - i;
	*begin = i;
	if (n == 4 && digits(l, i) == 4 && i && (l->text[i - 1] == ' ' || l->text[i - 1] == ':'))
		return name_before(l, i, begin);
	return n;
}

static bool is_one_of(const char *name, const char *const list[])
{
	for (size_t i = 0; list[i]; i++) {
		if (!strcmp(name, list[i]))
			return true;
	}
	return false;
}

/* RAX, x29, r3, GPR00, pc. */
static bool is_register(const char *name)
{
	static const char *const others[] = { "pc", "lr", "sp", "ip", "fp", "epc", "ra", "gp", "tp",
					      NULL };

	if (islower((unsigned char)name[0]) && isdigit((unsigned char)name[1]))
		return true;
	for (const char *p = name; *p; p++) {
		if (!isupper((unsigned char)*p) && !isdigit((unsigned char)*p))
			return is_one_of(name, others);
	}
	return isupper((unsigned char)name[0]);
}

/* Whether it is a register whose value is printed as 8 digits by kernels of 32 bits. */
static bool is_short_register(const char *name)
{
	static const char *const others[] = { "pc", "lr", "sp", "ip", "fp", "CR2", "NIP", "LR", "CTR",
					      "DAR", "epc", "ra", "cr2", NULL };

	if (name[0] == 'E' && strlen(name) == 3 && strcmp(name, "ESR"))
		return true;
	if (name[0] == 'r' && isdigit((unsigned char)name[1]))
		return true;
	return !strncmp(name, "GPR", 3) || is_one_of(name, others);
}

/* Values that are no pointers, or are of user space, whatever they look like. */
static bool is_no_pointer(const char *name)
{
	static const char *const list[] = {
		"CR0", "CR3", "CR4", "DR0", "DR1", "DR2", "DR3", "DR6", "DR7", "EFLAGS", "ORIG_RAX",
		"ORIG_EAX", "FS", "knlGS", "PKRU", "ESR", "FSC", "CS", "DS", "ES", "SS", "flags",
		"pstate", "pgd", "p4d", "pud", "pmd", "pte", "pgdp", "psr", "Flags", "Control", "Table",
		"DAC", "MSR", "CR", "XER", "CFAR", "DSISR", "IRQMASK", "status", "cause", "raw", "head",
		"index", "Oops", NULL,
	};

	return is_one_of(name, list);
}

/* The words before a value, without what separates them from it: at most so many as fit. */
static void words_before(const struct lt_oops_line *l, size_t from, size_t i, char *buf,
			 size_t size)
{
	size_t end = i, begin;

	while (end > from && strchr(" :=[(<>-", l->text[end - 1]))
		end--;
	begin = end - from < size - 1 ? from : end - (size - 1);
	if (begin > from) {
		/* Not from the middle of a word. */
		while (begin < end && l->text[begin - 1] != ' ')
			begin++;
	}
	while (begin < end && strchr(" ,;.)]", l->text[begin]))
		begin++;
	for (size_t k = begin; k < end; k++)
		buf[k - begin] = isprint((unsigned char)l->text[k]) ? l->text[k] : '?';
	buf[end - begin] = 0;
}

/* "for address", "at virtual address", "Read of size 8 at addr": the access that failed. */
static bool is_fault(const char *words)
{
	static const char *const ends[] = { "address", "at addr", "access to address", NULL };
	size_t n = strlen(words);

	for (size_t i = 0; ends[i]; i++) {
		size_t k = strlen(ends[i]);

		if (n >= k && !strcmp(words + n - k, ends[i]))
			return true;
	}
	return false;
}

/* Fills in name and kind. Return: false: it is no pointer. */
static bool take_name(struct lt_oops_line *l, size_t from, size_t i, size_t n_digits, bool prefix,
		      struct lt_oops_value *v)
{
	size_t begin = 0, n = name_before(l, prefix ? i - 2 : i, &begin);
	char words[sizeof(v->name)];

	if (n && n <= REGISTER_NAME + 2) {
		snprintf(v->name, sizeof(v->name), "%.*s", (int)n, l->text + begin);
		if (is_no_pointer(v->name))
			return false;
	}
	words_before(l, from, prefix ? i - 2 : i, words, sizeof(words));
	if (is_fault(words) || (n && !strcmp(v->name, "CR2")) || (n && !strcmp(v->name, "FAR"))) {
		if (!n || n > REGISTER_NAME)
			snprintf(v->name, sizeof(v->name), "%s",
				 strstr(words, "addr") && !strstr(words, "address") ?
				 "accessed address" : "fault address");
		v->kind = LT_OOPS_FAULT;
		return true;
	}
	v->kind = n && n <= REGISTER_NAME && !prefix && is_register(v->name) ? LT_OOPS_REGISTER :
		  LT_OOPS_WORD;
	if (v->kind == LT_OOPS_REGISTER && !strncmp(v->name, "GPR", 3))
		l->gpr = (unsigned int)strtoul(v->name + 3, NULL, 10) + 1;
	if (n_digits < 16 && (v->kind != LT_OOPS_REGISTER || !is_short_register(v->name)))
		return false;
	if (v->kind == LT_OOPS_WORD && l->gpr) {
		snprintf(v->name, sizeof(v->name), "GPR%02u", l->gpr++);
		v->kind = LT_OOPS_REGISTER;
	} else if (v->kind == LT_OOPS_WORD) {
		snprintf(v->name, sizeof(v->name), "%s", words[0] ? words : "value");
	}
	return true;
}

/* Row of a dump: the address, and the bytes that stand there. */
static bool is_dump(const struct lt_oops_line *l, size_t end)
{
	if (at(l, end) != ':')
		return false;
	for (size_t i = end + 1, n = 0; n < 4; n++, i += 3) {
		while (n == 0 && at(l, i) == ' ' && i < l->len)
			i++;
		if (digits(l, i) != 2 || (i + 2 < l->len && !strchr(" .", l->text[i + 2])))
			return false;
	}
	return true;
}

/* "(____ptrval____)": not even a hash, early in a boot. */
static bool hidden(const struct lt_oops_line *l, size_t i, size_t *len)
{
	static const char *const texts[] = { "____ptrval____", "__ptrval__", "(ptrval)", NULL };

	for (size_t k = 0; texts[k]; k++) {
		*len = strlen(texts[k]);
		if (l->len - i >= *len && !memcmp(l->text + i, texts[k], *len))
			return true;
	}
	return false;
}

/* %p prints 32 bits of a hash, with zeros before them. */
static void look_for_hash(struct lt_oops_value *v, size_t n_digits)
{
	if (n_digits == 16 && v->kind == LT_OOPS_WORD && v->value >= 0x10000 &&
	    v->value <= UINT32_MAX)
		v->kind = LT_OOPS_HASHED;
}

static bool take_pfn(const struct lt_oops_line *l, size_t i, size_t n, struct lt_oops_value *v)
{
	if (i < 6 || memcmp(l->text + i - 6, "pfn:0x", 6) || n > 13)
		return false;
	v->kind = LT_OOPS_PFN;
	strcpy(v->name, "pfn");
	v->value = strtoull(l->text + i, NULL, 16);
	return true;
}

bool lt_oops_next(struct lt_oops_line *l, size_t *pos, struct lt_oops_value *v)
{
	size_t from = *pos, n;

	for (size_t i = from; i < l->len; i += n ? n : 1) {
		bool prefix = i >= 2 && l->text[i - 1] == 'x' && l->text[i - 2] == '0';

		memset(v, 0, sizeof(*v));
		if (hidden(l, i, &n)) {
			words_before(l, from, i, v->name, sizeof(v->name));
			v->kind = LT_OOPS_HASHED;
			*pos = i + n;
			return true;
		}
		n = digits(l, i);
		if (!n || (!prefix && i && in_word(l->text[i - 1])) || in_word(at(l, i + n)))
			continue;
		if (prefix && take_pfn(l, i, n, v)) {
			*pos = i + n;
			return true;
		}
		if ((n != 16 && n != 8) || is_dump(l, i + n))
			continue;
		v->value = strtoull(l->text + i, NULL, 16);
		if (!take_name(l, from, i, n, prefix, v)) {
			from = i + n;
			continue;
		}
		look_for_hash(v, n);
		*pos = i + n;
		return true;
	}
	return false;
}
