// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier's words.
 */
#include <string.h>

#include "bpf/words.h"

void lt_bpf_say(struct lt_bpf_said *s, const char *text, size_t n)
{
	const size_t max = sizeof(s->text) - 1;

	if (n > max) {
		text += n - max;
		n = max;
	}
	if (s->n + n > max) {
		size_t drop = s->n + n - max;

		memmove(s->text, s->text + drop, s->n - drop);
		s->n -= drop;
	}
	memcpy(s->text + s->n, text, n);
	s->n += n;
	s->text[s->n] = 0;
}

/* The line that ends at @end: not an empty one. */
static const char *line_before(const char *said, const char *end, size_t *len)
{
	const char *at;

	while (end > said && end[-1] == '\n')
		end--;
	for (at = end; at > said && at[-1] != '\n'; at--)
		;
	*len = (size_t)(end - at);
	return at;
}

/*
 * All logs end with "processed N insns"; the line before says what is wrong. From 7.x on a report
 * stands between the two.
 */
void lt_bpf_words(const char *said, char *words, size_t size)
{
	const char *end = strstr(said, "\nprocessed "), *report, *at;
	size_t len = 0;

	*words = 0;
	if (!end)
		return;
	report = strstr(said, "\nVerification failed");
	at = line_before(said, report && report < end ? report : end, &len);
	if (len > size - 1)
		len = size - 1;
	memcpy(words, at, len);
	words[len] = 0;
	for (char *p = words; *p; p++) {
		if ((unsigned char)*p < ' ')
			*p = ' ';
	}
}
