// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The events of other tools that are taken in: the kernel's tracepoints, and what they become.
 */
#include <string.h>

#include "import/internal.h"

static const struct {
	const char *system;
	const char *name;
	unsigned int class;
} kinds[LT_N_IMPORT] = {
	[LT_IMPORT_NONE] = { NULL, NULL, LT_CLASS_NONE },
	[LT_IMPORT_KMALLOC] = { "kmem", "kmalloc", LT_CLASS_KMALLOC },
	[LT_IMPORT_KMALLOC_NODE] = { "kmem", "kmalloc_node", LT_CLASS_KMALLOC },
	[LT_IMPORT_CACHE_ALLOC] = { "kmem", "kmem_cache_alloc", LT_CLASS_CACHE_ALLOC },
	[LT_IMPORT_CACHE_ALLOC_NODE] = { "kmem", "kmem_cache_alloc_node", LT_CLASS_CACHE_ALLOC },
	[LT_IMPORT_KFREE] = { "kmem", "kfree", LT_CLASS_KFREE },
	[LT_IMPORT_CACHE_FREE] = { "kmem", "kmem_cache_free", LT_CLASS_CACHE_FREE },
	[LT_IMPORT_PAGE_ALLOC] = { "kmem", "mm_page_alloc", LT_CLASS_PAGE_ALLOC },
	[LT_IMPORT_PAGE_FREE] = { "kmem", "mm_page_free", LT_CLASS_PAGE_FREE },
	[LT_IMPORT_PAGE_BATCHED] = { "kmem", "mm_page_free_batched", LT_CLASS_PAGE_BATCHED },
	[LT_IMPORT_NEWTASK] = { "task", "task_newtask", LT_CLASS_BIRTH },
	[LT_IMPORT_FORK] = { "sched", "sched_process_fork", LT_CLASS_BIRTH },
	[LT_IMPORT_EXEC] = { "sched", "sched_process_exec", LT_CLASS_EXEC },
	[LT_IMPORT_EXIT] = { "sched", "sched_process_exit", LT_CLASS_EXIT },
	[LT_IMPORT_RENAME] = { "task", "task_rename", LT_CLASS_RENAME },
	[LT_IMPORT_SYS_ENTER] = { "raw_syscalls", "sys_enter", LT_CLASS_SYS_OPEN },
	[LT_IMPORT_SYS_EXIT] = { "raw_syscalls", "sys_exit", LT_CLASS_SYS },
};

const char *lt_import_system(enum lt_import_kind kind)
{
	return kinds[kind].system;
}

const char *lt_import_name(enum lt_import_kind kind)
{
	return kinds[kind].name;
}

unsigned int lt_import_class(enum lt_import_kind kind)
{
	return kinds[kind].class;
}

enum lt_import_kind lt_import_kind_of(const char *system, const char *name, size_t len)
{
	for (enum lt_import_kind k = LT_IMPORT_KMALLOC; k < LT_N_IMPORT; k++) {
		if (strlen(kinds[k].name) == len && !memcmp(kinds[k].name, name, len) &&
		    (!system || !strcmp(kinds[k].system, system)))
			return k;
	}
	return LT_IMPORT_NONE;
}
