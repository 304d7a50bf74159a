// SPDX-License-Identifier: GPL-2.0
/*
 * Shares: how much memory, and how many ids, the pid namespaces of one user may take.
 *
 * Any user may make namespaces and numbers, so what is noted of them is bounded. A bound
 * for all of them together would let one user take all of it from the others. So each
 * user's part is bounded by what is left: a user may take more as long as all that the user
 * has is less than what nobody has. N users who take what they can get have an equal part
 * each, and leave one part for the next.
 *
 * A user is who made the outermost user namespace around a pid namespace: the ids that are
 * handed out inside of it do not count, or one user would be many. A namespace that root made
 * is a user of its own, such as a container; a namespace that is made inside of another one
 * counts for that, independent of its maker.
 */
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "pid/internal.h"

#define NO_USER		ULONG_MAX	/* of a share of one namespace and those inside */

/* The initial namespace, which every user fills, may take this many times what is left. */
#define INIT_WEIGHT	4

/* All under lt_pid_lock. */
static struct lt_share init_share = { .weight = INIT_WEIGHT, .refs = 1 };
static DEFINE_XARRAY_FLAGS(shares, XA_FLAGS_LOCK_IRQ);	/* by user id */
static unsigned long taken[LT_N_BUDGETS];		/* over all shares */

/* Part of the machine's memory (1/N) that a budget has; 0: it is one of ids. Tests change it. */
unsigned long lt_budget_part[LT_N_BUDGETS] = {
	[LT_BUDGET_USED] = 256,
	[LT_BUDGET_HOLDERS] = 64,
};

/* Bytes, or ids, that all have together. */
static unsigned long all_of(enum lt_budget budget)
{
	if (!lt_budget_part[budget])
		return LT_PIDNS_LAST_ID;
	return (totalram_pages() / lt_budget_part[budget]) << PAGE_SHIFT;
}

/* Context: the namespace is alive. A user namespace keeps those around it. */
static kuid_t owner_of(const struct pid_namespace *ns)
{
	const struct user_namespace *u = ns->user_ns;

	if (!u || !u->parent)
		return GLOBAL_ROOT_UID;
	/* The kernel allows 32 of them inside of each other. */
	while (u->parent->parent)
		u = u->parent;
	return u->owner;
}

static struct lt_share *make(unsigned long user)
{
	struct lt_share *s = kzalloc(sizeof(*s), GFP_NOWAIT | __GFP_NOWARN);

	if (!s)
		return NULL;
	s->weight = 1;
	s->user = user;
	if (user != NO_USER && xa_err(xa_store(&shares, user, s, GFP_NOWAIT | __GFP_NOWARN))) {
		kfree(s);
		return NULL;
	}
	return s;
}

/**
 * lt_share_get() - the share that a namespace counts for
 * @ns: alive
 * @parent: the namespace around it; NULL: there is none, or no memory for it
 *
 * Context: lt_pid_lock held.
 * Return: for lt_share_put(); NULL: there was no memory.
 */
struct lt_share *lt_share_get(const struct pid_namespace *ns, const struct lt_pidns *parent)
{
	struct lt_share *s;

	if (ns == &init_pid_ns) {
		s = &init_share;
	} else if (parent && parent->level) {
		s = parent->share;
	} else {
		kuid_t owner = owner_of(ns);
		unsigned long user = uid_eq(owner, GLOBAL_ROOT_UID) ? NO_USER :
				     __kuid_val(owner);

		s = user == NO_USER ? NULL : xa_load(&shares, user);
		if (!s)
			s = make(user);
	}
	if (s)
		s->refs++;
	return s;
}

/* Undo lt_share_get(); all that was taken is given back. Context: lt_pid_lock held. */
void lt_share_put(struct lt_share *s)
{
	if (--s->refs)
		return;
	if (s->user != NO_USER)
		xa_erase(&shares, s->user);
	kfree(s);
}

/**
 * lt_share_take() - count memory, or ids, if there is any left for the share
 * @s: the share
 * @budget: what it is for
 * @bytes: how much; how many ids
 *
 * Context: lt_pid_lock held.
 * Return: false: nothing was counted, it must not be taken.
 */
bool lt_share_take(struct lt_share *s, enum lt_budget budget, size_t bytes)
{
	unsigned long all = all_of(budget);

	if (taken[budget] + bytes > all ||
	    s->taken[budget] / s->weight + bytes > all - taken[budget])
		return false;
	s->taken[budget] += bytes;
	taken[budget] += bytes;
	return true;
}

/* Undo lt_share_take(), when it is free again. Context: lt_pid_lock held. */
void lt_share_give_back(struct lt_share *s, enum lt_budget budget, size_t bytes)
{
	s->taken[budget] -= bytes;
	taken[budget] -= bytes;
}

/* What is taken, by all shares. Context: lt_pid_lock held. */
unsigned long lt_shares_taken(enum lt_budget budget)
{
	return taken[budget];
}
