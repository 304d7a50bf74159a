// SPDX-License-Identifier: GPL-2.0
/*
 * The file "trigger": says which triggers there were, wakes who polls it, and makes one.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "core/trigger.h"
#include "session/control.h"
#include "session/session.h"

/* A line of a trigger has 3 numbers, two words and the text; the first two lines are shorter. */
#define LINE_MAX	160
#define TEXT_MAX	((LT_TRIGGERS_KEPT + 2) * LINE_MAX)

/**
 * struct trigger_reader - the open file
 * @lock: protects the fields below
 * @seen: lt_triggers_woken() when it was opened, or last read from its beginning
 * @len: bytes of @text
 * @text: what was read then
 */
struct trigger_reader {
	struct mutex lock;	/* seen, len, text */
	unsigned long seen;
	size_t len;
	char text[TEXT_MAX];
};

static int trigger_open(struct inode *inode, struct file *file)
{
	int err = security_locked_down(LOCKDOWN_TRACEFS);
	struct trigger_reader *r;

	if (err)
		return err;
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	mutex_init(&r->lock);
	r->seen = lt_triggers_woken();
	file->private_data = r;
	return 0;
}

static int trigger_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);	/* NULL if it could not be opened */
	return 0;
}

static int make_text(struct trigger_reader *r)
{
	struct lt_triggers *t = kmalloc(sizeof(*t), GFP_KERNEL);
	unsigned int i;

	if (!t)
		return -ENOMEM;
	lt_triggers_view(t);
	r->seen = t->woken;
	r->len = scnprintf(r->text, TEXT_MAX, "count %llu\nwoken %lu\n", t->count, t->woken);
	for (i = 0; i < t->n; i++) {
		const struct lt_trigger *k = &t->latest[i];

		r->len += scnprintf(r->text + r->len, TEXT_MAX - r->len, "%llu %llu %s %llu %s\n",
				    k->number, k->time, lt_trigger_name(k->what), k->value,
				    k->text);
	}
	kfree(t);
	return 0;
}

static ssize_t trigger_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	struct trigger_reader *r = file->private_data;
	ssize_t n;

	mutex_lock(&r->lock);
	n = *pos ? 0 : make_text(r);
	if (!n)
		n = simple_read_from_buffer(to, count, pos, r->text, r->len);
	mutex_unlock(&r->lock);
	return n;
}

/* One write is one trigger, without its newline; a longer text is refused, not cut. */
static ssize_t trigger_write(struct file *file, const char __user *from, size_t count,
			     loff_t *pos)
{
	char text[LT_TRIGGER_TEXT + 1];
	size_t len = count;
	int err;

	if (count > LT_TRIGGER_TEXT)
		return -E2BIG;
	if (copy_from_user(text, from, count))
		return -EFAULT;
	if (len && text[len - 1] == '\n')
		len--;
	if (len >= LT_TRIGGER_TEXT)
		return -E2BIG;
	text[len] = 0;
	err = lt_session_trigger(text);
	return err ? err : count;
}

static __poll_t trigger_poll(struct file *file, poll_table *wait)
{
	struct trigger_reader *r = file->private_data;

	poll_wait(file, &lt_trigger_wait, wait);
	/* The queue's lock orders it: a trigger is counted before it wakes. */
	return lt_triggers_woken() != READ_ONCE(r->seen) ? EPOLLIN | EPOLLRDNORM : 0;
}

const struct file_operations lt_trigger_fops = {
	.owner = THIS_MODULE,
	.open = trigger_open,
	.read = trigger_read,
	.write = trigger_write,
	.poll = trigger_poll,
	.release = trigger_release,
	.llseek = default_llseek,
};
