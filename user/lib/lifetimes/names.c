// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names of endings, contexts and kinds of objects, as they are printed; and of which space an event
 * is.
 */
#include "lifetimes/lifetime.h"

/* Not of page_free_batched: each has a page_free of its own. */
const uint8_t lt_event_spaces[LT_MAX_CLASSES] = {
	[LT_CLASS_KMALLOC] = LT_SPACE_SLAB,
	[LT_CLASS_CACHE_ALLOC] = LT_SPACE_SLAB,
	[LT_CLASS_BULK_ALLOC] = LT_SPACE_SLAB,
	[LT_CLASS_KFREE] = LT_SPACE_SLAB,
	[LT_CLASS_CACHE_FREE] = LT_SPACE_SLAB,
	[LT_CLASS_BULK_FREE] = LT_SPACE_SLAB,
	[LT_CLASS_RCU_FREE] = LT_SPACE_SLAB,
	[LT_CLASS_RESIZE] = LT_SPACE_SLAB,
	[LT_CLASS_PAGE_ALLOC] = LT_SPACE_PAGE,
	[LT_CLASS_PAGE_BULK] = LT_SPACE_PAGE,
	[LT_CLASS_PAGE_FREE] = LT_SPACE_PAGE,
	[LT_CLASS_PERCPU_ALLOC] = LT_SPACE_PERCPU,
	[LT_CLASS_PERCPU_FREE] = LT_SPACE_PERCPU,
	[LT_CLASS_VMALLOC] = LT_SPACE_VMALLOC,
	[LT_CLASS_VFREE] = LT_SPACE_VMALLOC,
	[LT_CLASS_VRESIZE] = LT_SPACE_VMALLOC,
	[LT_CLASS_DMA_ALLOC] = LT_SPACE_DMA,
	[LT_CLASS_DMA_FREE] = LT_SPACE_DMA,
};

const char *lt_ending_name(enum lt_ending e)
{
	static const char *const names[] = {
		[LT_END_ALIVE] = "alive", [LT_END_KFREE] = "kfree",
		[LT_END_CACHE_FREE] = "kmem_cache_free", [LT_END_BULK] = "bulk_free",
		[LT_END_RCU] = "rcu_free", [LT_END_PAGE] = "page_free",
		[LT_END_VFREE] = "vfree", [LT_END_PERCPU] = "percpu_free",
		[LT_END_DMA] = "dma_free", [LT_END_REBORN] = "reborn",
		[LT_END_LOST] = "lost",
	};

	return e < LT_N_ENDINGS ? names[e] : "?";
}

const struct lt_space_words *lt_space_words(enum lt_space space)
{
	static const struct lt_space_words words[LT_N_MEMORY] = {
		[LT_SPACE_SLAB] = { "slab", "slab objects", "objects" },
		[LT_SPACE_PAGE] = { "pages", "pages", "blocks" },
		[LT_SPACE_PERCPU] = { "percpu", "per-CPU memory", "areas" },
		[LT_SPACE_VMALLOC] = { "vmalloc", "vmalloc areas", "areas" },
		[LT_SPACE_DMA] = { "dma", "coherent memory", "buffers" },
	};

	return &words[space > LT_SPACE_NONE && space < LT_N_MEMORY ? space : LT_SPACE_SLAB];
}

const struct lt_space_events *lt_space_events(enum lt_space space)
{
	static const struct lt_space_events events[LT_N_MEMORY] = {
		[LT_SPACE_SLAB] = {
			.births = { "kmalloc", "kmalloc_node", "kmem_cache_alloc",
				    "kmem_cache_alloc_node", "bulk_alloc", "kmalloc_nolock" },
			.deaths = { "kfree", "kmem_cache_free", "bulk_free", "rcu_free",
				    "kfree_nolock" },
			.changes = { "resize" },
		},
		[LT_SPACE_PAGE] = {
			.births = { "page_alloc", "page_bulk", "page_contig",
				    "page_isolate" },
			.deaths = { "page_free" },
		},
		[LT_SPACE_PERCPU] = { .births = { "percpu_alloc" }, .deaths = { "percpu_free" } },
		[LT_SPACE_VMALLOC] = {
			.births = { "vmalloc" }, .deaths = { "vfree" }, .changes = { "vresize" },
		},
		[LT_SPACE_DMA] = { .births = { "dma_alloc" }, .deaths = { "dma_free" } },
	};

	return &events[space > LT_SPACE_NONE && space < LT_N_MEMORY ? space : LT_SPACE_SLAB];
}

static const char *const kinds[] = {
	[LT_KIND_PAGES] = "page", [LT_KIND_PAGES_SPLIT] = "page_split",
	[LT_KIND_KMALLOC] = "kmalloc", [LT_KIND_OF_CACHE] = "cache", [LT_KIND_BULK] = "bulk",
	[LT_KIND_UNKNOWN] = "unknown", [LT_KIND_PERCPU] = "percpu",
	[LT_KIND_VMALLOC] = "vmalloc", [LT_KIND_DMA] = "dma",
};

enum lt_lifetime_kind lt_lifetime_kind(const struct lt_lifetime *l)
{
	switch (l->space) {
	case LT_SPACE_PAGE:
		return l->split ? LT_KIND_PAGES_SPLIT : LT_KIND_PAGES;
	case LT_SPACE_PERCPU:
		return LT_KIND_PERCPU;
	case LT_SPACE_VMALLOC:
		return LT_KIND_VMALLOC;
	case LT_SPACE_DMA:
		return LT_KIND_DMA;
	default:
		break;
	}
	switch (l->kind) {
	case LT_CLASS_KMALLOC:
		return LT_KIND_KMALLOC;
	case LT_CLASS_CACHE_ALLOC:
		return LT_KIND_OF_CACHE;
	case LT_CLASS_BULK_ALLOC:
		return LT_KIND_BULK;
	default:
		return LT_KIND_UNKNOWN;
	}
}

const char *lt_kind_name(enum lt_lifetime_kind kind)
{
	return kind < LT_N_LIFETIME_KINDS ? kinds[kind] : "?";
}

/* Events of pages, of per-CPU memory and of coherent memory do not record it. */
bool lt_lifetime_has_node(const struct lt_lifetime *l)
{
	return l->birth.known && (l->space == LT_SPACE_SLAB || l->space == LT_SPACE_VMALLOC);
}

enum lt_space lt_space_chosen(enum lt_space space)
{
	return space == LT_SPACE_NONE ? LT_SPACE_SLAB : space;
}

bool lt_space_has_caches(enum lt_space space)
{
	return space <= LT_SPACE_SLAB || space == LT_SPACE_DMA;
}

static const struct {
	const char *name;
	const char *text;
} whys[LT_N_WHYS] = {
	[LT_WHY_NONE] = { "none", "" },
	[LT_WHY_LOST] = { "lost", "lost" },
	[LT_WHY_NOT_WATCHED] = { "not_watched", "not watched" },
	[LT_WHY_SAMPLED] = { "sampled", "sampled part" },
	[LT_WHY_LATE] = { "late", "free may be late" },
	[LT_WHY_ORDER] = { "undecided", "order undecided" },
	[LT_WHY_GUESS] = { "guess", "another end was guessed" },
	[LT_WHY_NO_BIRTH] = { "no_birth", "birth not seen" },
	[LT_WHY_NO_FREE] = { "no_free", "free not seen" },
	[LT_WHY_ALIVE] = { "alive", "alive at the end" },
};

const char *lt_cause_name(enum lt_cause why)
{
	return why < LT_N_WHYS ? whys[why].name : "?";
}

const char *lt_cause_text(enum lt_cause why)
{
	return why < LT_N_WHYS ? whys[why].text : "?";
}

const char *lt_context_name(unsigned int context)
{
	static const char *const names[] = { "task", "softirq", "hardirq", "nmi" };

	return context < 4 ? names[context] : "?";
}
