// SPDX-License-Identifier: GPL-2.0
/*
 * Forgets 400 objects of lt_gone_make(), and 30 of lt_gone_first(), a function of its
 * initialisation alone. Nobody ever frees them: the module goes, they stay.
 */
#include <linux/module.h>
#include <linux/slab.h>

static noinline bool lt_gone_make(void)
{
	/* Hidden below, so that the call is not the last one, and its return address is here. */
	void *object = kmalloc(200, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(object);
	return object;
}

static noinline bool __init lt_gone_first(void)
{
	void *object = kmalloc(300, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(object);
	return object;
}

static int __init lt_gone_init(void)
{
	unsigned int i, made = 0;

	for (i = 0; i < 400; i++)
		made += lt_gone_make();
	for (i = 0; i < 30; i++)
		made += lt_gone_first();
	return made == 430 ? 0 : -ENOMEM;
}

static void __exit lt_gone_exit(void)
{
}

module_init(lt_gone_init);
module_exit(lt_gone_exit);
MODULE_DESCRIPTION("lifetrace test: is unloaded, and what it made stays");
MODULE_LICENSE("GPL");
