// SPDX-License-Identifier: GPL-2.0
/*
 * The ids that records of a session have for pid namespaces.
 *
 * They are given in rising order, and then again from the lowest free one on. A user has a share
 * of them, see share.c. An id of a namespace that is gone rests, see pidns.c, until no CPU can be
 * about to write it, nor a snapshot, whose records may wait for room. So nothing that was read of
 * the namespace before it was gone is written when the id means another one, and the records of
 * their begin and end show readers which of the two is meant.
 */
#include <linux/idr.h>

#include "pid/internal.h"

/*
 * All under lt_pid_lock. The ids of a session, in turn with those of the one before, which are
 * freed outside of the lock.
 */
static struct idr id_sets[2] = { IDR_INIT(id_sets[0]), IDR_INIT(id_sets[1]) };
static u32 ids_freed;		/* how often an id has become free */
static u16 highest_id;		/* that was given in this session */
static u64 without_id;

static struct idr *ids_of(u32 session)
{
	return &id_sets[session % ARRAY_SIZE(id_sets)];
}

/* Give the id of a namespace back, if it has one. Context: lt_pid_lock held. */
void lt_pidns_drop_id(struct lt_pidns *n)
{
	if (!n->id)
		return;
	if (n->session == lt_pid_session) {
		idr_remove(ids_of(n->session), n->id);
		ids_freed++;
	}
	lt_share_give_back(n->share, LT_BUDGET_IDS, 1);
	n->id = 0;
}

/* 0: there is none for this user. */
static u16 take_id(struct lt_pidns *n)
{
	int id;

	n->ids_freed = ids_freed;
	if (!lt_share_take(n->share, LT_BUDGET_IDS, 1))
		return 0;
	id = idr_alloc_cyclic(ids_of(lt_pid_session), n, 1, LT_PIDNS_LAST_ID + 1,
			      GFP_NOWAIT | __GFP_NOWARN);
	if (id <= 0) {
		lt_share_give_back(n->share, LT_BUDGET_IDS, 1);
		return 0;
	}
	n->again = id <= highest_id;
	highest_id = max_t(u16, highest_id, id);
	return id;
}

/* The id of a namespace in this session, if there is one. Context: lt_pid_lock held, recording. */
void lt_pidns_first_id(struct lt_pidns *n)
{
	n->id = take_id(n);
	without_id += !n->id;
}

/**
 * lt_pidns_late_id() - look again for an id for a namespace that got none
 * @n: the namespace, of this session
 *
 * Context: lt_pid_lock held, recording.
 * Return: is there one now?
 */
bool lt_pidns_late_id(struct lt_pidns *n)
{
	if (n->ids_freed == ids_freed)
		return false;
	n->id = take_id(n);
	return n->id;
}

/* Prepare for the ids of the next session. Context: process; no session records. */
void lt_pidns_clear_ids(void)
{
	/* Those of the session before the last: nothing uses them. */
	idr_destroy(ids_of(lt_pid_session + 1));
	idr_init(ids_of(lt_pid_session + 1));
}

/* A session has begun. Context: lt_pid_lock held. */
void lt_pidns_begin_ids(void)
{
	without_id = 0;
	highest_id = 0;
}

/* Namespaces of this session that got no id when they were met first. Context: lt_pid_lock. */
u64 lt_pidns_without_id(void)
{
	return without_id;
}

/* Free all ids. Context: process; nothing watches numbers, and nothing will. */
void lt_pidns_exit(void)
{
	idr_destroy(&id_sets[0]);
	idr_destroy(&id_sets[1]);
}
