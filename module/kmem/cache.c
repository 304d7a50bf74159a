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

unsigned long lt_cache_slots[LT_CACHE_SLOTS];

static atomic64_t overflow;

#define TOMBSTONE	2UL
#define ANNOUNCING	1UL

/*
 * Slots that are searched for a cache, with interrupts off. Caches that come and go use
 * up slots; a cache for which none is left nearby has no id.
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
 * @announced: @is is filled in
 * @gone: the cache was about to be destroyed
 * @is: what it means
 */
struct kept {
	bool announced;
	bool gone;
	struct meaning is;
};

/*
 * What was announced, where the records that did may be overwritten; else NULL. It changes while
 * no probe is attached. By id.
 */
static struct kept *all_kept;

/* Several CPUs may announce an id at once, with equal contents. */
static void keep(unsigned int id, const struct kmem_cache *s, const struct lt_cache_desc *d)
{
	const struct meaning is = { (unsigned long)s, *d };
	struct kept *k = &all_kept[id];

	if (READ_ONCE(k->announced))
		return;
	/* Another CPU may write it, too, byte for byte; a reader sees one or the other. */
	data_race(k->is = is);
	/* Pairs with the acquire in lt_cache_show(). */
	smp_store_release(&k->announced, true);
}

/* Announce an id: write its cache. Return: was there room? */
static bool announce(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int id,
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
		keep(id, s, &d);
	return true;
}

/**
 * lt_cache_id_slow() - the id of a cache that is not in its first slot
 * @ch: channel
 * @c: state of this CPU
 * @s: cache, or NULL
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
	unsigned long key = (unsigned long)s, claim = key | ANNOUNCING;
	unsigned int slot = hash_ptr(s, LT_CACHE_BITS);
	unsigned int i;

	for (i = 0; i < PROBES; i++, slot = (slot + 1) % LT_CACHE_SLOTS) {
		unsigned long found;

		if (!slot)
			continue;
		found = READ_ONCE(lt_cache_slots[slot]);
		if (!found) {
			found = cmpxchg(&lt_cache_slots[slot], 0, claim);
			if (!found)
				found = claim;
		}
		if (found == key)
			return slot;
		if (found != claim)
			continue;
		if (!announce(ch, c, slot, s))
			return LT_CACHE_LOST;
		/* Keeps a tombstone that lt_cache_forget() has stored meanwhile. */
		cmpxchg(&lt_cache_slots[slot], claim, key);
		return slot;
	}
	atomic64_inc(&overflow);
	return LT_CACHE_UNKNOWN;
}

/**
 * lt_cache_forget() - a cache is about to be destroyed
 * @ch: channel
 * @s: cache, or NULL
 *
 * Its address may come to mean another cache, which then gets its own id. If
 * the cache survives (it was merged and has other users), it is announced
 * again under another id.
 *
 * Context: any.
 */
void lt_cache_forget(struct lt_channel *ch, const struct kmem_cache *s)
{
	unsigned long key = (unsigned long)s;
	unsigned int slot = hash_ptr(s, LT_CACHE_BITS);
	struct lt_rec_CACHE_GONE *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;
	unsigned int i;

	for (i = 0; s && i < PROBES; i++, slot = (slot + 1) % LT_CACHE_SLOTS) {
		unsigned long found = READ_ONCE(lt_cache_slots[slot]);

		if (!slot)
			continue;
		if (!found)
			return;
		if ((found & ~ANNOUNCING) == key)
			break;
	}
	if (!s || i == PROBES)
		return;
	WRITE_ONCE(lt_cache_slots[slot], TOMBSTONE);
	if (all_kept)
		WRITE_ONCE(all_kept[slot].gone, true);
	/* The id is not found any more from here on, so no new site gets it. */
	lt_sites_forget(ch);

	if (in_nmi())
		return;
	local_irq_save(flags);
	c = this_cpu_ptr(ch->cpu);
	if (c->buf && !c->busy) {
		lt_claim(c);
		rec = lt_put(ch, c, LT_EV_CACHE_GONE, sizeof(*rec));
		if (rec)
			rec->cache = slot;
		lt_unclaim(c);
	}
	local_irq_restore(flags);
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
	atomic64_set(&overflow, 0);
	vfree(all_kept);
	all_kept = keeps ? vzalloc(array_size(LT_CACHE_SLOTS, sizeof(*all_kept))) : NULL;
	return keeps && !all_kept ? -ENOMEM : 0;
}

/**
 * lt_cache_show() - the lines of the file "caches"
 * @m: where to
 *
 * The names are the kernel's; one with a newline or another byte that would break the line has
 * it as an octal escape.
 *
 * Context: process; under the session's lock. Probes may be attached.
 */
void lt_cache_show(struct seq_file *m)
{
	unsigned int id;

	for (id = 1; all_kept && id < LT_CACHE_SLOTS; id++) {
		const struct kept *k = &all_kept[id];
		char name[sizeof(k->is.d.name) + 1];
		struct meaning is;

		/* Acquire: pairs with the release in keep(). */
		if (!smp_load_acquire(&k->announced))
			continue;
		/* Another CPU that announces it may write it once more, as it is. */
		is = data_race(k->is);
		memcpy(name, is.d.name, sizeof(is.d.name));
		name[sizeof(is.d.name)] = 0;
		seq_printf(m, "cache %u ptr 0x%lx object_size %u size %u gone %d name ", id, is.ptr,
			   is.d.object_size, is.d.size, READ_ONCE(k->gone));
		seq_escape(m, name, "\n\\");
		seq_putc(m, '\n');
	}
}

/* Context: process, sleeps; unloading. */
void lt_cache_exit(void)
{
	vfree(all_kept);
}

/* Events without a cache id because there were more caches than ids. */
u64 lt_cache_overflow(void)
{
	return atomic64_read(&overflow);
}
