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
		[LT_END_REBORN] = "reborn",
	};

	return e < LT_N_ENDINGS ? names[e] : "?";
}

const char *lt_context_name(unsigned int context)
{
	static const char *const names[] = { "task", "softirq", "hardirq", "nmi" };

	return context < 4 ? names[context] : "?";
}
