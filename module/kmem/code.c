// SPDX-License-Identifier: GPL-2.0
/*
 * The code of modules that come and go during a session: where it is, from when to when, and the
 * symbols of what is gone.
 *
 * A module's functions have no name any more once it is unloaded, and other code may get their
 * addresses. The notifier is called before a module's code first runs and after it last ran, with
 * the symbols in place. So what is copied here names each address that the module's events can
 * have, whenever a reader asks for it. A record in the stream says the same without the symbols.
 */
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/clock.h"
#include "kmem/compat.h"
#include "kmem/kmem.h"

/*
 * Bytes that are kept, symbols included. Above it the oldest code that is gone is forgotten: a
 * session may run for months. Some hundred modules of the usual size are less.
 */
#define MOST_BYTES	(4U << 20)

/* Two hexadecimal digits for each byte of a build id. */
#define BUILD_CHARS	40

/**
 * struct code - a range of addresses with code of a module
 * @list: entry of codes, by @from
 * @begin: first address
 * @size: bytes
 * @from: time of the session's clock from which on it is there; 0: since before the session
 * @to: when it is gone; 0: it is there
 * @bytes: of this struct and @symbols
 * @name: of the module
 * @build: its build id; empty: the kernel does not keep it
 * @symbols: lines "0xADDRESS TYPE NAME"; NULL: none were copied, or there was no memory
 */
struct code {
	struct list_head list;
	unsigned long begin;
	unsigned long size;
	u64 from;
	u64 to;
	size_t bytes;
	char name[MODULE_NAME_LEN + 1];
	char build[BUILD_CHARS + 1];
	char *symbols;
};

static DEFINE_MUTEX(lock);	/* all below */
static LIST_HEAD(codes);
static size_t all_bytes;
static u64 changes;		/* to what the file shows */
static u64 forgotten;		/* codes that are gone and kept no more, or could not be kept */
static u64 nameless;		/* codes that are gone, without symbols for want of memory */

static void drop(struct code *c)
{
	list_del(&c->list);
	all_bytes -= c->bytes;
	kvfree(c->symbols);
	kfree(c);
}

/* Forgets what is gone, the oldest first, until there is room for so many bytes. */
static bool make_room(size_t bytes)
{
	struct code *c, *next;

	list_for_each_entry_safe(c, next, &codes, list) {
		if (all_bytes + bytes <= MOST_BYTES)
			break;
		if (!c->to)
			continue;
		drop(c);
		forgotten++;
	}
	return all_bytes + bytes <= MOST_BYTES;
}

static struct code *add(const struct module *mod, const struct lt_module_range *range, u64 from)
{
	struct code *c = make_room(sizeof(*c)) ? kzalloc(sizeof(*c), GFP_KERNEL) : NULL;

	if (!c) {
		forgotten++;
		return NULL;
	}
	c->begin = range->begin;
	c->size = range->size;
	c->from = from;
	c->bytes = sizeof(*c);
	strscpy(c->name, mod->name, sizeof(c->name));
	lt_module_build(mod, c->build, sizeof(c->build));
	list_add_tail(&c->list, &codes);
	all_bytes += c->bytes;
	return c;
}

static struct code *find_present(const struct module *mod, unsigned long begin)
{
	struct code *c;

	list_for_each_entry(c, &codes, list)
		if (!c->to && c->begin == begin && !strcmp(c->name, mod->name))
			return c;
	return NULL;
}

/* Copies the symbols of a range, or with no room for them finds out how many bytes they take. */
static size_t copy_symbols(const struct module *mod, const struct code *c, char *to, size_t size)
{
	size_t at = 0;
#ifdef CONFIG_KALLSYMS
	/* The module is coming or going: its symbols are exchanged when it is live, not now. */
	const struct mod_kallsyms *k = rcu_dereference_protected(mod->kallsyms, true);
	unsigned int i;

	for (i = 0; k && i < k->num_symtab; i++) {
		const typeof(*k->symtab) *sym = &k->symtab[i];
		char type = k->typetab[i];

		if (sym->st_shndx == SHN_UNDEF || !strchr("tTwW", type) || !type ||
		    sym->st_value - c->begin >= c->size)
			continue;
		at += snprintf(to ? to + at : NULL, to ? size - at : 0, "0x%lx %c %s\n",
			       (unsigned long)sym->st_value, type, k->strtab + sym->st_name);
		if (to && at >= size)
			break;
	}
#endif
	return at;
}

/* Keeps the symbols of what is still there. */
static void keep_symbols(const struct module *mod, struct code *c)
{
	size_t size = copy_symbols(mod, c, NULL, 0) + 1;

	if (c->symbols || size == 1)
		return;
	if (size <= MOST_BYTES / 4 && make_room(size))
		c->symbols = kvmalloc(size, GFP_KERNEL);
	if (!c->symbols) {
		nameless++;
		return;
	}
	copy_symbols(mod, c, c->symbols, size);
	c->bytes += size;
	all_bytes += size;
}

/* The symbols of what runs but once are complete only until the module is live. */
static void on_coming(const struct module *mod, const struct lt_module_range *core,
		      const struct lt_module_range *init, u64 now)
{
	struct code *c;

	if (core->size)
		add(mod, core, now);
	c = init->size ? add(mod, init, now) : NULL;
	if (c)
		keep_symbols(mod, c);
}

static void on_gone(const struct module *mod, const struct lt_module_range *range, u64 from,
		    u64 now)
{
	struct code *c = range->size ? find_present(mod, range->begin) : NULL;

	if (range->size && !c)
		c = add(mod, range, from);
	if (!c)
		return;
	keep_symbols(mod, c);
	c->to = now;
}

/* Context: process, in the notifier. */
static void write_record(const struct module *mod, enum lt_module_what what,
			 const struct lt_module_range *core, const struct lt_module_range *init)
{
	struct lt_rec_MODULE *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	c = lt_enter(&lt_channel_kmem, LT_CLASS_MODULE, &flags);
	if (!c)
		return;
	rec = lt_reserve(&lt_channel_kmem, c, LT_CLASS_MODULE, LT_EV_MODULE, sizeof(*rec));
	if (rec) {
		rec->what = what;
		rec->code = core->begin;
		rec->code_bytes = core->size;
		rec->init = init->begin;
		rec->init_bytes = init->size;
		memset(rec->name, 0, sizeof(rec->name));
		memcpy(rec->name, mod->name, strnlen(mod->name, sizeof(rec->name)));
		memset(rec->build, 0, sizeof(rec->build));
		lt_module_build(mod, rec->build, sizeof(rec->build));
	}
	lt_leave(c, LT_CLASS_MODULE, flags);
}

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *mod = data;
	struct lt_module_range core, init;
	u64 before = lt_clock(), now;

	lt_module_code(mod, &core, &init);
	switch (state) {
	case MODULE_STATE_COMING:
		write_record(mod, LT_MODULE_COMING, &core, &init);
		break;
	case MODULE_STATE_LIVE:
		write_record(mod, LT_MODULE_LIVE, &core, &init);
		break;
	case MODULE_STATE_GOING:
		write_record(mod, LT_MODULE_GOING, &core, &init);
		break;
	default:
		return NOTIFY_DONE;
	}
	/* So the record itself is of a time at which the code is there. */
	now = state == MODULE_STATE_COMING ? before : lt_clock();
	mutex_lock(&lock);
	if (state == MODULE_STATE_COMING)
		on_coming(mod, &core, &init, now);
	if (state == MODULE_STATE_GOING)
		on_gone(mod, &core, 0, now);
	/* Of one that came before the session, what ran but once may be gone already. */
	if (state != MODULE_STATE_COMING && find_present(mod, init.begin))
		on_gone(mod, &init, 0, now);
	changes++;
	mutex_unlock(&lock);
	return NOTIFY_DONE;
}

static struct notifier_block module_block = { .notifier_call = on_module };

bool lt_code_apart;

static int attach(void)
{
	return lt_code_apart ? 0 : register_module_notifier(&module_block);
}

/* Waits for a call that is under way. */
static void detach(void)
{
	if (!lt_code_apart)
		unregister_module_notifier(&module_block);
}

const struct lt_notifier lt_module_notifier = { attach, detach };

/* Forgets what was kept. Context: process, sleeps; a session begins, or the module is unloaded. */
void lt_code_reset(void)
{
	struct code *c, *next;

	mutex_lock(&lock);
	list_for_each_entry_safe(c, next, &codes, list)
		drop(c);
	forgotten = 0;
	nameless = 0;
	changes = 0;
	mutex_unlock(&lock);
}

/**
 * lt_code_show() - the lines of the file "code"
 * @m: where to
 *
 * Context: process; under the session's lock. The notifier may be called meanwhile.
 */
void lt_code_show(struct seq_file *m)
{
	const struct code *c;

	mutex_lock(&lock);
	seq_printf(m, "changes %llu forgotten %llu nameless %llu\n", changes, forgotten, nameless);
	list_for_each_entry(c, &codes, list)
		seq_printf(m, "code %s begin 0x%lx size %lu from %llu to %llu build %s\n%s",
			   c->name, c->begin, c->size, c->from, c->to,
			   c->build[0] ? c->build : "-", c->symbols ?: "");
	mutex_unlock(&lock);
}
