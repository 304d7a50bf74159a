// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lines of text for people that are too long for the width that they have.
 */
#include "base/fit.h"

#define TEXT_MAX	24	/* columns at the left in which the text of a line may begin */
#define HANG		4	/* by which later lines stand to the right of the first one */

/* Bytes of the character at @s, of @len bytes; @width: its columns, 0 of a change of the font. */
static size_t character(const char *s, size_t len, unsigned int *width)
{
	size_t n = 1;

	*width = 1;
	if (*s == '\033' && len > 1 && s[1] == '[') {
		while (n < len && s[n] != 'm')
			n++;
		*width = 0;
		return n < len ? n + 1 : n;
	}
	while (n < len && ((unsigned char)s[n] & 0xc0) == 0x80)
		n++;
	return n;
}

static size_t columns(const char *s, size_t len)
{
	size_t sum = 0;
	unsigned int width;

	for (size_t i = 0; i < len; sum += width)
		i += character(s + i, len - i, &width);
	return sum;
}

/* How many bytes have at most @room columns. */
static size_t first_part(const char *s, size_t len, size_t room)
{
	size_t used = 0, i = 0;

	while (i < len) {
		unsigned int width;
		size_t n = character(s + i, len - i, &width);

		if (used + width > room)
			break;
		used += width;
		i += n;
	}
	return i;
}

/* Where the lines after the first one begin. */
static size_t hang_of(const char *s, size_t len, unsigned int width)
{
	size_t most = width / 2 < TEXT_MAX ? width / 2 : TEXT_MAX, at = 0, hang, begin = 0;
	bool other = false;

	while (begin < len && s[begin] == ' ')
		begin++;
	hang = begin + HANG;
	for (size_t i = 0, n; i < len && at <= most; i += n) {
		unsigned int one;

		n = character(s + i, len - i, &one);
		if (i > begin + 1 && s[i] != ' ' && s[i - 1] == ' ' && s[i - 2] == ' ') {
			hang = at;
			other = true;
		}
		at += one;
	}
	return other || hang <= most ? hang : most;
}

/* How much of @s goes on a line of @room columns: up to a blank, if one is in its second half. */
static size_t fold(const char *s, size_t len, size_t room)
{
	size_t n = first_part(s, len, room), i = n;

	if (n == len)
		return n;
	while (i > n / 2 && s[i] != ' ')
		i--;
	return i > n / 2 ? i : n;
}

void lt_fit_begin(struct lt_fit *f, const char *line, size_t len, unsigned int width, bool cut)
{
	bool fits = columns(line, len) <= width;

	*f = (struct lt_fit){
		.line = line, .len = len, .room = fits ? len : width, .cut = cut && !fits,
		.hang = fits || cut ? 0 : hang_of(line, len, width), .width = width,
	};
}

bool lt_fit_next(struct lt_fit *f, struct lt_fit_piece *piece)
{
	size_t n;

	if (f->begun && !f->len)
		return false;
	n = f->cut ? first_part(f->line, f->len, f->room - 1) : fold(f->line, f->len, f->room);
	*piece = (struct lt_fit_piece){
		.text = f->line, .len = n, .cut = f->cut, .indent = f->begun ? f->hang : 0,
	};
	while (n < f->len && piece->len && f->line[piece->len - 1] == ' ')
		piece->len--;
	f->line += n;
	f->len = f->cut ? 0 : f->len - n;
	while (n && f->len && *f->line == ' ') {
		f->line++;
		f->len--;
	}
	f->begun = true;
	f->room = f->width - f->hang;
	return true;
}
