// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters, load and unload.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "kmem/cache.h"
#include "session/control.h"
#include "pid/pidgen.h"
#include "session/session.h"

static bool enable;
module_param(enable, bool, 0444);
MODULE_PARM_DESC(enable, "start recording at load (0)");
module_param_string(events, lt_param_events, sizeof(lt_param_events), 0644);
MODULE_PARM_DESC(events, "what to watch: slab, pages, tasks, all, or names of events, comma-separated (slab,tasks)");
module_param_string(clock, lt_param_clock, sizeof(lt_param_clock), 0644);
MODULE_PARM_DESC(clock, "mono, raw, boot, or counter: the CPU's own (mono)");
module_param_named(subbuf_size, lt_param_subbuf_size, uint, 0644);
MODULE_PARM_DESC(subbuf_size, "bytes of a packet at the most (262144)");
module_param_named(n_subbufs, lt_param_n_subbufs, uint, 0644);
MODULE_PARM_DESC(n_subbufs, "packets that a CPU's buffer holds (32)");
module_param_named(pid_subbuf_size, lt_param_pid_subbuf_size, uint, 0644);
MODULE_PARM_DESC(pid_subbuf_size, "the same for the channel of tasks (65536)");
module_param_named(pid_n_subbufs, lt_param_pid_n_subbufs, uint, 0644);
MODULE_PARM_DESC(pid_n_subbufs, "the same for the channel of tasks (16)");
module_param_named(min_size, lt_param_min_size, uint, 0644);
MODULE_PARM_DESC(min_size, "leave out allocations of fewer bytes (0)");
module_param_named(sample, lt_param_sample, uint, 0644);
MODULE_PARM_DESC(sample, "keep one address in so many (1: all)");
module_param_named(flush_ms, lt_param_flush_ms, uint, 0644);
MODULE_PARM_DESC(flush_ms, "close a quiet CPU's packet after so many ms (200)");

static int __init lifetrace_init(void)
{
	int err;

	err = lt_cache_prove();
	if (err)
		return err;
	err = lt_session_init();
	if (err)
		return err;
	err = lt_session_selftest();
	if (err)
		goto session;
	err = lt_suspend_init();
	if (err)
		goto session;
	/*
	 * From here on there are files that can be opened: the module must not
	 * fail to load any more, since that frees it whoever holds them.
	 */
	err = lt_control_init();
	if (err)
		goto suspend;
	lt_pidgen_proc_init();
	if (LT_NEWER_THAN_TESTED)
		pr_notice("lifetrace: this kernel is newer than " LT_NEWEST_TESTED
			  ", the newest that lifetrace was tested on\n");
	if (!lt_cache_proven())
		pr_notice("lifetrace: names of slab caches cannot be read on this kernel\n");
	if (enable) {
		err = lt_session_start();
		if (err)
			pr_err("lifetrace: enable=1: not recording: error %d\n", err);
	}
	return 0;

suspend:
	lt_suspend_exit();
session:
	lt_session_exit();
	return err;
}

/*
 * An open file keeps the module loaded, and none can be opened any more once it
 * is being unloaded. A session that was started at load may still run.
 */
static void __exit lifetrace_exit(void)
{
	lt_pidgen_proc_exit();
	lt_suspend_exit();
	lt_session_exit();
	lt_control_exit();
}

module_init(lifetrace_init);
module_exit(lifetrace_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The lifetrace authors");
MODULE_DESCRIPTION("Records lifetimes of kernel allocations and tasks");
MODULE_VERSION(LT_VERSION);
