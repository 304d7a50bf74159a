/* SPDX-License-Identifier: GPL-2.0 */
/* What differs between kernels, for lt_truth. */
#ifndef LT_TRUTH_COMPAT_H
#define LT_TRUTH_COMPAT_H

#include <linux/hardirq.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/version.h>

#ifndef in_hardirq		/* before 5.11 */
#define in_hardirq()	in_irq()
#endif

/* The largest order that the page allocator knows. */
#ifdef MAX_PAGE_ORDER
#define TRUTH_MAX_ORDER	MAX_PAGE_ORDER
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define TRUTH_MAX_ORDER	MAX_ORDER
#else
#define TRUTH_MAX_ORDER	(MAX_ORDER - 1)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*fn)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}
#endif

#ifndef kfree_rcu_mightsleep	/* before 6.2 the argument without a head says it */
#define kfree_rcu_mightsleep(p)	kvfree_rcu(p)
#endif

#endif /* LT_TRUTH_COMPAT_H */
