// SPDX-License-Identifier: GPL-2.0
/*
 * Loaded on x86, it declares the CPU's counter unstable, as the kernel's watchdog of clocks does
 * where the counters of the CPUs differ. Nothing takes that back.
 */
#include <linux/module.h>
#include <asm/tsc.h>

static int __init lt_unstable_init(void)
{
	mark_tsc_unstable("lt_unstable");
	return 0;
}

static void __exit lt_unstable_exit(void)
{
}

module_init(lt_unstable_init);
module_exit(lt_unstable_exit);

MODULE_DESCRIPTION("Test: a kernel that declares the CPU's counter unstable");
MODULE_LICENSE("GPL");
MODULE_AUTHOR("The lifetrace authors");
