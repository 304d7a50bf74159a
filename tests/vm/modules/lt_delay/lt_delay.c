// SPDX-License-Identifier: GPL-2.0
/*
 * Delays at places in lifetrace where a race would be possible, so that a race that
 * takes hours to happen by itself happens at once. To be loaded after lifetrace.
 *
 * Two flushers of a CPU that is offline: both have seen that its packet is to be closed
 * when they come to relay_switch_subbuf(). The first waits there for the second, and both
 * wait once more in subbuf_start(), in the middle of the switch.
 *
 * The snapshot's worker, as it asks for the path of a program with the name of the
 * parameter "program", waits until "go" is set. So the task that runs the program can be
 * killed meanwhile.
 *
 * Results are parameters, too: "met" is how often two flushers were in one switch,
 * "waiting" whether the worker waits, "last_by_worker" how often the worker was the last
 * user of a process's memory, which then waits for the AIO of that process.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/dcache.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/path.h>
#include <linux/relay.h>
#include <linux/sched.h>
#include <linux/string.h>

#define FLUSHER_MS	60	/* that the first flusher waits for a second */
#define SWITCH_MS	5	/* that a switch takes longer */
#define WORKER_MS	5000	/* that the worker waits for "go" */

static char *program = "";
module_param(program, charp, 0444);
MODULE_PARM_DESC(program, "name of the program at whose path the snapshot waits");

static bool go;
module_param(go, bool, 0644);

static int met, waiting, last_by_worker;
module_param(met, int, 0444);
module_param(waiting, int, 0444);
module_param(last_by_worker, int, 0444);

/* The buffer for which a flusher waits, and that for which a second one has come. */
static struct rchan_buf *first, *second;
static struct task_struct *worker;

/* void relay_switch_subbuf(buf, length) */
static int at_switch(struct kprobe *p, struct pt_regs *regs)
{
	struct rchan_buf *buf = (void *)regs_get_kernel_argument(regs, 0);
	unsigned int ms;

	if (cpu_online(buf->cpu))
		return 0;
	if (cmpxchg(&first, NULL, buf)) {
		if (READ_ONCE(first) == buf)
			WRITE_ONCE(second, buf);
		return 0;
	}
	for (ms = 0; ms < FLUSHER_MS && READ_ONCE(second) != buf; ms++)
		mdelay(1);
	met += READ_ONCE(second) == buf;
	WRITE_ONCE(second, NULL);
	WRITE_ONCE(first, NULL);
	return 0;
}

/* int subbuf_start(buf, subbuf, prev, ...): the switch has begun, and has not ended. */
static int in_switch(struct kprobe *p, struct pt_regs *regs)
{
	struct rchan_buf *buf = (void *)regs_get_kernel_argument(regs, 0);
	void *prev = (void *)regs_get_kernel_argument(regs, 2);

	if (prev && !cpu_online(buf->cpu))
		mdelay(SWITCH_MS);
	return 0;
}

/* char *d_path(path, buffer, size) */
static int at_path(struct kprobe *p, struct pt_regs *regs)
{
	const struct path *path = (void *)regs_get_kernel_argument(regs, 0);
	unsigned int ms;

	if (!(current->flags & PF_WQ_WORKER) ||
	    strcmp((const char *)path->dentry->d_name.name, program))
		return 0;
	worker = current;
	waiting = 1;
	for (ms = 0; ms < WORKER_MS && !READ_ONCE(go); ms++)
		mdelay(1);
	waiting = 0;
	return 0;
}

/* void exit_aio(mm): called by the last user of a process's memory */
static int at_last(struct kprobe *p, struct pt_regs *regs)
{
	if (current == worker)
		last_by_worker++;
	return 0;
}

static struct kprobe at_switch_probe = {
	.symbol_name = "relay_switch_subbuf", .pre_handler = at_switch,
};

static struct kprobe in_switch_probe = {
	.symbol_name = "lifetrace:subbuf_start", .pre_handler = in_switch,
};

static struct kprobe at_path_probe = { .symbol_name = "d_path", .pre_handler = at_path };
static struct kprobe at_last_probe = { .symbol_name = "exit_aio", .pre_handler = at_last };

static struct kprobe *probes[] = {
	&at_switch_probe, &in_switch_probe, &at_path_probe, &at_last_probe,
};

static int __init delay_init(void)
{
	return register_kprobes(probes, ARRAY_SIZE(probes));
}

static void __exit delay_exit(void)
{
	unregister_kprobes(probes, ARRAY_SIZE(probes));
}

module_init(delay_init);
module_exit(delay_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The lifetrace authors");
MODULE_DESCRIPTION("Test: makes races certain");
