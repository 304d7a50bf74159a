// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace calls --list: functions of a kernel, and what would be recorded of their calls.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out.h"
#include "cmd/calls_list.h"
#include "cmd/with_trace.h"
#include "forms/screen.h"
#include "out/log.h"
#include "out/terminal.h"

struct row {
	const struct lt_fetch_function *fn;
	char *values;
};

static const char *state_of(const struct lt_fetch_function *fn)
{
	return fn->refused ? "refused" : fn->reason != LT_FETCH_NONE ? "in part" : "whole";
}

#define FUNCTION(C, G)	\
	C(name, "function", "function", TEXT, A, true, r->fn->name, "its name")	\
	C(module, "module", "module", TEXT, A, *r->fn->module, r->fn->module, "the module that it is in")	\
	C(address, "address", "address", HEX, A, r->fn->address, r->fn->address, "where it is, if that may be known") \
	C(state, "state", "state", TEXT, A, true, state_of(r->fn),	\
	  "whole: fetched as asked; in part: recorded, but something cannot be fetched; refused: not recorded") \
	C(values, "values", "values", TEXT, A, !r->fn->refused, r->values, "what is fetched of a call")	\
	C(reason, "reason", "reason", TEXT, A, r->fn->reason, lt_fetch_reason_text(r->fn->reason),	\
	  "why it is refused or in part")	\
	C(detail, "detail", "detail", TEXT, A, r->fn->detail && *r->fn->detail, r->fn->detail, "which part, more exactly") \
	C(prototype, "prototype", "prototype", TEXT, A, *r->fn->prototype, r->fn->prototype, "how it is declared")

#define GETTER(id, name, head, TYPE, marks, known, value, meaning)	\
	LT_ROW_GETTER(id, struct row, r, const void, list, TYPE, known, value)
#define FILLER(id, name, head, TYPE, marks, call, meaning)	\
	LT_ROW_FILLER(id, struct row, r, const void, list, v, call)

FUNCTION(GETTER, FILLER)
static const struct lt_column function_columns[] = { FUNCTION(LT_SCREEN_COLUMN, LT_SCREEN_FILLED) };
LT_SCREEN_KIND(function, "function", "function,module,state,reason,detail,prototype",
	       "a function of the kernel");

static char *values_of(const struct lt_fetch_function *fn)
{
	size_t size = 1;
	char *text, *p;

	for (unsigned int i = 0; i < fn->n_values; i++)
		size += strlen(fn->values[i].name) + 2;
	p = text = lt_alloc(size);
	for (unsigned int i = 0; i < fn->n_values; i++) {
		p = stpcpy(p, i ? ", " : "");
		p = stpcpy(p, fn->values[i].name);
	}
	return text;
}

/* What is read of a kernel. Return: NULL after an error. */
static struct lt_fetch *another_kernel(const struct lt_calls_list *l)
{
	struct utsname own;
	const char *machine = l->machine;
	struct lt_fetch *f;
	struct lt_why why;

	uname(&own);
	if (!machine)
		machine = own.machine;
	f = lt_fetch_new(machine);
	if (!f) {
		lt_error("the calling convention of '%s' is not known; x86_64, i386, aarch64, arm, s390x and "
			 "ppc are", machine);
		return NULL;
	}
	if (!lt_fetch_types(f, NULL, l->types, &why))
		lt_error("%s: %s", l->types, why.text);
	else if (l->symbols && !lt_fetch_symbols(f, l->symbols, &why))
		lt_error("%s: %s", l->symbols, why.text);
	else
		return f;
	lt_fetch_free(f);
	return NULL;
}

static struct lt_fetch *this_kernel(const struct lt_calls_list *l)
{
	unsigned int lacks;
	struct lt_why why;
	struct lt_fetch *f = lt_fetch_running(&lacks, &why);

	if (!f) {
		lt_error("%s", why.text);
		return NULL;
	}
	if (lacks & LT_FETCH_LACKS_TYPES)
		lt_warn("/sys/kernel/btf/vmlinux: this kernel has no types (CONFIG_DEBUG_INFO_BTF): of a "
			"function that is named alone the time is recorded; $arg1:u32 and $reg1 name arguments");
	if (lacks & LT_FETCH_LACKS_SYMBOLS)
		lt_warn("/proc/kallsyms cannot be read: whether a function is there is not checked");
	if (lacks & LT_FETCH_LACKS_TRACEABLE)
		lt_warn("available_filter_functions cannot be read (it needs root and tracefs): whether the "
			"kernel lets a function be traced is not checked");
	if (lt_fetch_modules(f, (const char *const *)l->specs, l->n_specs, "", &why))
		return f;
	lt_error("%s", why.text);
	lt_fetch_free(f);
	return NULL;
}

static void put_sums(struct lt_out *out, const struct lt_fetch_set *set)
{
	size_t left[LT_FETCH_N_REASONS] = { 0 }, refused[LT_FETCH_N_REASONS] = { 0 };

	for (size_t i = 0; i < set->n; i++) {
		const struct lt_fetch_function *fn = &set->functions[i];

		(fn->refused ? refused : left)[fn->reason]++;
	}
	lt_out_char(out, '\n');
	lt_out_u64(out, set->n);
	lt_out_str(out, set->n == 1 ? " function: " : " functions: ");
	lt_out_u64(out, left[LT_FETCH_NONE]);
	lt_out_str(out, " whole, ");
	lt_out_u64(out, set->n_taken - left[LT_FETCH_NONE]);
	lt_out_str(out, " in part, ");
	lt_out_u64(out, set->n - set->n_taken);
	lt_out_str(out, " refused\n");
	for (int r = 1; r < LT_FETCH_N_REASONS; r++) {
		if (!left[r] && !refused[r])
			continue;
		lt_out_str(out, "  ");
		lt_out_str(out, lt_fetch_reason_text((enum lt_fetch_reason)r));
		lt_out_str(out, ": ");
		lt_out_u64(out, left[r]);
		lt_out_str(out, " in part, ");
		lt_out_u64(out, refused[r]);
		lt_out_str(out, " refused\n");
	}
}

static int put_set(const struct lt_calls_list *l, const struct lt_args *args,
		   const struct lt_fetch_set *set)
{
	struct lt_out out = LT_OUT_INIT(STDOUT_FILENO);
	struct lt_terminal term;
	struct lt_table t = { .out = &out, .format = args->format, .leave_out = true };

	lt_cmd_page(&term, args->format == LT_FORMAT_TEXT);
	out.width = term.fit;
	lt_table_columns(&t, &lt_rows_of_function, 0, args->columns);
	lt_table_begin(&t);
	for (size_t i = 0; i < set->n; i++) {
		struct row r = { .fn = &set->functions[i] };

		if (l->why && r.fn->reason == LT_FETCH_NONE)
			continue;
		r.values = values_of(r.fn);
		lt_table_row(&t, &r);
		free(r.values);
	}
	lt_table_end(&t);
	if (args->format == LT_FORMAT_TEXT)
		put_sums(&out, set);
	return lt_cmd_page_end(&term, lt_out_close(&out) ? LT_EXIT_BAD :
			       set->n_taken ? LT_EXIT_OK : LT_EXIT_NO);
}

int lt_calls_list(const struct lt_calls_list *l, const struct lt_args *args)
{
	struct lt_fetch_set *set;
	struct lt_fetch *f;
	struct lt_why why;
	size_t bad;
	int status;

	lt_args_rows(args, &lt_rows_of_function, 0, NULL);
	f = l->types ? another_kernel(l) : this_kernel(l);
	if (!f)
		return LT_EXIT_BAD;
	set = lt_fetch_compile(f, (const char *const *)l->specs, l->n_specs, &bad, &why);
	if (!set) {
		lt_error("'%.200s': %s", l->specs[bad], why.text);
		lt_fetch_free(f);
		return LT_EXIT_BAD;
	}
	status = put_set(l, args, set);
	lt_fetch_set_free(set);
	lt_fetch_free(f);
	return status;
}
