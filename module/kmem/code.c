// SPDX-License-Identifier: GPL-2.0
/*
 * The code of modules: where it is, of those that come and go during a session from when to when,
 * and the symbols of what is gone.
 *
 * A module's functions have no name any more once it is unloaded, and other code may get their
 * addresses. The notifier is called before a module's code first runs and after it last ran, with
 * the symbols in place. So what is copied here names each address that the module's events can
 * have, whenever a reader asks for it. A record in the stream says the same without the symbols.
 *
 * Modules that are there before the session are listed when it begins: /proc/modules has the
 * address of a module's code beside the bytes of all its memory, which from 6.4 on is in several
 * places. Code of others may be where that size ends.
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

static struct code *add_named(const char *name, const struct lt_module_range *range, u64 from)
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
	strscpy(c->name, name, sizeof(c->name));
	list_add_tail(&c->list, &codes);
	all_bytes += c->bytes;
	return c;
}

static struct code *add(const struct module *mod, const struct lt_module_range *range, u64 from)
{
	struct code *c = add_named(mod->name, range, from);

	if (c)
		lt_module_build(mod, c->build, sizeof(c->build));
	return c;
}

static struct code *find_present(const char *name, unsigned long begin)
{
	struct code *c;

	list_for_each_entry(c, &codes, list)
		if (!c->to && c->begin == begin && !strcmp(c->name, name))
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
	struct code *c = range->size ? find_present(mod->name, range->begin) : NULL;

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
		memcpy(rec->name, mod->name,
		       strnlen(mod->name, min(sizeof(rec->name), sizeof(mod->name))));
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
	/* It was coming when the session began, and not in the list of modules yet. */
	if (state == MODULE_STATE_LIVE && core.size && !find_present(mod->name, core.begin))
		add(mod, &core, 0);
	if (state == MODULE_STATE_GOING)
		on_gone(mod, &core, 0, now);
	/* Of one that came before the session, what ran but once may be gone already. */
	if (state != MODULE_STATE_COMING && find_present(mod->name, init.begin))
		on_gone(mod, &init, 0, now);
	changes++;
	mutex_unlock(&lock);
	return NOTIFY_DONE;
}

static struct notifier_block module_block = { .notifier_call = on_module };

/* ------------------------------------------------------------------------
 * Modules of before the session
 */

/* A module as the list has it. */
struct present {
	struct lt_module_range core;
	char name[MODULE_NAME_LEN + 1];
	char build[BUILD_CHARS + 1];
};

static void copy_present(const struct module *mod, struct present *p)
{
	struct lt_module_range init;

	lt_module_code(mod, &p->core, &init);
	strscpy(p->name, mod->name, sizeof(p->name));
	memset(p->build, 0, sizeof(p->build));
	lt_module_build(mod, p->build, sizeof(p->build));
}

/*
 * Copies as many modules as there is room for. Return: how many there are.
 *
 * A module is taken from the list before its memory is freed, and the list's lock is held: what is
 * on the list can be read. The place of its code does not change while it is there. What is going
 * is left out: the notifier may have been called for it before.
 */
static size_t copy_list(struct kset *set, struct present *to, size_t room)
{
	struct kobject *k;
	size_t n = 0;

	spin_lock(&set->list_lock);
	list_for_each_entry(k, &set->list, entry) {
		/* What is built in has an entry, and no module. */
		const struct module *mod = container_of(k, struct module_kobject, kobj)->mod;
		int state = mod ? READ_ONCE(mod->state) : MODULE_STATE_UNFORMED;

		if (state != MODULE_STATE_LIVE && state != MODULE_STATE_COMING)
			continue;
		if (n < room)
			copy_present(mod, &to[n]);
		n++;
	}
	spin_unlock(&set->list_lock);
	return n;
}

/* Return: the modules that are there; NULL: no memory, or there are none. */
static struct present *copy_all(struct kset *set, size_t *n)
{
	struct present *all = NULL;
	size_t room = 0;

	*n = copy_list(set, NULL, 0);
	while (*n > room && *n <= MOST_BYTES / sizeof(*all)) {
		kvfree(all);
		/* Some may come meanwhile. */
		room = *n + 8;
		all = kvmalloc_array(room, sizeof(*all), GFP_KERNEL);
		if (!all)
			return NULL;
		*n = copy_list(set, all, room);
	}
	if (*n <= room)
		return all;
	kvfree(all);
	return NULL;
}

/*
 * Takes the modules that are there. The notifier, which is called for what comes and goes
 * meanwhile, waits for the lock: it finds what is taken here. Without a list (no sysfs) a reader
 * has the bounds of /proc/modules.
 */
static void take_present(void)
{
	struct kset *set = lt_module_set();
	struct present *all;
	struct code *c;
	size_t n, i;

	if (!set)
		return;
	mutex_lock(&lock);
	all = copy_all(set, &n);
	for (i = 0; i < n; i++) {
		if (!all || !all[i].core.size) {
			forgotten += !all;
			continue;
		}
		if (find_present(all[i].name, all[i].core.begin))
			continue;
		c = add_named(all[i].name, &all[i].core, 0);
		if (c)
			strscpy(c->build, all[i].build, sizeof(c->build));
	}
	mutex_unlock(&lock);
	kvfree(all);
}

bool lt_code_apart;

static int attach(void)
{
	int err = lt_code_apart ? 0 : register_module_notifier(&module_block);

	if (!err)
		take_present();
	return err;
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
