// SPDX-License-Identifier: GPL-2.0
/*
 * Load and unload; and the start of a kernel that lifetrace is built into.
 */
#include <linux/module.h>

#include "call/call.h"
#include "core/compat.h"
#include "core/trigger.h"
#include "session/channels.h"
#include "session/control.h"
#include "session/params.h"
#include "session/session.h"

/* Before it nothing can be recorded. It leaves nothing that user space could open. */
static int __init prepare(void)
{
	int err = lt_channels_init();

	if (err)
		return err;
	err = lt_session_selftest();
	if (err)
		lt_channels_exit();
	return err;
}

/*
 * Once there are files that can be opened, the module must not fail to load any more, since
 * that would free it under an open file.
 *
 * Return: 0 or an errno, then there are none.
 */
static int __init offer(void)
{
	int err = lt_suspend_init();

	if (err)
		return err;
	err = lt_control_init();
	/* One of the two is enough. If there is no debugfs, no file is there yet. */
	if (lt_device_init() && err) {
		lt_suspend_exit();
		return err;
	}
	lt_channels_add_files();
	lt_panic_init();
	if (LT_NEWER_THAN_TESTED)
		pr_notice("lifetrace: this kernel is newer than " LT_NEWEST_TESTED
			  ", the newest that lifetrace was tested on\n");
	return 0;
}

static void __init start_if_asked(void)
{
	int err = lt_param_enable ? lt_session_start() : 0;

	if (err)
		pr_err("lifetrace: enable=1: not recording: error %d\n", err);
}

#ifdef MODULE
static int __init lifetrace_init(void)
{
	int err = prepare();

	if (err)
		return err;
	err = offer();
	if (err) {
		lt_channels_exit();
		return err;
	}
	if (lt_param_enable)
		lt_call_boot_load();
	start_if_asked();
	lt_call_boot_end();
	return 0;
}

/*
 * An open file keeps the module loaded, and none can be opened any more once it
 * is being unloaded. A session that was started at load may still run. Its packet
 * files are removed before their directories.
 */
static void __exit lifetrace_exit(void)
{
	lt_channels_remove_files();
	lt_device_exit();
	lt_suspend_exit();
	lt_session_exit();
	lt_panic_exit();
	lt_channels_exit();
	lt_control_exit();
	lt_triggers_exit();
}

module_init(lifetrace_init);
module_exit(lifetrace_exit);
#else
static int prepared __initdata = -ENODEV;

/*
 * Built into the kernel. Before initcalls of this level there are no kernel threads, and no
 * kprobes; the other CPUs come up after it, and get their buffers by then. debugfs and
 * devices come later: the session runs without files until offer() adds them. There is no file
 * system either, from which functions could be taken.
 */
static int __init lifetrace_begin(void)
{
	prepared = prepare();
	if (!prepared)
		start_if_asked();
	return prepared;
}

static int __init lifetrace_offer(void)
{
	int err = prepared;

	if (err)
		return err;
	err = offer();
	if (err) {
		lt_session_exit();
		lt_channels_exit();
	}
	return err;
}

early_initcall(lifetrace_begin);
late_initcall(lifetrace_offer);
#endif

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The lifetrace authors");
MODULE_DESCRIPTION("Records lifetimes of kernel allocations and tasks");
MODULE_VERSION(LT_VERSION);
