// SPDX-License-Identifier: GPL-2.0
/*
 * The running kernel, from its types.
 */
#ifdef LT_HAVE_LIBBPF

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/mem.h"
#include "base/text.h"
#include "bpf/kernel.h"
#include "bpf/shared.h"
#include "fetch/btf.h"

#define TYPES		"/sys/kernel/btf/vmlinux"
#define LOCKDOWN	"/sys/kernel/security/lockdown"

static uint32_t find(const struct lt_btf *b, const char *name, unsigned int kind)
{
	for (uint32_t id = 1; id < b->n; id++) {
		const struct btf_type *t = lt_btf_type(b, id);

		if (lt_btf_kind(t) == kind && !strcmp(lt_btf_name(b, t->name_off), name))
			return id;
	}
	return 0;
}

/* ------------------------------------------------------------------------
 * Prototypes
 */

static bool is_pointer_to(const struct lt_btf *b, uint32_t id, const char *name)
{
	const struct btf_type *t = lt_btf_type(b, lt_btf_plain(b, id));

	if (lt_btf_kind(t) != BTF_KIND_PTR)
		return false;
	t = lt_btf_type(b, lt_btf_plain(b, t->type));
	return lt_btf_is_struct(t) && !strcmp(lt_btf_name(b, t->name_off), name);
}

static bool fits(const struct lt_btf *b, uint32_t id, char letter)
{
	unsigned int kind = lt_btf_kind(lt_btf_type(b, lt_btf_plain(b, id)));

	switch (letter) {
	case 'p':
		return kind == BTF_KIND_PTR;
	case '*':
		return true;
	case 'c':
		return is_pointer_to(b, id, "kmem_cache");
	default:
		return kind == BTF_KIND_INT || kind == BTF_KIND_ENUM;
	}
}

/* @skip: parameters before those of @args. */
static bool check(const struct lt_btf *b, uint32_t id, unsigned int skip, const char *args,
		  struct lt_why *why)
{
	const struct btf_type *t = lt_btf_type(b, id);
	const struct btf_param *p = lt_btf_behind(t);
	unsigned int n = lt_btf_vlen(t);
	bool good = lt_btf_kind(t) == BTF_KIND_FUNC_PROTO && n >= skip;

	if (good && args) {
		good = n - skip == strlen(args);
		for (unsigned int i = 0; good && args[i]; i++)
			good = fits(b, p[skip + i].type, args[i]);
	}
	if (!good)
		lt_why_set(why, "its arguments are others in this kernel");
	return good;
}

/* A tracepoint has a type for its probes: "typedef void (*btf_trace_NAME)(void *, ...)". */
static uint32_t probe_of(const struct lt_btf *b, const char *name)
{
	char *full = lt_format("btf_trace_%s", name);
	uint32_t id = find(b, full, BTF_KIND_TYPEDEF);

	free(full);
	if (!id)
		return 0;
	return lt_btf_type(b, lt_btf_plain(b, id))->type;
}

bool lt_bpf_tracepoint(const struct lt_bpf_kernel *k, const char *name, const char *args,
		       struct lt_why *why)
{
	uint32_t id = probe_of(k->btf, name);

	if (!id) {
		lt_why_set(why, "this kernel has no such tracepoint");
		return false;
	}
	return check(k->btf, id, 1, args, why);
}

bool lt_bpf_function(const struct lt_bpf_kernel *k, const char *name, const char *args,
		     struct lt_why *why)
{
	uint32_t id = find(k->btf, name, BTF_KIND_FUNC);

	if (!id) {
		lt_why_set(why, "this kernel has no such function, or it is inlined");
		return false;
	}
	if (args && strlen(args) > k->max_args) {
		lt_why_set(why, "this kernel lets programs watch functions of %u arguments at the most",
			   k->max_args);
		return false;
	}
	return check(k->btf, lt_btf_type(k->btf, id)->type, 0, args, why);
}

/* What a function returns is a bool; its second argument is a function. */
static void find_forms(struct lt_bpf_kernel *k)
{
	const struct lt_btf *b = k->btf;
	uint32_t id = find(b, "kmem_cache_alloc_bulk_noprof", BTF_KIND_FUNC);
	const struct btf_type *t, *ret;
	const struct btf_param *p;

	if (!id)
		id = find(b, "kmem_cache_alloc_bulk", BTF_KIND_FUNC);
	ret = lt_btf_type(b, lt_btf_plain(b, lt_btf_type(b, lt_btf_type(b, id)->type)->type));
	k->bulk_says_all = !strcmp(lt_btf_name(b, ret->name_off), "_Bool");
	t = lt_btf_type(b, lt_btf_type(b, find(b, "kvfree_call_rcu", BTF_KIND_FUNC))->type);
	p = lt_btf_behind(t);
	if (lt_btf_kind(t) != BTF_KIND_FUNC_PROTO || lt_btf_vlen(t) < 2)
		return;
	t = lt_btf_type(b, lt_btf_plain(b, p[1].type));
	k->rcu_by_offset = lt_btf_kind(lt_btf_type(b, lt_btf_plain(b, t->type))) ==
			   BTF_KIND_FUNC_PROTO;
}

/* ------------------------------------------------------------------------
 * Where preempt_count is
 */

static bool member_at(const struct lt_btf *b, uint32_t id, const char *name, int64_t *at)
{
	const struct btf_type *t = lt_btf_type(b, lt_btf_plain(b, id));
	const struct btf_member *m = lt_btf_behind(t);

	if (!lt_btf_is_struct(t))
		return false;
	for (unsigned int i = 0; i < lt_btf_vlen(t); i++) {
		const char *own = lt_btf_name(b, m[i].name_off);
		int64_t inner;

		if (!strcmp(own, name)) {
			*at = lt_btf_member_bit(t, &m[i]) / 8;
			return true;
		}
		if (!*own && member_at(b, m[i].type, name, &inner)) {
			*at = lt_btf_member_bit(t, &m[i]) / 8 + inner;
			return true;
		}
	}
	return false;
}

/* Are the kernel's variables among its symbols (CONFIG_KALLSYMS_ALL)? */
static bool has_symbol(const char *name)
{
	char *all = lt_read_text_file("/proc/kallsyms", 64U << 20, NULL);
	char *line = lt_format(" %s\n", name);
	bool found = all && strstr(all, line);

	free(line);
	free(all);
	return found;
}

/* Without bpf_rdonly_cast() reading takes a call that costs more than finding the variable does. */
static unsigned int level_without_cast(void)
{
	return has_symbol(LT_BPF_PREEMPT_COUNT) ? LT_BPF_LEVEL_SYMBOL : LT_BPF_LEVEL_READ;
}

/* The variables of each CPU have their places in one section. */
static void find_preempt_count(struct lt_bpf_kernel *k)
{
	const struct lt_btf *b = k->btf;
	uint32_t id = find(b, ".data..percpu", BTF_KIND_DATASEC);
	const struct btf_type *t = lt_btf_type(b, id);
	const struct btf_var_secinfo *v = lt_btf_behind(t);
	int64_t count = -1, queue = -1, own = -1, inside;

	for (unsigned int i = 0; id && i < lt_btf_vlen(t); i++) {
		const struct btf_type *var = lt_btf_type(b, v[i].type);
		const char *name = lt_btf_name(b, var->name_off);

		if (!strcmp(name, LT_BPF_PREEMPT_COUNT))
			own = count = v[i].offset;
		else if (!strcmp(name, "pcpu_hot") &&
			 member_at(b, var->type, "preempt_count", &inside))
			count = v[i].offset + inside;
		else if (!strcmp(name, "runqueues"))
			queue = v[i].offset;
	}
	if (count < 0 || queue < 0)
		return;
	k->level_delta = count - queue;
	k->level = find(b, "bpf_rdonly_cast", BTF_KIND_FUNC) ? LT_BPF_LEVEL_CAST :
		   own >= 0 ? level_without_cast() : LT_BPF_LEVEL_READ;
}

bool lt_bpf_has_type(const struct lt_bpf_kernel *k, const char *name)
{
	return find(k->btf, name, BTF_KIND_STRUCT) != 0;
}

static bool has_member(const struct lt_btf *b, const char *type, const char *name)
{
	int64_t at;

	return member_at(b, find(b, type, BTF_KIND_STRUCT), name, &at);
}

static void find_level(struct lt_bpf_kernel *k)
{
	k->level = LT_BPF_LEVEL_NONE;
	if (has_member(k->btf, "thread_info", "preempt"))
		k->level = LT_BPF_LEVEL_TASK;
	else if (has_member(k->btf, "cfs_rq", "rq"))
		find_preempt_count(k);
}

/* ------------------------------------------------------------------------
 * Page frames
 */

/* One more than the last page frame, by /proc/zoneinfo; 0: not known. */
static uint64_t last_frame(void)
{
	char *text = lt_read_text_file("/proc/zoneinfo", 16U << 20, NULL);
	uint64_t spanned = 0, last = 0, n;
	const char *pos = text, *line;
	size_t len;

	while (pos && lt_line(&pos, &line, &len)) {
		char copy[64];

		snprintf(copy, sizeof(copy), "%.*s", (int)len, line);
		if (sscanf(copy, " spanned %" SCNu64, &n) == 1)
			spanned = n;
		else if (sscanf(copy, " start_pfn: %" SCNu64, &n) == 1 && spanned &&
			 n + spanned > last)
			last = n + spanned;
	}
	free(text);
	return last;
}

/*
 * The array of struct page begins at a multiple of 1 GiB on x86_64, wherever KASLR puts it. Where
 * it is no longer than that, the low bits of an address say which page it is. Elsewhere nothing
 * that may be read without asking for more than lifetrace needs says where the array begins.
 */
static void find_pages(struct lt_bpf_kernel *k, const char *machine)
{
	const uint64_t gib = 1ULL << 30;
	uint64_t last = last_frame();

	k->page_struct = (uint32_t)lt_btf_size(k->btf, find(k->btf, "page", BTF_KIND_STRUCT));
	if (!strcmp(machine, "x86_64") && last && k->page_struct && last * k->page_struct <= gib)
		k->page_mask = gib - 1;
}

/* ------------------------------------------------------------------------ */

/* "none [integrity] confidentiality" */
static bool locked_down(void)
{
	char *text = lt_read_text_file(LOCKDOWN, 4096, NULL);
	bool locked = text && strstr(text, "[confidentiality]");

	free(text);
	return locked;
}

/* The release: "6.18.44-fc". Tracepoints became preemptible after 6.18. */
static bool check_release(struct lt_bpf_kernel *k, struct lt_why *why)
{
	unsigned int major = 0, minor = 0;
	struct utsname u;

	if (uname(&u)) {
		lt_why_set(why, "uname: %s", strerror(errno));
		return false;
	}
	if (sscanf(u.release, "%u.%u", &major, &minor) != 2 || major < 6 ||
	    (major == 6 && minor < 1)) {
		lt_why_set(why, "kernel %.64s: eBPF programs of lifetrace need 6.1 or later",
			   u.release);
		return false;
	}
	k->preemptible = major > 6 || minor > 18;
	k->strong = strcmp(u.machine, "x86_64") != 0;
	/* Those on the stack since 6.6, on x86-64; arm64 has 8 registers for them. */
	k->max_args = k->strong ? 8 : major > 6 || minor >= 6 ? 12 : 6;
	return true;
}

static bool check_machine(struct lt_why *why)
{
	if (sizeof(long) != 8 || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__) {
		lt_why_set(why, "the eBPF engine runs on 64-bit little-endian machines alone");
		return false;
	}
	if (locked_down()) {
		lt_why_set(why, "the kernel is locked down (lockdown=confidentiality) and forbids "
			   "tracing");
		return false;
	}
	return true;
}

bool lt_bpf_kernel_read(struct lt_bpf_kernel *k, struct lt_why *why)
{
	struct lt_why inner;
	struct utsname u;
	uint32_t probe;

	*k = (struct lt_bpf_kernel){ 0 };
	if (!check_machine(why) || !check_release(k, why))
		return false;
	k->btf = lt_btf_read(TYPES, NULL, &inner);
	if (!k->btf) {
		lt_why_set(why, "the kernel's types (" TYPES ") cannot be read: %.100s",
			   inner.text);
		return false;
	}
	find_level(k);
	find_forms(k);
	probe = probe_of(k->btf, "sched_process_exit");
	k->exit_says_dead = probe && lt_btf_vlen(lt_btf_type(k->btf, probe)) > 2;
	uname(&u);
	find_pages(k, u.machine);
	return true;
}

void lt_bpf_kernel_free(struct lt_bpf_kernel *k)
{
	if (k->btf)
		lt_btf_free(k->btf);
	k->btf = NULL;
}

#endif /* LT_HAVE_LIBBPF */
