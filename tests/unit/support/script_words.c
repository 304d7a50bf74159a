// SPDX-License-Identifier: GPL-2.0
/* Words and numbers of a scenario's text. */
#include "script.h"

void text_add(char *buf, size_t size, const char *format, ...)
{
	size_t n = strlen(buf);
	va_list args;

	va_start(args, format);
	vsnprintf(buf + n, size - n, format, args);
	va_end(args);
}

_Noreturn void script_fail(struct parser *p, const char *what)
{
	int n = (int)(p->at - p->text);

	p->s->error[0] = 0;
	text_add(p->s->error, sizeof(p->s->error), "column %d: %s '%s'\n\t%.*s>>> %s", n + 1,
		 what, p->word, n, p->text, p->at);
	longjmp(p->failed, 1);
}

const char *script_next(struct parser *p)
{
	size_t n;

	p->pos += strspn(p->pos, " \t\n");
	p->at = p->pos;
	n = strcspn(p->pos, " \t\n|;-");
	if (!n && *p->pos)
		n = strncmp(p->pos, "->", 2) ? 1 : 2;
	if (n >= sizeof(p->word))
		n = sizeof(p->word) - 1;
	memcpy(p->word, p->pos, n);
	p->word[n] = 0;
	p->pos += n;
	return p->word;
}

bool script_accept(struct parser *p, const char *word)
{
	const char *pos = p->pos;

	if (!strcmp(script_next(p), word))
		return true;
	p->pos = pos;
	return false;
}

bool script_more(struct parser *p)
{
	const char *pos = p->pos;
	bool is_more = script_next(p)[0] && !strchr("|;", p->word[0]) && strcmp(p->word, "->");

	p->pos = pos;
	return is_more;
}

uint64_t script_integer(struct parser *p, const char **c)
{
	char *end;
	uint64_t n = strtoull(*c, &end, 0);

	if (**c < '0' || **c > '9')
		script_fail(p, "a number is missing in");
	*c = end;
	return n;
}

uint64_t script_duration(struct parser *p, const char **c)
{
	static const struct { const char *name; uint64_t ns; } units[] = {
		{ "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};
	uint64_t n = script_integer(p, c);

	for (size_t i = 0; i < 3; i++) {
		size_t len = strlen(units[i].name);

		if (!strncmp(*c, units[i].name, len)) {
			*c += len;
			n *= units[i].ns;
			break;
		}
	}
	if (**c != '+')
		return n;
	++*c;
	return n + script_duration(p, c);
}

void script_end_of_word(struct parser *p, const char *c)
{
	if (*c)
		script_fail(p, "something is left in");
}

uint64_t script_next_integer(struct parser *p)
{
	const char *c = script_next(p);
	uint64_t n = script_integer(p, &c);

	script_end_of_word(p, c);
	return n;
}

uint64_t script_next_time(struct parser *p)
{
	const char *c = script_next(p);
	uint64_t n;

	if (!strcmp(c, "ever"))
		return UINT64_MAX;
	n = script_duration(p, &c);
	script_end_of_word(p, c);
	return n;
}

unsigned int script_choice(struct parser *p, const char *const words[], const char *what)
{
	script_next(p);
	for (unsigned int i = 0; words[i]; i++) {
		if (!strcmp(p->word, words[i]))
			return i;
	}
	script_fail(p, what);
}

void script_quoted(struct parser *p, char *text, size_t size)
{
	const char *end;

	p->pos += strspn(p->pos, " \t\n");
	end = *p->pos == '`' ? strchr(p->pos + 1, '`') : NULL;
	if (!end)
		script_fail(p, "no text between backquotes behind");
	snprintf(text, size, "%.*s", (int)(end - p->pos - 1), p->pos + 1);
	p->pos = end + 1;
}
