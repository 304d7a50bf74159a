// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The text of block FUNCTIONS, and the words of this room.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "fetch/build.h"

const char *const lt_fetch_whens[LT_FETCH_N_WHENS] = {
	[LT_FETCH_ENTRY] = "entry", [LT_FETCH_RETURN] = "return", [LT_FETCH_RESULT] = "result",
};

const char *const lt_fetch_kinds[LT_FETCH_N_KINDS] = {
	[LT_FETCH_UNSIGNED] = "unsigned", [LT_FETCH_SIGNED] = "signed", [LT_FETCH_HEX] = "hex",
	[LT_FETCH_POINTER] = "pointer", [LT_FETCH_BOOL] = "bool", [LT_FETCH_CHAR] = "char",
	[LT_FETCH_ENUM] = "enum", [LT_FETCH_FLAGS] = "flags", [LT_FETCH_BYTES] = "bytes",
	[LT_FETCH_TEXT] = "text",
};

const char *lt_fetch_reason_text(enum lt_fetch_reason reason)
{
	static const char *const texts[] = {
#define LT_REASON_TEXT(NAME, text)	text,
		LT_FETCH_REASONS(LT_REASON_TEXT)
#undef LT_REASON_TEXT
	};

	return texts[reason];
}

static void add_function(struct lt_str *s, size_t number, const struct lt_fetch_function *fn)
{
	lt_str_add(s, "function\t%zu\t%s\t%s\t0x%" PRIx64 "\t%s\n", number, fn->name,
		   *fn->module ? fn->module : "-", *fn->module ? 0 : fn->address, fn->prototype);
	for (unsigned int i = 0; i < fn->n_values; i++) {
		const struct lt_fetch_value *v = &fn->values[i];

		lt_str_add(s, "value\t%zu\t%s\t%s\t%s\t%u\t%s", number, v->name,
			   lt_fetch_whens[v->when], lt_fetch_kinds[v->kind], v->size, v->type);
		if (v->names)
			lt_str_add(s, "\t%u", v->names);
		lt_str_add(s, "\n");
	}
}

char *lt_fetch_set_text(const struct lt_fetch_set *set)
{
	struct lt_str s = { 0 };
	size_t number = 0;

	for (size_t i = 0; i < set->n; i++) {
		if (!set->functions[i].refused)
			add_function(&s, number++, &set->functions[i]);
	}
	lt_enum_lines(set, &s);
	return s.s ? s.s : lt_strdup("");
}
