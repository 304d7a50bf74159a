// SPDX-License-Identifier: GPL-2.0
/*
 * Suspend and hibernation. After them the CPU's counter may begin anew, also where it is
 * synchronous on all CPUs and never stops. Events would then have the time of the last
 * event before, until the counter has caught up. So a session that uses it goes on by another
 * clock, or is stopped; and none that starts meanwhile gets it. A module that is loaded
 * meanwhile does not know.
 */
#include <linux/notifier.h>
#include <linux/suspend.h>

#include "session/params.h"
#include "session/session.h"

/* Context: process, before tasks are frozen, and after they have been thawed. */
static int on_suspend(struct notifier_block *self, unsigned long what, void *unused)
{
	bool hibernates = what == PM_HIBERNATION_PREPARE || what == PM_POST_HIBERNATION;
	enum lt_suspend kind = hibernates ? LT_HIBERNATION : LT_SUSPEND;

	switch (what) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
		if (lt_session_suspend(kind))
			lt_refused("suspend: the session with the CPU's counter has been stopped");
		return NOTIFY_OK;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
		lt_session_resume(kind);
		return NOTIFY_OK;
	default:
		return NOTIFY_DONE;
	}
}

static struct notifier_block suspend_notifier = { .notifier_call = on_suspend };

int lt_suspend_init(void)
{
	return register_pm_notifier(&suspend_notifier);
}

void lt_suspend_exit(void)
{
	unregister_pm_notifier(&suspend_notifier);
}
