// SPDX-License-Identifier: GPL-2.0
/*
 * Slab caches: ids, names, sizes.
 *
 * struct kmem_cache is private to mm/ since 6.8, and no kernel's headers offer
 * its name to modules in a way that holds for all. So the offsets of name and
 * sizes are found, and proved, on two caches made for that; if that fails,
 * events carry ids, and the records of the caches have neither name nor sizes.
 */
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "kmem/cache.h"
#include "kmem/object.h"

/*
 * The table of ids. A cache has one of the slots from the one that its address hashes to on. When
 * it is about to be destroyed, cache_gone is written, and the slot is free for another cache,
 * which has the slot's next turn, and so another id. When a slot has had all its turns it rests: an
 * id is announced for another cache at the earliest REST after the last cache_gone of its slot.
 * So its time shows readers which cache an event means, though the records of one CPU may
 * stand a little before the announcement that another CPU has written.
 */
unsigned long lt_cache_slots[LT_CACHE_SLOTS];
u8 lt_cache_turns[LT_CACHE_SLOTS];
static u32 left_at[LT_CACHE_SLOTS];	/* jiffies of the last cache_gone */

#define REST		(HZ + 1)	/* one second at least */

static atomic64_t overflow;

/*
 * Slots that are searched for a cache, with interrupts off. So many caches, times their turns,
 * can come and go at one address within REST; one for which none is left has no id.
 */
#define PROBES		64

/* Offsets in struct kmem_cache; 0: not proven (neither name nor sizes stand at 0). */
static size_t name_offset, size_offset;

/* ------------------------------------------------------------------------
 * Proving the offsets
 */

/* Bytes of struct kmem_cache that are searched at most. */
#define SCAN_BYTES	512

static void ctor(void *object)
{
}

/*
 * Is there a string equal to @text where the pointer at @from points to? The
 * name of a specimen is a copy from kmalloc, so only such addresses are read: other
 * values may not be addresses.
 */
static bool points_to_text(const void *from, const char *text)
{
	size_t len = strlen(text) + 1;
	char found[64];
	void *p;

	return len <= sizeof(found) &&
	       !copy_from_kernel_nofault(&p, from, sizeof(p)) && virt_addr_valid(p) &&
	       !copy_from_kernel_nofault(found, p, len) && !memcmp(found, text, len);
}

/* size and object_size are neighbours, in this order, since SLUB exists. */
static bool are_sizes(const void *from, u32 size, u32 object_size)
{
	u32 found[2];

	return !copy_from_kernel_nofault(found, from, sizeof(found)) &&
	       found[0] == size && found[1] == object_size;
}

/**
 * struct specimen - a cache whose name and sizes are known
 * @name: not the name of any other cache
 * @object_size: odd, so that it differs from the size of the slot
 * @ctor: NULL: the cache may be merged, and then its kobject has another name than the
 *	cache; else both have the same name
 * @s: the cache, once made
 * @size: of its slot, once made
 */
struct specimen {
	const char *name;
	unsigned int object_size;
	void (*ctor)(void *object);
	struct kmem_cache *s;
	u32 size;
};

static int specimen_make(struct specimen *sp)
{
	void *object;

	sp->s = kmem_cache_create(sp->name, sp->object_size, 0, 0, sp->ctor);
	if (!sp->s)
		return -ENOMEM;
	object = kmem_cache_alloc(sp->s, GFP_KERNEL);
	if (!object)
		return -ENOMEM;
	sp->size = ksize(object);
	kmem_cache_free(sp->s, object);
	return 0;
}

static void prove(struct specimen *a, struct specimen *b)
{
	/* The struct is itself an object of a slab: not beyond its end. */
	size_t i, bytes = min3((size_t)SCAN_BYTES, ksize(a->s), ksize(b->s));

	for (i = sizeof(void *); i + sizeof(void *) <= bytes && !name_offset; i += sizeof(void *))
		if (points_to_text((void *)a->s + i, a->name) &&
		    points_to_text((void *)b->s + i, b->name))
			name_offset = i;
	/*
	 * ksize() is the slot's size only if nothing else lies in the slot. So it must
	 * equal the size found in the cache without a constructor; in the other cache the
	 * size found must only not be smaller than the object.
	 */
	for (i = sizeof(u32); i + 2 * sizeof(u32) <= bytes && !size_offset; i += sizeof(u32)) {
		u32 size;

		if (!are_sizes((void *)b->s + i, b->size, b->object_size))
			continue;
		if (!copy_from_kernel_nofault(&size, (void *)a->s + i, sizeof(size)) &&
		    size >= a->object_size &&
		    are_sizes((void *)a->s + i, size, a->object_size))
			size_offset = i;
	}
}

static int prove_with(unsigned int object_size)
{
	struct specimen a = { .name = "lifetrace_specimen_a", .object_size = 1013, .ctor = ctor };
	struct specimen b = { .name = "lifetrace_specimen_b", .object_size = object_size };
	int err = specimen_make(&a);

	if (!err)
		err = specimen_make(&b);
	if (!err)
		prove(&a, &b);
	kmem_cache_destroy(a.s);
	kmem_cache_destroy(b.s);
	return err;
}

/**
 * lt_cache_prove() - find where struct kmem_cache keeps name and size
 *
 * Context: process, may sleep, once at load.
 * Return: 0, also when it cannot be found (then it stays unknown), -ENOMEM.
 */
int lt_cache_prove(void)
{
	/*
	 * The kernel may merge a specimen with a cache whose slots have its size; then the
	 * specimen has the name of that cache, and another size is tried. Caches with
	 * sizes that fill no cache line are rare.
	 */
	static const unsigned int object_sizes[] = { 1523, 1907, 2777, 3511 };
	unsigned int i;
	int err = 0;

	name_offset = 0;
	size_offset = 0;
	for (i = 0; i < ARRAY_SIZE(object_sizes) && !err && !(name_offset && size_offset); i++)
		err = prove_with(object_sizes[i]);
	return err;
}

/* Are the names of caches known? (The sizes of slots may still not be.) */
bool lt_cache_proven(void)
{
	return name_offset;
}

/**
 * lt_cache_describe() - read name and sizes of a cache
 * @s: a cache that exists
 * @d: filled in
 *
 * Context: any. Reads without faulting, whatever the offsets are.
 */
void lt_cache_describe(const struct kmem_cache *s, struct lt_cache_desc *d)
{
	const char *name;
	size_t i;

	memset(d, 0, sizeof(*d));
	d->object_size = kmem_cache_size((struct kmem_cache *)s);
	if (size_offset &&
	    copy_from_kernel_nofault(&d->size, (void *)s + size_offset, sizeof(d->size)))
		d->size = 0;
	if (!name_offset ||
	    copy_from_kernel_nofault(&name, (void *)s + name_offset, sizeof(name)) || !name)
		return;
	/* Byte by byte: the string may end just before an unmapped page. */
	for (i = 0; i < sizeof(d->name); i++)
		if (copy_from_kernel_nofault(&d->name[i], name + i, 1) || !d->name[i])
			break;
	if (i < sizeof(d->name))
		d->name[i] = 0;
}

/* ------------------------------------------------------------------------
 * Ids
 */

/* What an id was announced for. */
struct meaning {
	unsigned long ptr;
	struct lt_cache_desc d;
};

/**
 * struct kept - an id that was announced
 * @announced: @id, @wrapped and @is are filled in
 * @wrapped: the id was announced for another cache before
 * @id: of the cache
 * @from: when, clock units
 * @until: when it was about to be destroyed; 0: it is there
 * @is: what it means
 */
struct kept {
	bool announced;
	bool wrapped;
	u16 id;
	atomic64_t from;
	u64 until;
	struct meaning is;
};

/*
 * What was announced, where the records that did may be overwritten; else NULL. It changes while
 * no probe is attached. By slot; behind those the caches that are gone, of which the oldest make
 * room.
 */
#define KEPT_GONE	LT_CACHE_SLOTS

static struct kept *all_kept;
static atomic_t n_gone;
static DECLARE_BITMAP(slot_wrapped, LT_CACHE_SLOTS);	/* all turns of the slot were used */

/* Several CPUs may announce an id at once, with equal contents. */
static void keep(unsigned int slot, u16 id, u64 now, const struct kmem_cache *s,
		 const struct lt_cache_desc *d)
{
	const struct meaning is = { (unsigned long)s, *d };
	struct kept *k = &all_kept[slot];

	if (READ_ONCE(k->announced) && READ_ONCE(k->id) == id)
		return;
	/* Another CPU may write it, too, byte for byte; a reader sees one or the other. */
	data_race(k->is = is);
	WRITE_ONCE(k->id, id);
	WRITE_ONCE(k->wrapped, test_bit(slot, slot_wrapped));
	atomic64_cmpxchg(&k->from, 0, now);
	/* Pairs with the acquire in show(). */
	smp_store_release(&k->announced, true);
}

/* The cache is about to be destroyed. Context: one at a time for a slot. */
static void keep_gone(unsigned int slot)
{
	struct kept *k = &all_kept[slot], *to;

	if (!READ_ONCE(k->announced))
		return;
	to = &all_kept[LT_CACHE_SLOTS + (u32)(atomic_inc_return(&n_gone) - 1) % KEPT_GONE];
	/* Readers that copy it meanwhile compare @announced before and after. */
	WRITE_ONCE(to->announced, false);
	/* Pairs with the smp_rmb() in show(). */
	smp_wmb();
	/* One at a time writes it; a reader that copies half of it drops the copy. */
	data_race(to->is = k->is);
	WRITE_ONCE(to->id, k->id);
	WRITE_ONCE(to->wrapped, k->wrapped);
	atomic64_set(&to->from, atomic64_read(&k->from));
	to->until = lt_clock();
	/* Pairs with the acquire in show(). */
	smp_store_release(&to->announced, true);
	WRITE_ONCE(k->announced, false);
	atomic64_set(&k->from, 0);
}

/* Announce an id: write its cache. Return: was there room? */
static bool announce(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int slot, u16 id,
		     const struct kmem_cache *s)
{
	struct lt_cache_desc d;
	struct lt_rec_CACHE *rec;

	rec = lt_put(ch, c, LT_EV_CACHE, sizeof(*rec));
	if (!rec)
		return false;
	lt_cache_describe(s, &d);
	rec->cache = id;
	rec->ptr = (unsigned long)s;
	rec->object_size = d.object_size;
	rec->size = d.size;
	memcpy(rec->name, d.name, sizeof(rec->name));
	if (all_kept)
		keep(slot, id, c->now, s, &d);
	return true;
}

/* Write that an id is not used any more. Context: as lt_put(). Return: was there room? */
static bool say_gone(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int slot)
{
	struct lt_rec_CACHE_GONE *rec = lt_put(ch, c, LT_EV_CACHE_GONE, sizeof(*rec));

	if (rec)
		rec->cache = LT_CACHE_ID(slot, lt_cache_turns[slot]);
	return rec;
}

/* Give a slot, which holds LT_CACHE_GOING, to the next cache, or keep it until that is said. */
static void let_go(unsigned int slot, bool said)
{
	unsigned int turn = lt_cache_turns[slot] + 1;

	if (!said) {
		/* Release: pairs with the acquire in lt_cache_id_at(). The turn is as it was. */
		smp_store_release(&lt_cache_slots[slot], LT_CACHE_UNSAID);
		return;
	}
	if (turn == LT_CACHE_TURNS) {
		turn = 0;
		set_bit(slot, slot_wrapped);
	}
	/* The address is gone from the slot before the turn changes: see lt_cache_id_at(). */
	smp_wmb();
	WRITE_ONCE(lt_cache_turns[slot], turn);
	WRITE_ONCE(left_at[slot], (u32)jiffies);
	/* Release: who takes the slot sees its turn, and since when it rests. */
	smp_store_release(&lt_cache_slots[slot],
			  LT_CACHE_FREE | (unsigned long)turn << LT_CACHE_TURN_SHIFT);
}

static bool is_free(unsigned int slot, unsigned long found)
{
	if ((found & (BIT(LT_CACHE_TURN_SHIFT) - 1)) != LT_CACHE_FREE)
		return !found;
	/* Where jiffies have come round, it rests a second more. */
	return found >> LT_CACHE_TURN_SHIFT ||
	       (u32)jiffies - READ_ONCE(left_at[slot]) >= REST;
}

/* The slot of a cache, or LT_CACHE_SLOTS: it has none. Slots behind one never used have none. */
static unsigned int find_slot(const struct kmem_cache *s)
{
	unsigned int i, slot = hash_ptr(s, LT_CACHE_BITS);

	for (i = 0; i < PROBES; i++, slot = (slot + 1) % LT_CACHE_SLOTS) {
		unsigned long found = READ_ONCE(lt_cache_slots[slot]);

		if (!slot)
			continue;
		if (!found)
			break;
		if ((found & ~LT_CACHE_ANNOUNCING) == (unsigned long)s)
			return slot;
	}
	return LT_CACHE_SLOTS;
}

/*
 * A slot for a new cache, or LT_CACHE_SLOTS. Several CPUs may do this at once for one cache, and
 * get one slot, or, where another slot becomes free meanwhile, two: then the cache has two ids.
 */
static unsigned int claim_slot(struct lt_channel *ch, struct lt_channel_cpu *c,
			       const struct kmem_cache *s)
{
	unsigned long claim = (unsigned long)s | LT_CACHE_ANNOUNCING;
	unsigned int i, slot = hash_ptr(s, LT_CACHE_BITS);

	for (i = 0; i < PROBES; i++, slot = (slot + 1) % LT_CACHE_SLOTS) {
		unsigned long found = READ_ONCE(lt_cache_slots[slot]), had;

		if (!slot)
			continue;
		if (found == LT_CACHE_UNSAID &&
		    cmpxchg(&lt_cache_slots[slot], found, LT_CACHE_GOING) == found) {
			let_go(slot, say_gone(ch, c, slot));
			found = READ_ONCE(lt_cache_slots[slot]);
		}
		if (!is_free(slot, found))
			continue;
		had = cmpxchg(&lt_cache_slots[slot], found, claim);
		if (had == found || (had & ~LT_CACHE_ANNOUNCING) == (unsigned long)s)
			return slot;
	}
	return LT_CACHE_SLOTS;
}

/**
 * lt_cache_id_slow() - the id of a cache that is not in its first slot
 * @ch: channel
 * @c: state of this CPU, which has a buffer
 * @s: cache
 *
 * Several CPUs may meet a new cache at once. The slot is claimed by a
 * compare-and-exchange; more than one of them may then write the record, with equal
 * content. An event can stand in one CPU's stream a little before the record in
 * another's: readers look names up when they need them.
 *
 * Context: between lt_enter() and lt_leave(), before the event is reserved.
 * Return: id, LT_CACHE_UNKNOWN or LT_CACHE_LOST.
 */
u16 lt_cache_id_slow(struct lt_channel *ch, struct lt_channel_cpu *c,
		     const struct kmem_cache *s)
{
	unsigned long key = (unsigned long)s, claim = key | LT_CACHE_ANNOUNCING;
	unsigned int slot = find_slot(s);
	u16 id;

	if (slot == LT_CACHE_SLOTS)
		slot = claim_slot(ch, c, s);
	if (slot == LT_CACHE_SLOTS)
		goto none;
	id = lt_cache_id_at(slot, key);
	if (id)
		return id;
	id = lt_cache_id_at(slot, claim);
	if (!id)
		goto none;	/* it is destroyed at this moment */
	if (!announce(ch, c, slot, id, s))
		return LT_CACHE_LOST;
	/* Keeps what lt_cache_forget() has stored meanwhile. */
	cmpxchg(&lt_cache_slots[slot], claim, key);
	return id;

none:
	atomic64_inc(&overflow);
	return LT_CACHE_UNKNOWN;
}

/* Write that the cache in a slot is gone. Context: any. Return: was there room? */
static bool say_gone_here(struct lt_channel *ch, unsigned int slot)
{
	struct lt_channel_cpu *c;
	unsigned long flags;
	bool said = false;

	if (in_nmi())
		return false;
	local_irq_save(flags);
	c = this_cpu_ptr(ch->cpu);
	if (c->buf && !c->busy) {
		lt_claim(c);
		said = say_gone(ch, c, slot);
		lt_unclaim(c);
	}
	local_irq_restore(flags);
	return said;
}

/* Take a cache out of a slot that held @found. */
static bool take_out(unsigned int slot, const struct kmem_cache *s, unsigned long found)
{
	return (found & ~LT_CACHE_ANNOUNCING) == (unsigned long)s &&
	       cmpxchg(&lt_cache_slots[slot], found, LT_CACHE_GOING) == found;
}

/**
 * lt_cache_forget() - a cache is about to be destroyed
 * @ch: channel
 * @s: cache, or NULL
 *
 * Its address may come to mean another cache, which then gets its own id. If
 * the cache survives (it was merged and has other users), it is announced
 * again under another id. Where the record has no room, the slot stays taken until somebody looks
 * for one: no id is used again without it.
 *
 * Context: any.
 */
void lt_cache_forget(struct lt_channel *ch, const struct kmem_cache *s)
{
	unsigned int i, slot = hash_ptr(s, LT_CACHE_BITS);

	for (i = 0; s && i < PROBES; i++, slot = (slot + 1) % LT_CACHE_SLOTS) {
		unsigned long found = READ_ONCE(lt_cache_slots[slot]);

		if (!slot)
			continue;
		if (!found)
			break;
		/* Another CPU may have announced it meanwhile, or forgotten it. */
		if (!take_out(slot, s, found) &&
		    !take_out(slot, s, READ_ONCE(lt_cache_slots[slot])))
			continue;
		if (all_kept)
			keep_gone(slot);
		/* The id is not found any more from here on, so no new site gets it. */
		lt_sites_forget(ch);
		let_go(slot, say_gone_here(ch, slot));
	}
}

/**
 * lt_cache_reset() - forget all ids
 * @keeps: keep what is announced from now on, for lt_cache_show()
 *
 * Context: process, sleeps; no probe is attached.
 * Return: 0 or -ENOMEM.
 */
int lt_cache_reset(bool keeps)
{
	memset(lt_cache_slots, 0, sizeof(lt_cache_slots));
	memset(lt_cache_turns, 0, sizeof(lt_cache_turns));
	bitmap_zero(slot_wrapped, LT_CACHE_SLOTS);
	atomic64_set(&overflow, 0);
	atomic_set(&n_gone, 0);
	vfree(all_kept);
	all_kept = keeps ? vzalloc(array_size(LT_CACHE_SLOTS + KEPT_GONE, sizeof(*all_kept))) :
			   NULL;
	return keeps && !all_kept ? -ENOMEM : 0;
}

static void show(struct seq_file *m, const struct kept *k, bool gone)
{
	char name[sizeof(k->is.d.name) + 1];
	u64 from, until;
	struct meaning is;
	bool wrapped;
	u16 id;

	/* Acquire: pairs with the release in keep() and keep_gone(). */
	if (!smp_load_acquire(&k->announced))
		return;
	/* Another CPU that announces it may write it once more, as it is. */
	is = data_race(k->is);
	id = READ_ONCE(k->id);
	wrapped = READ_ONCE(k->wrapped);
	from = atomic64_read(&k->from);
	/* keep_gone() may write it: see below. */
	until = gone ? data_race(k->until) : 0;
	/* Pairs with the smp_wmb() in keep_gone(). */
	smp_rmb();
	/* It may have become that of another cache meanwhile: then it is left out. */
	if (!READ_ONCE(k->announced) || id != READ_ONCE(k->id))
		return;
	memcpy(name, is.d.name, sizeof(is.d.name));
	name[sizeof(is.d.name)] = 0;
	if (wrapped)
		seq_printf(m, "cache_time %u from %llu until %llu\n", id, from, until);
	seq_printf(m, "cache %u ptr 0x%lx object_size %u size %u gone %d name ", id, is.ptr,
		   is.d.object_size, is.d.size, gone);
	seq_escape(m, name, "\n\\");
	seq_putc(m, '\n');
}

/**
 * lt_cache_show() - the lines of the file "caches"
 * @m: where to
 *
 * The names are the kernel's; one with a newline or another byte that would break the line has
 * it as an octal escape. Of an id that meant several caches the earlier ones come first.
 *
 * Context: process; under the session's lock. Probes may be attached.
 */
void lt_cache_show(struct seq_file *m)
{
	unsigned int i, n = atomic_read(&n_gone);

	for (i = n > KEPT_GONE ? n - KEPT_GONE : 0; all_kept && i != n; i++)
		show(m, &all_kept[LT_CACHE_SLOTS + i % KEPT_GONE], true);
	for (i = 1; all_kept && i < LT_CACHE_SLOTS; i++)
		show(m, &all_kept[i], false);
}

/* Context: process, sleeps; unloading. */
void lt_cache_exit(void)
{
	vfree(all_kept);
}

/* Events without a cache id because no id was free. */
u64 lt_cache_overflow(void)
{
	return atomic64_read(&overflow);
}
