// SPDX-License-Identifier: GPL-2.0
/*
 * Callers of allocations where a tracer has put a trampoline in place of the return address.
 *
 * The allocator reads its own return address to say who its caller is. While the function graph
 * tracer is on, or a kretprobe is attached to the allocator, that is the address of a trampoline.
 * The kernel's unwinder knows what was there before, so the caller is taken from it then, and only
 * then: by the functions that it finds between the event and the caller.
 *
 * While a kretprobe is attached to krealloc(), what that passes to the allocator as its caller,
 * for the object that it moves to, is not the caller: it reads its own return address, in
 * whose place is that of the kretprobes' trampoline. So the callers of the calls under way are
 * kept here, and put in where an event has the trampoline.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include "kmem/caller.h"
#include "kmem/compat.h"

/* More than there are instances of the kretprobe, so that a search is short. */
#define CALLS_BITS	10
#define CALLS		BIT(CALLS_BITS)
#define MAX_STEPS	16

/**
 * struct lt_krealloc - a call of krealloc() that is under way
 * @key: key_of_this(); 0: the entry is free. Only who took the entry frees it
 * @caller: of that call; read and written by that task in that context only
 */
struct lt_krealloc {
	unsigned long key;
	unsigned long caller;
};

static struct lt_krealloc calls[CALLS];

struct lt_trampolines lt_trampolines __read_mostly = { -1UL, -1UL };

/*
 * A context of a task has one call at most: an interrupt's are over before what it
 * interrupted goes on. The low bits of the address are 0.
 */
static unsigned long key_of_this(void)
{
	BUILD_BUG_ON(__alignof__(struct task_struct) < 4);
	return (unsigned long)current | (in_nmi() ? 3 : in_hardirq() ? 2 :
					 in_serving_softirq() ? 1 : 0);
}

static struct lt_krealloc *entry_of(unsigned long key, unsigned int step)
{
	return &calls[(hash_long(key, CALLS_BITS) + step) & (CALLS - 1)];
}

/**
 * lt_krealloc_begin() - note a call of krealloc()
 * @caller: its caller
 *
 * Context: any; of the call, before it allocates.
 * Return: for lt_krealloc_end(); NULL: too many calls are under way.
 */
struct lt_krealloc *lt_krealloc_begin(unsigned long caller)
{
	unsigned long key = key_of_this();
	unsigned int i;

	for (i = 0; i < MAX_STEPS; i++) {
		struct lt_krealloc *c = entry_of(key, i);

		if (READ_ONCE(c->key) || cmpxchg(&c->key, 0, key))
			continue;
		c->caller = caller;
		return c;
	}
	return NULL;
}

NOKPROBE_SYMBOL(lt_krealloc_begin);

/* The call ends. @c: of lt_krealloc_begin(). Context: that of the call. */
void lt_krealloc_end(struct lt_krealloc *c)
{
	if (c)
		smp_store_release(&c->key, 0);	/* the caller was read before */
}

NOKPROBE_SYMBOL(lt_krealloc_end);

/* ------------------------------------------------------------------------
 * By the kernel's unwinder
 */

/* Used with interrupts off, and not by NMIs. */
static DEFINE_PER_CPU(struct lt_unwound, unwound);

/* The allocator's own functions, without "_noprof", which later kernels append. */
static const char * const allocating[] = {
	"kmalloc_trace", "kmalloc_node_trace", "kmalloc_large", "kmalloc_large_node",
	"kmalloc_order", "kmalloc_order_trace", "__kmalloc", "__kmalloc_node",
	"__kmalloc_track_caller", "__kmalloc_node_track_caller", "__kmalloc_cache",
	"__kmalloc_cache_node", "__kmalloc_large", "__kmalloc_large_node", "___kmalloc_large_node",
	"__kmalloc_flags", "__kmalloc_nolock", "_kmalloc_nolock", "__do_kmalloc",
	"__do_kmalloc_node", "__kvmalloc_node",
	"kmem_cache_alloc", "kmem_cache_alloc_lru", "kmem_cache_alloc_node",
	"kmem_cache_alloc_trace", "kmem_cache_alloc_node_trace", "kmem_cache_alloc_bulk",
	"kmem_cache_alloc_from_sheaf", "__kmem_cache_alloc_lru", "__kmem_cache_alloc_node",
	"__kmem_cache_alloc_bulk", "slab_alloc", "slab_alloc_node", "__slab_alloc",
	"___slab_alloc", "__slab_alloc_node", "krealloc", "__do_krealloc", "krealloc_node_align",
};

static const char * const freeing[] = {
	"kfree", "kfree_nolock", "kfree_call_rcu", "kvfree_call_rcu", "kmem_cache_free",
	"kmem_cache_free_bulk", "__kmem_cache_free", "__kmem_cache_free_bulk", "slab_free",
	"__slab_free", "do_slab_free", "slab_free_freelist_hook", "__cache_free", "___cache_free",
};

/* Between an event and the allocator, by the begins of their names. */
static const char * const tracing[] = {
	"__traceiter_", "trace_", "perf_trace_", "ftrace_", "arch_ftrace_", "prepare_ftrace_",
	"return_to_handler", "kretprobe_", "__kretprobe_", "rethook_", "arch_rethook_",
	"trampoline_handler", "kprobe_",
};

static bool is_allocator(const char *name, bool frees)
{
	const char * const *list = frees ? freeing : allocating;
	size_t n = frees ? ARRAY_SIZE(freeing) : ARRAY_SIZE(allocating), i;
	/* Parts of functions have a suffix behind a full stop, modules' functions a name. */
	size_t len = strcspn(name, ". ");

	if (len > 7 && !strncmp(name + len - 7, "_noprof", 7))
		len -= 7;
	for (i = 0; i < n; i++)
		if (!strncmp(name, list[i], len) && !list[i][len])
			return true;
	return false;
}

static bool is_tracing(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tracing); i++)
		if (strstarts(name, tracing[i]))
			return true;
	return false;
}

/* Built into the kernel, there is no module: then its functions are known by their names. */
static bool is_own(const struct module *own, unsigned long address, const char *name)
{
	if (own)
		return within_module(address, own);
	/* A module's functions have its name in brackets behind theirs. */
	return !strchr(name, '[') && (strstarts(name, "lt_") || strstarts(name, "probe_"));
}

/* The name of the function that a return address is in. Code that tracers make has a number. */
static const char *name_at(struct lt_unwound *u, unsigned int i)
{
	/* The call may be the last instruction of its function. */
	sprint_symbol_no_offset(u->name, u->frames[i] - 1);
	return u->name;
}

/**
 * lt_first_outside() - the caller of the allocator among return addresses
 * @u: the addresses; its name is used
 * @n: how many
 * @frees: the allocator was called to free
 * @own: the module that has the probes; NULL: they are built into the kernel
 *
 * It is the first one behind the allocator; where that has returned, the first one that is no
 * tracer's. A function like kmemdup() passes its own caller to the allocator, to a variant of it
 * that has "track_caller" in its name: then that function is skipped, too.
 *
 * Context: any but NMI. Return: 0: there is none.
 */
unsigned long lt_first_outside(struct lt_unwound *u, unsigned int n, bool frees,
			       const struct module *own)
{
	bool found = false, tracked = false;
	unsigned long outside = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		unsigned long address = u->frames[i];
		const char *name = name_at(u, i);

		if (strstarts(name, "0x"))
			continue;
		if (is_allocator(name, frees)) {
			found = true;
			outside = 0;
			tracked = strstr(name, "track_caller");
		} else if (found && !tracked) {
			outside = address;
			break;
		} else if (found) {
			tracked = false;
		} else if (!outside && !is_own(own, address, name) && !is_tracing(name)) {
			outside = address;
		}
	}
	return lt_is_trampoline(outside) ? 0 : outside;
}

/* Context: of an event. Return: 0: the unwinder does not reach the caller. */
static noinline unsigned long unwind_caller(bool frees)
{
	unsigned long flags, address = 0;
	struct lt_unwound *u;

	if (!LT_HAVE_STACKS || in_nmi())
		return 0;
	local_irq_save(flags);
	u = this_cpu_ptr(&unwound);
	address = lt_first_outside(u, lt_unwind(u->frames, LT_UNWOUND), frees, THIS_MODULE);
	local_irq_restore(flags);
	return address;
}

static noinline unsigned long behind_trampoline(unsigned long call_site, bool frees)
{
	unsigned int i;

	for (i = 0; call_site == lt_trampolines.kretprobe && i < MAX_STEPS; i++) {
		unsigned long key = key_of_this();
		const struct lt_krealloc *c = entry_of(key, i);

		if (READ_ONCE(c->key) == key && !lt_is_trampoline(c->caller))
			return c->caller;
	}
	return unwind_caller(frees) ?: call_site;
}

/**
 * lt_real_caller() - the caller of the allocator
 * @call_site: the caller that its event has
 * @frees: it was called to free
 *
 * No table of sites has a trampoline, so events with one are not found there: only the slow path
 * comes here.
 *
 * Context: any; that of the event.
 * Return: the caller behind the trampoline that the event may have; the trampoline itself where
 *	it cannot be found.
 */
unsigned long lt_real_caller(unsigned long call_site, bool frees)
{
	if (likely(!lt_is_trampoline(call_site)))
		return call_site;
	return behind_trampoline(call_site, frees);
}

/**
 * lt_restore_caller() - put the caller of krealloc() into a stack that has the trampoline
 * @frames: return addresses, the innermost first
 * @n: how many
 *
 * Kernels before 5.16 unwind no further than that, or over it.
 *
 * Context: that of the event.
 */
void lt_restore_caller(unsigned long *frames, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (lt_is_trampoline(frames[i])) {
			frames[i] = lt_real_caller(frames[i], false);
			return;
		}
}

/* ------------------------------------------------------------------------
 * The trampoline, whose address modules cannot know: what a function with a kretprobe
 * returns to.
 */

/*
 * notrace: a kprobe on it is a breakpoint, not a user of ftrace. As the only user, for a
 * moment, it would run the kernel's test of ftrace's records (ftrace_shutdown()), which
 * switches ftrace off for good if probes were detached while kernel.ftrace_enabled was 0.
 */
static noinline __noclone notrace unsigned long returns_to(void)
{
	return _RET_IP_;
}

/* Always from the same place, and not by a jump, which would have another return address. */
static noinline __noclone unsigned long ask(void)
{
	unsigned long address = returns_to();

	barrier();
	return address;
}

/* The function graph tracer's trampoline has a name. */
static void find_graph_trampoline(void)
{
	unsigned long address;

	if (lt_trampolines.graph != -1UL)
		return;
	address = lt_symbol_address("return_to_handler");
	if (address)
		lt_trampolines.graph = address;
}

/**
 * lt_callers_prepare() - find the trampolines, once
 *
 * Where one is not found, what is allocated under that tracer has the trampoline as its caller.
 *
 * Context: process, sleeps; no probe is attached.
 */
void lt_callers_prepare(void)
{
	struct kretprobe probe = {
		.kp.addr = (void *)returns_to,
		.maxactive = 1,
	};
	unsigned long address;

	/* What a call left that was under way when the probe was detached. */
	memset(calls, 0, sizeof(calls));
	find_graph_trampoline();
	if (lt_trampolines.kretprobe != -1UL)
		return;
	if (register_kretprobe(&probe))
		return;
	address = ask();
	unregister_kretprobe(&probe);
	/* Otherwise it was not hit: kprobes are switched off. */
	if (address != ask())
		lt_trampolines.kretprobe = address;
}
