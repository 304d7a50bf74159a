// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Durations, sizes, and the nearest of some names: what people type.
 */
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "base/wide.h"

#define FRACTION_DIGITS	18	/* of more the rest is dropped */

/**
 * struct decimal - a number that is not negative
 * @whole: the digits before the point
 * @part, @of: the digits behind it: @part / @of
 */
struct decimal {
	uint64_t whole;
	uint64_t part;
	uint64_t of;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Cuts a number off @text. By hand: strtod() takes "inf", "0x1p3", and the locale's point. */
static bool take_decimal(const char **text, struct decimal *d)
{
	const char *p = *text;
	unsigned int digits = 0, digits_behind = 0;

	*d = (struct decimal){ .of = 1 };
	for (; is_digit(*p); p++, digits++) {
		if (d->whole > (INT64_MAX - 9) / 10)
			return false;
		d->whole = d->whole * 10 + (uint64_t)(*p - '0');
	}
	if (*p == '.') {
		for (p++; is_digit(*p); p++, digits++) {
			if (digits_behind++ >= FRACTION_DIGITS)
				continue;
			d->part = d->part * 10 + (uint64_t)(*p - '0');
			d->of *= 10;
		}
	}
	*text = p;
	return digits;
}

static bool multiply(const struct decimal *d, uint64_t unit, uint64_t *result)
{
	uint64_t part = lt_mul_div(d->part, unit, d->of);

	if (d->whole && unit > INT64_MAX / d->whole)
		return false;
	*result = d->whole * unit + part;
	return *result <= INT64_MAX;
}

bool lt_parse_duration(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "", 1000000000 }, { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 },
		{ "ns", 1 }, { "m", 60000000000 }, { "min", 60000000000 },
		{ "h", 3600000000000 }, { "d", 86400000000000 },
	};
	struct decimal d;

	if (!take_decimal(&text, &d))
		return false;
	/* As durations are printed: "1.916 s". */
	if (*text == ' ' && text[1])
		text++;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(text, units[i].name))
			return multiply(&d, units[i].ns, ns);
	}
	return false;
}

bool lt_parse_size(const char *text, uint64_t *bytes)
{
	static const char letters[] = "kmgt";
	const char *letter;
	uint64_t unit = 1;
	struct decimal d;

	if (!take_decimal(&text, &d))
		return false;
	letter = *text ? strchr(letters, *text | 0x20) : NULL;
	if (letter) {
		unit <<= 10 * (letter - letters + 1);
		text++;
		if (*text == 'i')
			text++;
	}
	if (*text == 'B')
		text++;
	return !*text && multiply(&d, unit, bytes);
}

/* ------------------------------------------------------------------------
 * The nearest name
 */

/* Levenshtein distance; LT_NEAREST_SIZE if a name is too long. */
static unsigned int edit_distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b);
	unsigned int row[LT_NEAREST_SIZE];

	if (la >= LT_NEAREST_SIZE || lb >= LT_NEAREST_SIZE)
		return LT_NEAREST_SIZE;
	for (size_t j = 0; j <= lb; j++)
		row[j] = (unsigned int)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned int diag = row[0];

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned int best = diag + (a[i - 1] != b[j - 1]);

			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diag = row[j];
			row[j] = best;
		}
	}
	return row[lb];
}

void lt_nearest_init(struct lt_nearest *n, const char *wanted)
{
	*n = (struct lt_nearest){ .wanted = wanted, .distance = LT_NEAREST_SIZE };
}

void lt_nearest_try(struct lt_nearest *n, const char *candidate)
{
	size_t len = strlen(n->wanted), size = strlen(candidate);
	unsigned int d;

	if (!size || size >= LT_NEAREST_SIZE)
		return;
	d = edit_distance(n->wanted, candidate);
	/* The beginning of a name is nearly the name. */
	if (len >= 3 && !strncmp(n->wanted, candidate, len) && d > 1)
		d = 1;
	if (d > n->distance || 2 * d > size)
		return;
	if (d == n->distance && strcmp(candidate, n->best) >= 0)
		return;
	n->distance = d;
	memcpy(n->best, candidate, size + 1);
}

const char *lt_nearest_hint(const struct lt_nearest *n, const char *otherwise, char *buf,
			    size_t size)
{
	if (!n->best[0])
		return otherwise;
	snprintf(buf, size, "; did you mean '%s'?", n->best);
	return buf;
}
