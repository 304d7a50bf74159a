// SPDX-License-Identifier: GPL-2.0
/*
 * Names of endings, contexts and kinds of objects, as they are printed.
 */
#include "lifetimes/lifetime.h"

const char *lt_ending_name(enum lt_ending e)
{
	static const char *const names[] = {
		[LT_END_ALIVE] = "alive", [LT_END_KFREE] = "kfree",
		[LT_END_CACHE_FREE] = "kmem_cache_free", [LT_END_BULK] = "bulk_free",
		[LT_END_RCU] = "rcu_free", [LT_END_PAGE] = "page_free",
		[LT_END_VFREE] = "vfree", [LT_END_PERCPU] = "percpu_free",
		[LT_END_DMA] = "dma_free", [LT_END_REBORN] = "reborn",
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
