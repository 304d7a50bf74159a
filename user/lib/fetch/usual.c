// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What is usual in the kernel, where types alone do not say it.
 */
#include <string.h>

#include "fetch/build.h"

static bool is_one_of(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(name, list[i]))
			return true;
	}
	return false;
}

#define IS_ONE_OF(name, list)	is_one_of((name), (list), sizeof(list) / sizeof((list)[0]))

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static bool ends(const char *name, const char *with)
{
	size_t n = strlen(name), m = strlen(with);

	return n >= m && !strcmp(name + n - m, with);
}

/*
 * Compilers other than clang leave __user out of the types. What comes from a system call has names
 * that are few.
 */
bool lt_usual_text(const char *function, const char *name)
{
	static const char *const buffers[] = {
		"buf", "buff", "buffer", "ubuf", "ubuffer", "user_buf", "user_buffer", "userbuf",
		"uaddr", "optval", "ptr", "data", "page",
	};
	const char *sys = strstr(function, "sys_");

	if (sys && (sys == function || begins(function, "__x64_") || begins(function, "__ia32_") ||
		    begins(function, "__arm64_") || begins(function, "__s390") ||
		    begins(function, "__se_") || begins(function, "__do_") ||
		    begins(function, "do_") || begins(function, "ksys_")))
		return false;
	if (begins(function, "getname") || begins(function, "user_path") ||
	    begins(function, "strncpy_from_user"))
		return false;
	return !IS_ONE_OF(name, buffers);
}

bool lt_usual_hex(const char *name, const char *type)
{
	static const char *const types[] = {
		"gfp_t", "slab_flags_t", "fmode_t", "vm_flags_t", "vm_fault_t", "phys_addr_t",
		"dma_addr_t", "resource_size_t", "sector_flags_t", "pgprotval_t", "pteval_t",
		"blk_opf_t", "fop_flags_t", "netdev_features_t", "poll_t", "__poll_t",
	};

	return IS_ONE_OF(type, types) || ends(name, "flags") || ends(name, "addr") ||
	       ends(name, "address") || ends(name, "mask") ||
	       ends(name, "vm_start") || ends(name, "vm_end");
}

bool lt_usual_no_return(const char *function)
{
	static const char *const names[] = {
		"do_exit", "do_group_exit", "do_task_dead", "make_task_dead", "panic", "nmi_panic",
		"vpanic", "kthread_exit", "kthread_complete_and_exit", "module_put_and_kthread_exit",
		"__module_put_and_kthread_exit", "complete_and_exit", "__module_put_and_exit",
		"rewind_stack_do_exit", "rewind_stack_and_make_dead", "cpu_startup_entry",
		"machine_real_restart", "stop_this_cpu", "ex_handler_msr_mce", "usercopy_abort",
		"fortify_panic", "__fortify_panic", "__stack_chk_fail", "lbug_with_loc",
		"x86_64_start_kernel", "start_kernel", "rest_init", "arch_call_rest_init",
		"__x64_sys_exit", "__x64_sys_exit_group", "__do_sys_exit", "__do_sys_exit_group",
		"__ia32_sys_exit", "__ia32_sys_exit_group", "__arm64_sys_exit",
		"__arm64_sys_exit_group", "vhost_task_fn", "hlt_play_dead", "play_dead",
	};

	return IS_ONE_OF(function, names);
}
