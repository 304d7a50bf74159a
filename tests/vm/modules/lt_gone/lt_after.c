// SPDX-License-Identifier: GPL-2.0
/*
 * Is loaded after lt_gone was unloaded, so that its code gets the same addresses. Forgets 50
 * objects of lt_after_make(), whose call of the allocator is not where that of lt_gone_make() is.
 */
#include <linux/module.h>
#include <linux/slab.h>

static noinline unsigned int lt_after_pad(unsigned int n)
{
	return n * 2654435761U >> 7;
}

static noinline bool lt_after_make(void)
{
	void *object = kmalloc(400, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(object);
	return object;
}

static int __init lt_after_init(void)
{
	unsigned int i, made = lt_after_pad(0);

	for (i = 0; i < 50; i++)
		made += lt_after_make();
	return made == 50 ? 0 : -ENOMEM;
}

static void __exit lt_after_exit(void)
{
}

module_init(lt_after_init);
module_exit(lt_after_exit);
MODULE_DESCRIPTION("lifetrace test: gets the addresses of a module that was unloaded");
MODULE_LICENSE("GPL");
