// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sites: places in the code, and their names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/ahead.h"

/* Whether a stack has a frame in code that came or went; what is known of its number. */
enum { STACK_NOT_KNOWN, STACK_STAYS, STACK_CHANGES };

/* ------------------------------------------------------------------------
 * Code
 */

static bool is_plain(void *arg, const struct lt_event *form);
static bool announces_plain(void *arg, const struct lt_packet *p, const struct lt_event_desc *d,
			    const uint8_t *payload);

/* Which records are plain may be others now, also in packets that have begun. */
static void decide_anew(struct lt_trace *t)
{
	for (size_t i = 0; i < t->n_streams; i++) {
		struct lt_stream *s = t->streams[i];

		if (!s)
			continue;
		lt_sites_forget_ready(&s->sites);
		if (lt_stream_ahead(s)) {
			lt_stream_set_ahead(s);
			lt_stream_unpack(s);
		}
	}
}

void lt_trace_take_code(struct lt_trace *t, const char *text, uint64_t offset)
{
	size_t line = lt_code_add(&t->code, text);

	if (line)
		lt_trace_note(t, offset, "CODE: line %zu is no range of code, and no symbol; it is "
			      "left out", line);
	free(t->code_stacks);
	t->code_stacks = NULL;
	t->n_code_stacks = 0;
	if (!t->code.changing)
		return;
	t->forms.is_plain = is_plain;
	t->forms.announces_plain = announces_plain;
	t->forms.arg = t;
	decide_anew(t);
}

void lt_trace_read_code(struct lt_trace *t)
{
	for (size_t i = 0; i < t->n_texts; i++) {
		const char *text = NULL;

		if (t->texts[i].type == LT_BLOCK_CODE)
			text = lt_load_text(t, &t->texts[i]);
		if (text)
			lt_trace_take_code(t, text, t->texts[i].offset);
	}
}

static struct lt_symbols *load_symbols(struct lt_trace *t)
{
	struct lt_symbols *s = lt_symbols_new();

	lt_code_forget_symbols(&t->code);
	for (size_t i = 0; i < t->n_texts; i++) {
		const char *text;

		if (t->texts[i].type != LT_BLOCK_SYMBOLS && t->texts[i].type != LT_BLOCK_MODULES)
			continue;
		text = lt_load_text(t, &t->texts[i]);
		if (text && t->texts[i].type == LT_BLOCK_SYMBOLS) {
			lt_symbols_add(s, text);
			lt_code_fill(&t->code, text);
		} else if (text) {
			lt_symbols_modules(s, text);
		}
	}
	/* Lifetimes are paired in one thread and printed in another, and both ask for names. */
	lt_symbols_ready(s);
	lt_code_ready(&t->code);
	return s;
}

/*
 * The symbols that the trace has, looked up by address alone. Made when they are first needed: what
 * can be found out again is no state of the trace.
 */
static struct lt_symbols *symbols_of(const struct lt_trace *t)
{
	struct lt_trace *kept = (struct lt_trace *)(uintptr_t)t;

	if (!t->symbols)
		kept->symbols = load_symbols(kept);
	return t->symbols;
}

void lt_trace_load_symbols(const struct lt_trace *t)
{
	if (t->code.n)
		symbols_of(t);
}

static struct lt_code *code_of(const struct lt_trace *t)
{
	symbols_of(t);
	return (struct lt_code *)(uintptr_t)&t->code;
}

/* ------------------------------------------------------------------------
 * Events
 */

static bool changes(struct lt_trace *t, const struct lt_stack *stack)
{
	for (unsigned int i = 0; i < stack->n; i++) {
		if (!lt_code_stays(&t->code, stack->frames[i]))
			return true;
	}
	return false;
}

/* Whether all frames of a stack are their own sites. */
static bool stack_stays(struct lt_trace *t, uint32_t number, const struct lt_stack *stack)
{
	if (number >= t->n_code_stacks)
		t->code_stacks = lt_extend(t->code_stacks, &t->n_code_stacks, number + 1, 1);
	if (t->code_stacks[number] == STACK_NOT_KNOWN)
		t->code_stacks[number] = changes(t, stack) ? STACK_CHANGES : STACK_STAYS;
	return t->code_stacks[number] == STACK_STAYS;
}

/* Whether events of a form have no site that depends on their time. */
static bool is_plain(void *arg, const struct lt_event *form)
{
	struct lt_trace *t = arg;
	const struct lt_stack stack = lt_stacks_get(&t->stacks, form->stack);

	/* The symbols are loaded by the first event, before another thread asks for names. */
	return lt_code_stays(code_of(t), form->call_site) &&
	       (!stack.n || stack_stays(t, form->stack, &stack));
}

/* Whether all addresses of code in an announcement are their own sites. */
static bool announces_plain(void *arg, const struct lt_packet *p, const struct lt_event_desc *d,
			    const uint8_t *payload)
{
	struct lt_trace *t = arg;

	for (unsigned int i = 0; i < d->n_fields; i++) {
		const struct lt_field *f = &d->fields[i];

		for (unsigned int k = 0; f->kind == LT_KIND_CODE && k < f->count; k++) {
			if (!lt_code_stays(&t->code, lt_field_element(p, f, payload, k)))
				return false;
		}
	}
	return true;
}

/* The number of the stack that has sites in place of addresses. */
static uint32_t stack_of_sites(struct lt_trace *t, uint32_t number, uint64_t units)
{
	struct lt_stack stack = lt_stacks_get(&t->stacks, number);
	uint64_t frames[LT_STACK_MAX];

	if (!stack.n || stack_stays(t, number, &stack))
		return number;
	for (unsigned int i = 0; i < stack.n; i++)
		frames[i] = lt_code_site(&t->code, stack.frames[i], units);
	stack.frames = frames;
	return lt_stacks_number(&t->stacks, &stack);
}

void lt_trace_event_sites(struct lt_trace *t, struct lt_event *ev, uint64_t units)
{
	code_of(t);
	if (ev->call_site)
		ev->call_site = lt_code_site(&t->code, ev->call_site, units);
	if (ev->stack)
		ev->stack = stack_of_sites(t, ev->stack, units);
}

/* ------------------------------------------------------------------------
 * Names
 */

uint64_t lt_trace_code_address(const struct lt_trace *t, uint64_t site)
{
	return lt_code_address(&t->code, site);
}

uint64_t lt_trace_site_before(const struct lt_trace *t, uint64_t site)
{
	return lt_code_before((struct lt_code *)(uintptr_t)&t->code, site);
}

uint64_t lt_trace_site(const struct lt_trace *t, uint64_t addr)
{
	if (!t->code.changing || !addr)
		return addr;
	lt_trace_hold(t);
	if (!t->taken)
		return addr;
	return lt_code_site(code_of(t), addr, t->taken->rec.time);
}

bool lt_trace_unloaded(const struct lt_trace *t, uint64_t site, uint64_t time,
		       struct lt_unloaded_code *u)
{
	struct lt_code *c = t->code.n ? code_of(t) : NULL;
	const struct lt_code_range *r;
	uint64_t units;

	if (!c)
		return false;
	r = lt_code_at(c, site, time, &t->clock);
	/* What a BPF program allocates may belong to a map, which outlives it. */
	units = r && !lt_code_is_made(r) ? lt_code_unloaded(c, r) : 0;
	if (!units)
		return false;
	u->name = r->name;
	u->time = lt_clock_peek(&t->clock, units);
	return true;
}

const char *lt_trace_function(const struct lt_trace *t, uint64_t addr, uint64_t *offset,
			      const char **module)
{
	struct lt_symbols *s = symbols_of(t);
	const struct lt_code_range *r = NULL;
	const char *name;

	*module = NULL;
	if (t->code.n) {
		r = lt_code_of(code_of(t), addr);
		addr = lt_code_address(&t->code, addr);
	}
	if (r) {
		name = lt_symbols_find(r->symbols, addr, offset, module);
		*module = r->name;
		return name;
	}
	name = lt_symbols_find(s, addr, offset, module);
	/* The bounds of the module's code are known: the address is not within these. */
	if (name && *module && t->code.n && lt_code_has(code_of(t), *module, addr - *offset)) {
		*module = NULL;
		return NULL;
	}
	return name;
}

bool lt_trace_stext(const struct lt_trace *t, uint64_t *addr)
{
	return lt_symbols_stext(symbols_of(t), addr);
}

/*
 * Where functions return to that another tracer follows: its own code stands there in place of the
 * caller, which could not be found.
 */
static bool is_trampoline(const char *name, uint64_t offset)
{
	static const char *const names[] = {
		"return_to_handler", "arch_rethook_trampoline", "kretprobe_trampoline",
		"__kretprobe_trampoline", "kretprobe_trampoline_holder",
	};

	for (size_t i = 0; !offset && i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

const char *lt_trace_symbol(const struct lt_trace *t, uint64_t addr, bool offset,
			    char *buf, size_t size)
{
	const char *name, *module = NULL;
	char plus[32] = "";
	uint64_t off = 0;

	name = lt_trace_function(t, addr, &off, &module);
	if (name && offset)
		snprintf(plus, sizeof(plus), "+0x%llx", (unsigned long long)off);
	if (!name)
		snprintf(plus, sizeof(plus), "0x%llx",
			 (unsigned long long)lt_trace_code_address(t, addr));
	snprintf(buf, size, "%s%s%s%s%s%s", name ? name : "", plus, module ? " [" : "",
		 module ? module : "", module ? "]" : "",
		 name && is_trampoline(name, off) ? " (under another tracer)" : "");
	if (!name && !module && lt_symbols_any(symbols_of(t)))
		snprintf(buf, size, "%s (code that is gone)", plus);
	return buf;
}
