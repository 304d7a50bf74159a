// SPDX-License-Identifier: GPL-2.0
/*
 * Suspend and hibernation. After them the CPU's counter may begin anew, also where it is
 * synchronous on all CPUs and never stops. Events would then have the time of the last
 * event before, until the counter has caught up. So a session that uses it goes on by another
 * clock, or is stopped.
 */
#include <linux/notifier.h>
#include <linux/suspend.h>

#include "session/params.h"
#include "session/session.h"

/* Context: process, before tasks are frozen. */
static int on_suspend(struct notifier_block *self, unsigned long what, void *unused)
{
	if (what != PM_SUSPEND_PREPARE && what != PM_HIBERNATION_PREPARE)
		return NOTIFY_DONE;
	if (lt_session_leave_counter("suspend"))
		lt_refused("suspend: the session with the CPU's counter has been stopped");
	return NOTIFY_OK;
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
