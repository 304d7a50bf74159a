// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The blocks FUNCTIONS: lines of words between tabs. See uapi/lifetrace_file.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/text.h"
#include "calls/functions.h"

#define MAX_WORDS	12	/* of a line; what a later version appends is ignored */
#define MAX_SIZE	256	/* bytes of a value */

/**
 * struct lt_functions - the functions
 * @by_number: @n_numbers of them; NULL where there is none
 * @enum_names: numbers of enums by their names, from 1 on
 * @texts: copies of the blocks, in which words are ended by zeros
 */
struct lt_functions {
	struct lt_function **by_number;
	size_t n_numbers;
	struct lt_names enum_names;
	struct lt_call_enum **enums;
	size_t n_enums;
	char **texts;
	size_t n_texts;
	size_t cap_texts;
};

/**
 * struct parser - reading one block
 * @line: number of the line
 * @given: by number: this block has the function's line
 */
struct parser {
	struct lt_functions *f;
	const char *where;
	size_t block;
	size_t line;
	bool given[UINT16_MAX + 1];
};

static const char *const kinds[LT_N_CALL_KINDS] = {
	[LT_CALL_UNSIGNED] = "unsigned", [LT_CALL_SIGNED] = "signed", [LT_CALL_HEX] = "hex",
	[LT_CALL_POINTER] = "pointer", [LT_CALL_BOOL] = "bool", [LT_CALL_CHAR] = "char",
	[LT_CALL_ENUM] = "enum", [LT_CALL_FLAGS] = "flags", [LT_CALL_OF_BYTES] = "bytes",
	[LT_CALL_OF_TEXT] = "text",
};

static const char *const whens[LT_N_CALL_WHENS] = {
	[LT_CALL_AT_ENTRY] = "entry", [LT_CALL_AT_RETURN] = "return",
	[LT_CALL_THE_RESULT] = "result",
};

const char *lt_call_kind_name(enum lt_call_kind kind)
{
	return kinds[kind];
}

const char *lt_call_when_name(enum lt_call_when when)
{
	return whens[when];
}

static bool __attribute__((format(printf, 2, 3))) bad(const struct parser *p, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	lt_error("%s: block FUNCTIONS %zu, line %zu: %s; the calls cannot be read", p->where,
		 p->block + 1, p->line, text);
	return false;
}

/* ------------------------------------------------------------------------
 * Words
 */

/* Cuts a line at its tabs. Return: the words, at most MAX_WORDS; those that are missing are "". */
static size_t cut(char *line, char *words[MAX_WORDS])
{
	static char empty[1];
	size_t n = 0;

	while (n < MAX_WORDS) {
		char *tab = strchr(line, '\t');

		words[n++] = line;
		if (!tab)
			break;
		*tab = 0;
		line = tab + 1;
	}
	for (size_t i = n; i < MAX_WORDS; i++)
		words[i] = empty;
	return n;
}

/* Return: the number of a function; -1: it is none, which was reported. */
static int number_of(const struct parser *p, const char *word)
{
	uint64_t n;

	if (lt_number(word, 10, &n) && n <= UINT16_MAX)
		return (int)n;
	bad(p, "expected the number of a function, 0 to 65535, found '%.40s'", word);
	return -1;
}

/* The function that a line of values or counts is about. Return: NULL: there is none. */
static struct lt_function *known(const struct parser *p, const char *word)
{
	int number = number_of(p, word);

	if (number < 0)
		return NULL;
	if ((size_t)number < p->f->n_numbers && p->f->by_number[number])
		return p->f->by_number[number];
	bad(p, "expected the number of a function of a line before, found %d", number);
	return NULL;
}

static struct lt_call_enum *enum_of(struct lt_functions *f, const char *name)
{
	uint32_t number = lt_names_add(&f->enum_names, name, strlen(name));

	if (number >= f->n_enums)
		f->enums = lt_extend(f->enums, &f->n_enums, number + 1, sizeof(*f->enums));
	if (!f->enums[number])
		f->enums[number] = lt_alloc(sizeof(*f->enums[number]));
	return f->enums[number];
}

/* Return: the index of the word; @n: there is none. */
static unsigned int index_of(const char *word, const char *const *words, unsigned int n)
{
	unsigned int i = 0;

	while (i < n && strcmp(word, words[i]))
		i++;
	return i;
}

/* ------------------------------------------------------------------------
 * Lines
 */

/* A later block may say again what an earlier one says: its values follow anew. */
static bool take_function(struct parser *p, char **words, size_t n)
{
	struct lt_functions *f = p->f;
	struct lt_function *fn;
	uint64_t address;
	int number;

	if (n < 6)
		return bad(p, "expected 'function NUMBER NAME MODULE ADDRESS PROTOTYPE', found %zu "
			   "words", n);
	number = number_of(p, words[1]);
	if (number < 0)
		return false;
	if (p->given[number])
		return bad(p, "the function %d is given twice", number);
	if (!words[2][0])
		return bad(p, "the function %d has no name", number);
	if (!lt_number(words[4], 16, &address))
		return bad(p, "expected an address, found '%.40s'", words[4]);
	p->given[number] = true;
	if ((size_t)number >= f->n_numbers)
		f->by_number = lt_extend(f->by_number, &f->n_numbers, (size_t)number + 1,
					 sizeof(*f->by_number));
	if (!f->by_number[number])
		f->by_number[number] = lt_alloc(sizeof(*fn));
	fn = f->by_number[number];
	fn->number = (uint16_t)number;
	fn->name = words[2];
	fn->module = strcmp(words[3], "-") && words[3][0] ? words[3] : NULL;
	fn->address = address;
	fn->prototype = words[5];
	fn->n_values = 0;
	return true;
}

/* Whether the bytes of a value can be of that kind. */
static bool fits(enum lt_call_kind kind, uint64_t size)
{
	if (kind == LT_CALL_OF_BYTES || kind == LT_CALL_OF_TEXT)
		return size && size <= MAX_SIZE;
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool take_value(struct parser *p, char **words, size_t n)
{
	struct lt_function *fn;
	struct lt_call_form *v;
	unsigned int when = index_of(words[3], whens, LT_N_CALL_WHENS);
	unsigned int kind = index_of(words[4], kinds, LT_N_CALL_KINDS);
	uint64_t size;

	if (n < 7)
		return bad(p, "expected 'value NUMBER NAME WHEN KIND SIZE TYPE [ENUM]', found %zu "
			   "words", n);
	fn = known(p, words[1]);
	if (!fn)
		return false;
	if (when == LT_N_CALL_WHENS)
		return bad(p, "expected entry, return or result, found '%.40s'", words[3]);
	if (kind == LT_N_CALL_KINDS)
		return bad(p, "expected a kind of value, found '%.40s'", words[4]);
	if (!lt_number(words[5], 10, &size) || !fits((enum lt_call_kind)kind, size))
		return bad(p, "expected the bytes of a value of the kind %s, found '%.40s'",
			   kinds[kind], words[5]);
	if (fn->n_values == LT_CALL_VALUES)
		return bad(p, "expected at most %d values of a function, found more",
			   LT_CALL_VALUES);
	if (fn->n_values && fn->values[fn->n_values - 1].kind == LT_CALL_OF_TEXT &&
	    kind != LT_CALL_OF_TEXT)
		return bad(p, "expected only texts behind a text, found a value of the kind %s",
			   kinds[kind]);
	v = &fn->values[fn->n_values++];
	*v = (struct lt_call_form){
		.name = words[2], .type = words[6], .when = (enum lt_call_when)when,
		.kind = (enum lt_call_kind)kind, .size = (uint32_t)size,
		.names = words[7][0] ? enum_of(p->f, words[7]) : NULL,
	};
	return true;
}

static bool take_name(struct parser *p, char **words, size_t n)
{
	struct lt_call_enum *e;
	const char *digits = words[3][0] == '-' ? words[3] + 1 : words[3];
	uint64_t value;

	if (n < 4 || !words[1][0])
		return bad(p, "expected 'enum ENUM NAME VALUE', found %zu words", n);
	if (!lt_number(digits, strncmp(digits, "0x", 2) ? 10 : 16, &value))
		return bad(p, "expected a value, found '%.40s'", words[3]);
	e = enum_of(p->f, words[1]);
	e->names = lt_grow(e->names, &e->cap, e->n, sizeof(*e->names));
	e->names[e->n++] = (struct lt_call_name){
		.value = digits > words[3] ? -value : value, .name = words[2],
	};
	return true;
}

static bool take_counts(struct parser *p, char **words, size_t n)
{
	struct lt_function *fn;
	struct lt_function_counts *c;

	if (n < 9)
		return bad(p, "expected 'counts NUMBER STATE ENTERED RETURNED FILTERED MISSED DIED "
			   "OPEN REASON', found %zu words", n);
	fn = known(p, words[1]);
	if (!fn)
		return false;
	c = &fn->counts;
	c->known = true;
	c->state = words[2];
	c->reason = words[9];
	if (lt_number(words[3], 10, &c->entered) && lt_number(words[4], 10, &c->returned) &&
	    lt_number(words[5], 10, &c->filtered) && lt_number(words[6], 10, &c->missed) &&
	    lt_number(words[7], 10, &c->died) && lt_number(words[8], 10, &c->open))
		return true;
	return bad(p, "expected six counts, found one that is no number");
}

static bool take_line(struct parser *p, char *line)
{
	char *words[MAX_WORDS];
	size_t n = cut(line, words);

	if (!strcmp(words[0], "function"))
		return take_function(p, words, n);
	if (!strcmp(words[0], "value"))
		return take_value(p, words, n);
	if (!strcmp(words[0], "enum"))
		return take_name(p, words, n);
	if (!strcmp(words[0], "counts"))
		return take_counts(p, words, n);
	/* Of a later version. */
	return true;
}

static bool take_text(struct lt_functions *f, const char *where, size_t block, const char *text)
{
	struct parser *p = lt_alloc(sizeof(*p));
	char *rest = lt_strdup(text), *line;
	bool good = true;

	f->texts = lt_grow(f->texts, &f->cap_texts, f->n_texts, sizeof(*f->texts));
	f->texts[f->n_texts++] = rest;
	p->f = f;
	p->where = where;
	p->block = block;
	while (good && (line = strsep(&rest, "\n"))) {
		p->line++;
		good = !*line || take_line(p, line);
	}
	free(p);
	return good;
}

/* ------------------------------------------------------------------------
 * Names of values
 */

static int by_value(const void *a, const void *b)
{
	const struct lt_call_name *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

/* Of several names of a value the first one counts, whatever the order of equal ones becomes. */
static void sort_names(struct lt_call_enum *e)
{
	size_t n = 0;

	if (!e->n)
		return;
	e->sorted = lt_alloc_array(e->n, sizeof(*e->sorted));
	memcpy(e->sorted, e->names, e->n * sizeof(*e->sorted));
	/* The place in the block keeps them in order, and is then replaced by the name. */
	for (size_t i = 0; i < e->n; i++)
		e->sorted[i].name = (const char *)&e->names[i];
	qsort(e->sorted, e->n, sizeof(*e->sorted), by_value);
	for (size_t i = 0; i < e->n; i++) {
		struct lt_call_name *s = &e->sorted[i];

		if (n && e->sorted[n - 1].value == s->value) {
			if (s->name < e->sorted[n - 1].name)
				e->sorted[n - 1].name = s->name;
			continue;
		}
		e->sorted[n++] = *s;
	}
	for (size_t i = 0; i < n; i++)
		e->sorted[i].name = ((const struct lt_call_name *)e->sorted[i].name)->name;
	for (size_t i = n; i < e->n; i++)
		e->sorted[i] = e->sorted[n - 1];
}

const char *lt_call_enum_name(const struct lt_call_enum *e, uint64_t value, unsigned int size)
{
	uint64_t all = size < 8 ? (1ULL << 8 * size) - 1 : UINT64_MAX;
	const struct lt_call_name key[] = {
		{ .value = value & all }, { .value = value | ~all },
	};

	/* The names of an enum may be negative. */
	for (size_t i = 0; i < 2 && e->n; i++) {
		const struct lt_call_name *found = bsearch(&key[i], e->sorted, e->n,
							   sizeof(*e->sorted), by_value);

		if (found)
			return found->name;
	}
	return NULL;
}

/* ------------------------------------------------------------------------
 * The functions
 */

struct lt_functions *lt_functions_new(const struct lt_trace *t)
{
	struct lt_functions *f = lt_alloc(sizeof(*f));
	const char *text;
	bool good = true;

	lt_names_init(&f->enum_names);
	for (size_t i = 0; good && (text = lt_trace_text(t, LT_BLOCK_FUNCTIONS, i)); i++)
		good = take_text(f, lt_trace_path(t), i, text);
	if (!good) {
		lt_functions_free(f);
		return NULL;
	}
	for (size_t i = 0; i < f->n_enums; i++) {
		if (f->enums[i])
			sort_names(f->enums[i]);
	}
	return f;
}

void lt_functions_free(struct lt_functions *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_numbers; i++)
		free(f->by_number[i]);
	for (size_t i = 0; i < f->n_enums; i++) {
		if (!f->enums[i])
			continue;
		free(f->enums[i]->names);
		free(f->enums[i]->sorted);
		free(f->enums[i]);
	}
	for (size_t i = 0; i < f->n_texts; i++)
		free(f->texts[i]);
	free(f->texts);
	free(f->enums);
	free(f->by_number);
	lt_names_destroy(&f->enum_names);
	free(f);
}

const struct lt_function *lt_function_get(const struct lt_functions *f, uint16_t number)
{
	return number < f->n_numbers ? f->by_number[number] : NULL;
}

const struct lt_function *lt_function_next(const struct lt_functions *f,
					   const struct lt_function *after)
{
	for (size_t i = after ? after->number + 1U : 0; i < f->n_numbers; i++) {
		if (f->by_number[i])
			return f->by_number[i];
	}
	return NULL;
}

bool lt_function_closes(const struct lt_function_counts *c)
{
	return c->entered == c->returned + c->died + c->open;
}
