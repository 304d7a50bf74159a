// SPDX-License-Identifier: GPL-2.0
/*
 * What a user types for a function, compiled against types of a kernel: those of types.h, or,
 * behind a zero byte, bytes that may be types. An ELF file there is also a module of the kernel of
 * types.h, which may have been built outside of its tree. Steps that come out keep the rules of
 * uapi/lifetrace_call.h, which the module checks, too.
 */
#include <stdlib.h>
#include <string.h>

#include "fetch/elf.h"
#include "fetch/fetch.h"
#include "fuzz.h"
#include "types.h"

/**
 * struct rules - what must hold of the steps so far
 * @texts: a text was stored: only texts may follow
 * @kept: a bit for each word
 */
struct rules {
	bool at_return;
	bool source;
	bool limit;
	bool texts;
	uint32_t kept;
	unsigned int values;
	unsigned int bytes;
	unsigned int entry_bytes;
};

static bool is_word(unsigned int size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool good_source(struct rules *r, const struct lt_call_step *s)
{
	r->source = true;
	switch (s->op) {
	case LT_CALL_ARG:
		return !r->at_return && s->arg < 14 && (!s->size || s->size == 8);
	case LT_CALL_RESULT:
		return r->at_return && s->arg < 2 && (!s->size || s->size == 8);
	case LT_CALL_LOADK:
		return r->at_return && s->arg < LT_CALL_MAX_KEPT && r->kept & 1U << s->arg;
	default:
		return s->op == LT_CALL_CONST || s->op == LT_CALL_TASK;
	}
}

static bool good_value(struct rules *r, const struct lt_call_step *s)
{
	bool text = s->op == LT_CALL_TEXT || s->op == LT_CALL_TEXTU;

	r->values++;
	r->bytes += s->size;
	if (!r->at_return)
		r->entry_bytes += s->size;
	r->texts |= text;
	if (text)
		return r->at_return && s->size > 1 && s->size <= LT_CALL_MAX_TEXT;
	return !r->texts && (s->op == LT_CALL_STORE ? is_word(s->size) :
			     s->size && s->size <= LT_CALL_MAX_TEXT);
}

static bool good_step(struct rules *r, const struct lt_call_step *s)
{
	if (s->op >= LT_CALL_ARG && s->op <= LT_CALL_TASK)
		return good_source(r, s);
	if (!r->source || s->reserved)
		return false;
	switch (s->op) {
	case LT_CALL_ADD:
	case LT_CALL_HIGH:
		return true;
	case LT_CALL_READ:
	case LT_CALL_READU:
		return is_word(s->size);
	case LT_CALL_BITS:
		return s->size && s->arg + s->size <= 64;
	case LT_CALL_SIGN:
		return s->size && s->size <= 64;
	case LT_CALL_KEEP:
		r->kept |= 1U << s->arg;
		return !r->at_return && s->arg < LT_CALL_MAX_KEPT;
	case LT_CALL_LIMIT:
		r->limit = true;
		return true;
	case LT_CALL_TEST:
		return r->limit && s->arg < LT_CALL_N_TESTS;
	default:
		return s->op >= LT_CALL_STORE && s->op <= LT_CALL_TEXTU && good_value(r, s);
	}
}

static void check_function(const struct lt_fetch_function *fn)
{
	struct rules r = { 0 };

	if (fn->refused && (fn->reason == LT_FETCH_NONE || fn->n_entry || fn->n_return))
		fuzz_wrong("%s is refused without a reason, or with steps", fn->name);
	if (fn->n_entry + fn->n_return > LT_CALL_MAX_STEPS)
		fuzz_wrong("%s: %u steps", fn->name, fn->n_entry + fn->n_return);
	for (unsigned int i = 0; i < fn->n_entry + fn->n_return; i++) {
		if (i == fn->n_entry) {
			r.at_return = true;
			r.source = r.limit = false;
		}
		if (!good_step(&r, &fn->steps[i]))
			fuzz_wrong("%s: step %u, op %u", fn->name, i, fn->steps[i].op);
	}
	if (r.values != fn->n_values || r.values > LT_CALL_MAX_VALUES ||
	    r.bytes > LT_CALL_MAX_BYTES ||
	    r.entry_bytes + 8 * (unsigned int)__builtin_popcount(r.kept) > LT_CALL_MAX_ENTRY)
		fuzz_wrong("%s: %u values of %u bytes, %u of the entry", fn->name, r.values,
			   r.bytes, r.entry_bytes);
}

/* A line for each function that is taken, and for each value and name; no other. */
static void check_text(const struct lt_fetch_set *set)
{
	char *text = lt_fetch_set_text(set);
	size_t functions = 0;

	for (char *line = text; *line; line = strchr(line, '\n') + 1) {
		functions += !strncmp(line, "function\t", 9);
		if (!strchr(line, '\n') ||
		    (strncmp(line, "function\t", 9) && strncmp(line, "value\t", 6) &&
		     strncmp(line, "enum\t", 5)))
			fuzz_wrong("a line of the text is '%.40s'", line);
	}
	if (functions != set->n_taken)
		fuzz_wrong("%zu functions in the text, %zu taken", functions, set->n_taken);
	free(text);
}

static void compile(const struct lt_fetch *f, const char *spec)
{
	struct lt_why why = { "" };
	struct lt_fetch_set *set;
	size_t bad, size;
	void *bytes;

	set = lt_fetch_compile(f, &spec, 1, &bad, &why);
	if (!set) {
		if (!*why.text)
			fuzz_wrong("a spec is refused without a reason");
		return;
	}
	for (size_t i = 0; i < set->n; i++)
		check_function(&set->functions[i]);
	check_text(set);
	bytes = lt_fetch_set_bytes(set, 0, 0, &size, &why);
	if (bytes && ((struct lt_call_set *)bytes)->bytes != size - sizeof(struct lt_call_set))
		fuzz_wrong("%zu bytes for the module", size);
	free(bytes);
	lt_fetch_set_free(set);
}

/* The module's functions, by @spec and all of them. */
static void compile_module(const char *machine, const uint8_t *data, size_t size, const char *spec)
{
	struct lt_fetch *f = lt_fetch_new(machine);
	struct lt_why why = { "" };

	if (!lt_fetch_types(f, NULL, fuzz_file(&fuzz_types, sizeof(fuzz_types)), &why))
		fuzz_wrong("types are refused: '%s'", why.text);
	if (lt_fetch_module(f, "mod", fuzz_file(data, size), &why)) {
		compile(f, spec);
		compile(f, "@mod");
	} else if (!*why.text) {
		fuzz_wrong("a module is refused without a reason");
	}
	lt_fetch_free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const machines[] = {
		"x86_64", "aarch64", "i386", "s390x", "arm", "ppc",
	};
	char *spec = fuzz_cut(&data, &size);
	const char *machine = machines[size % 6];
	struct lt_fetch *f = lt_fetch_new(machine);
	const void *types = size ? (const void *)data : &fuzz_types;
	struct lt_why why = { "" };

	if (lt_fetch_types(f, NULL, fuzz_file(types, size ? size : sizeof(fuzz_types)), &why))
		compile(f, spec);
	else if (!*why.text || !size)
		fuzz_wrong("types are refused: '%s'", why.text);
	if (lt_elf_is(data, size))
		compile_module(machine, data, size, spec);
	lt_fetch_free(f);
	free(spec);
	return 0;
}
