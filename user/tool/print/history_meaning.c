// SPDX-License-Identifier: GPL-2.0
/*
 * What a value of a report means, and whether the report is of the trace's kernel.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "out/log.h"
#include "print/history.h"

/*
 * _stext is less than this behind the first byte of the kernel (64 KiB on arm64); kernels are moved
 * by more.
 */
#define HEAD		0x100000
#define STACK_SIZE	16384	/* of x86-64 and arm64; stacks are aligned to it */

const char *lt_meaning_name(enum lt_meaning m)
{
	static const char *const names[LT_N_MEANINGS] = {
		[LT_MEANING_HASHED] = "hashed", [LT_MEANING_NO_ADDRESS] = "no_address",
		[LT_MEANING_MEMORY] = "memory", [LT_MEANING_CODE] = "code",
		[LT_MEANING_STACK] = "stack", [LT_MEANING_UNKNOWN] = "unknown",
	};

	return names[m];
}

static const struct lt_place_history *find(const struct lt_history *h,
					   const struct lt_oops_value *v)
{
	for (size_t i = 0; i < h->n; i++) {
		if (h->at[i].addr == v->value && h->at[i].is_pfn == (v->kind == LT_OOPS_PFN))
			return &h->at[i];
	}
	return NULL;
}

void lt_history_take(struct lt_history *h, const struct lt_oops *oops)
{
	for (size_t i = 0; i < oops->n_values; i++) {
		const struct lt_oops_value *v = &oops->values[i];

		if (v->kind != LT_OOPS_HASHED)
			lt_history_add(h, v->value, v->kind == LT_OOPS_PFN);
	}
}

/* Whether a value is on the stack on which the report's stack pointer is. */
static bool on_stack(const struct lt_oops *o, const struct lt_oops_value *value)
{
	for (size_t i = 0; i < o->n_values; i++) {
		const struct lt_oops_value *v = &o->values[i];

		if (v->report == value->report && v->kind == LT_OOPS_REGISTER && o->n_reports &&
		    (!strcmp(v->name, "RSP") || !strcmp(v->name, "sp")) && v->value >> 32 &&
		    v->value / STACK_SIZE == value->value / STACK_SIZE)
			return true;
	}
	return false;
}

/* A function of the kernel or a module at the end of the trace, with the offset. */
static bool is_code(const struct lt_history_view *v, uint64_t addr, char *buf, size_t size)
{
	uint64_t site = lt_trace_site(v->h->t, addr), offset;
	const char *module;

	if (!lt_trace_function(v->h->t, site, &offset, &module))
		return false;
	lt_trace_symbol(v->h->t, site, true, buf, size);
	return true;
}

enum lt_meaning lt_history_meaning(const struct lt_history_view *v,
				   const struct lt_oops_value *value,
				   const struct lt_place_history **at, const char **note, char *buf,
				   size_t size)
{
	*at = NULL;
	*note = NULL;
	if (value->kind == LT_OOPS_HASHED) {
		*note = "printed by %p, which prints a hash: the address is not in the report "
			"(no_hash_pointers on the kernel's command line shows it)";
		return LT_MEANING_HASHED;
	}
	if (value->kind != LT_OOPS_PFN)
		*note = lt_poison(value->value, v->ptr_size, v->machine, buf, size);
	*at = find(v->h, value);
	if (*note && !(*at && (*at)->n))
		return LT_MEANING_NO_ADDRESS;
	*note = NULL;
	if (value->kind == LT_OOPS_PFN)
		return *at && (*at)->n ? LT_MEANING_MEMORY : LT_MEANING_UNKNOWN;
	if (on_stack(v->oops, value))
		*note = "on the stack of the task, where the stack pointer is";
	if (*at && (*at)->n)
		return LT_MEANING_MEMORY;
	if (*note)
		return LT_MEANING_STACK;
	if (is_code(v, value->value, buf, size)) {
		*note = buf;
		return LT_MEANING_CODE;
	}
	return LT_MEANING_UNKNOWN;
}

bool lt_history_refuses(const struct lt_trace *t, const struct lt_oops *o, const char *name)
{
	const char *release = lt_trace_info(t, "kernel_release");
	uint64_t text;

	for (size_t i = 0; i < o->n_reports; i++) {
		const struct lt_oops_report *r = &o->reports[i];

		if (!r->release[0] || !release || !strcmp(r->release, release))
			continue;
		lt_error("%s:%u: the report is of the kernel %s, the trace of %s: its addresses mean nothing "
			 "there; record a trace of the kernel that printed it", name,
			 r->release_line, r->release, release);
		return true;
	}
	if (!o->has_offset || !lt_trace_stext(t, &text) ||
	    text - (o->link_address + o->offset) < HEAD)
		return false;
	lt_error("%s:%u: the report is of another boot: its kernel began at 0x%" PRIx64
		 " (Kernel Offset), the code of the trace's at 0x%" PRIx64 "; its addresses mean nothing there",
		 name, o->offset_line, o->link_address + o->offset, text);
	return true;
}
