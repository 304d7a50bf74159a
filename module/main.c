// SPDX-License-Identifier: GPL-2.0
/*
 * Load and unload.
 */
#include <linux/module.h>

#include "core/compat.h"
#include "session/channels.h"
#include "session/control.h"
#include "session/params.h"
#include "session/session.h"

static int __init lifetrace_init(void)
{
	int err;

	err = lt_channels_init();
	if (err)
		return err;
	err = lt_session_selftest();
	if (err)
		goto channels;
	err = lt_suspend_init();
	if (err)
		goto channels;
	/*
	 * From here on there are files that can be opened: the module must not fail to
	 * load any more, since that would free it under an open file.
	 */
	err = lt_control_init();
	/* One of the two is enough. If there is no debugfs, no file is there yet. */
	if (lt_device_init() && err)
		goto suspend;
	lt_channels_add_files();
	if (LT_NEWER_THAN_TESTED)
		pr_notice("lifetrace: this kernel is newer than " LT_NEWEST_TESTED
			  ", the newest that lifetrace was tested on\n");
	if (lt_param_enable) {
		err = lt_session_start();
		if (err)
			pr_err("lifetrace: enable=1: not recording: error %d\n", err);
	}
	return 0;

suspend:
	lt_suspend_exit();
channels:
	lt_channels_exit();
	return err;
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
	lt_channels_exit();
	lt_control_exit();
}

module_init(lifetrace_init);
module_exit(lifetrace_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The lifetrace authors");
MODULE_DESCRIPTION("Records lifetimes of kernel allocations and tasks");
MODULE_VERSION(LT_VERSION);
