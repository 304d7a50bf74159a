// SPDX-License-Identifier: GPL-2.0
/*
 * A panic: the newest packets are copied into memory that outlives the kernel, behind the texts
 * that a trace file begins with, which the recorder has written there. The next kernel shows
 * them in the file "panic". See uapi/lifetrace_panic.h.
 *
 * The memory is what panic_mem= says: the name that reserve_mem= on the kernel's command line gave
 * it (6.12 and newer), or ADDRESS:SIZE of what memmap=SIZE$ADDRESS took away from the kernel. It
 * is written in two cases only: when a recorder writes the texts, and in a panic. What was found in
 * it at load is kept until it has been read to its end.
 */
#include <linux/crc32.h>
#include <linux/fs.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/libnvdimm.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "uapi/lifetrace_panic.h"
#include "core/compat.h"
#include "session/channels.h"
#include "session/control.h"
#include "session/internal.h"

static char *panic_mem;
module_param(panic_mem, charp, 0444);
MODULE_PARM_DESC(panic_mem, "where the newest packets go in a panic, with mode=flight: the name of reserve_mem=, or ADDRESS:SIZE of memmap= (nowhere)");

/* Bytes of the smallest memory: the texts of a usual kernel need one or two MiB. */
#define LEAST_SIZE	(4UL << 20)

static DEFINE_MUTEX(lock);	/* all below, but for what a panic reads */

/*
 * The memory, and its bytes; NULL: there is none. They do not change while the notifier is
 * registered.
 */
static struct lt_panic_header *memory;
static size_t memory_size;

static size_t left;		/* bytes that an earlier kernel has left; 0: nothing */
static bool was_read;		/* to their end */
static struct file *writer;	/* writes the texts */
static u64 writer_session;	/* for that session */
static size_t head;		/* bytes of texts, behind the header */

/* ------------------------------------------------------------------------
 * The panic
 */

/* Bytes of a text; 0: it does not fit. */
static size_t put_text(void *to, size_t room, void (*show)(struct seq_file *m))
{
	/* Printing into one uses these members only. */
	struct seq_file m = { .buf = to, .size = room };

	show(&m);
	return seq_has_overflowed(&m) ? 0 : m.count;
}

/*
 * The packets of all CPUs, from the newest on, until one does not fit: so of each CPU there are
 * those without a gap that are not older than a certain age.
 */
static size_t put_packets(void *to, size_t room)
{
	size_t n = 0, age, oldest = 0;
	unsigned int i, cpu;
	ssize_t len;

	for_each_open(i)
		oldest = max_t(size_t, oldest, lt_session.params.buffers[i].n_subbufs);
	for (age = 0; age <= oldest; age++) {
		for_each_open(i) {
			for_each_possible_cpu(cpu) {
				len = lt_packet_save(lt_channels[i].channel, cpu, age, to + n,
						     room - n);
				if (len < 0)
					return n;
				n += len;
			}
		}
	}
	return n;
}

static u32 crc_of(const struct lt_panic_header *h, size_t size)
{
	const void *from = &h->crc + 1;

	return ~crc32_le(~0, from, (const void *)h + size - from);
}

/*
 * The other CPUs have been stopped, or the kernel has tried to. No lock is taken: its holder may
 * be one of them. Nothing that is read here is freed before the session that stops disarms it.
 */
static int on_panic(struct notifier_block *nb, unsigned long why, void *message)
{
	struct lt_panic_header *h = memory;
	void *at = h + 1, *end = (void *)h + memory_size;

	/* Acquire: pairs with the release in panic_release(). */
	if (!smp_load_acquire(&lt_session.armed))
		return NOTIFY_DONE;
	h->version = LT_PANIC_VERSION;
	h->head = head;
	at += head;
	h->caches = put_text(at, end - at, lt_session_show_caches_now);
	at += h->caches;
	h->stats = put_text(at, end - at, lt_session_show_last_stats);
	at += h->stats;
	h->packets = put_packets(at, end - at);
	at += h->packets;
	h->crc = crc_of(h, at - (void *)h);
	h->magic = LT_PANIC_MAGIC;
	/* A reset may lose what is in the caches of the CPU only. */
	arch_wb_cache_pmem(h, at - (void *)h);
	pr_emerg("lifetrace: %llu bytes of packets are kept over the panic\n", h->packets);
	return NOTIFY_DONE;
}

/* After that of kmem/trigger.c, whose record is one of those to be saved. */
static struct notifier_block block = { .notifier_call = on_panic, .priority = -1 };

/* ------------------------------------------------------------------------
 * The file
 */

static int panic_open(struct inode *inode, struct file *file)
{
	return security_locked_down(LOCKDOWN_TRACEFS);
}

static ssize_t panic_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	ssize_t n = 0;

	if (mutex_lock_interruptible(&lock))
		return -ERESTARTSYS;
	if (left) {
		n = simple_read_from_buffer(to, count, pos, memory, left);
		if (n >= 0 && *pos == left)
			was_read = true;
	}
	mutex_unlock(&lock);
	return n;
}

/*
 * The number of the session that overwrites packets and records, of which a panic saves some; 0:
 * there is none. Context: under lt_session_lock.
 */
static u64 session_now(void)
{
	if (lt_session.state != LT_RECORDING || !lt_session.params.flight)
		return 0;
	return lt_channels[0].channel->session;
}

/*
 * The texts are written from the beginning on, by one file. Return: 0, -ENODEV: there is no
 * memory, -EBUSY: another file writes, or what was left is not read, -ENODATA: no session.
 */
static int begin_head(struct file *file)
{
	u64 session;

	if (!memory)
		return -ENODEV;
	if ((left && !was_read) || (writer && writer != file))
		return -EBUSY;
	mutex_lock(&lt_session_lock);
	session = session_now();
	WRITE_ONCE(lt_session.armed, false);
	mutex_unlock(&lt_session_lock);
	if (!session)
		return -ENODATA;
	left = 0;
	memory->magic = 0;
	head = 0;
	writer = file;
	writer_session = session;
	return 0;
}

static ssize_t panic_write(struct file *file, const char __user *from, size_t count,
			   loff_t *pos)
{
	ssize_t n = 0;

	if (mutex_lock_interruptible(&lock))
		return -ERESTARTSYS;
	if (!*pos)
		n = begin_head(file);
	else if (writer != file || *pos != head)
		n = -EINVAL;
	/* Half of the memory is for packets. */
	if (!n && count > memory_size / 2 - sizeof(*memory) - head)
		n = -EFBIG;
	if (!n && copy_from_user((void *)(memory + 1) + head, from, count))
		n = -EFAULT;
	if (!n) {
		head += count;
		*pos = head;
		n = count;
	} else if (writer == file) {
		writer = NULL;	/* what is there is not complete */
	}
	mutex_unlock(&lock);
	return n;
}

/* Closing the file says that the texts are complete. */
static int panic_release(struct inode *inode, struct file *file)
{
	mutex_lock(&lock);
	if (writer == file) {
		writer = NULL;
		/* Under the session's lock, so that a session that ends disarms after this. */
		mutex_lock(&lt_session_lock);
		if (session_now() == writer_session)
			/* A panic that sees the flag sees the texts, and their length. */
			smp_store_release(&lt_session.armed, true);
		mutex_unlock(&lt_session_lock);
	}
	mutex_unlock(&lock);
	return 0;
}

const struct file_operations lt_panic_fops = {
	.owner = THIS_MODULE,
	.open = panic_open,
	.read = panic_read,
	.write = panic_write,
	.release = panic_release,
	.llseek = default_llseek,
};

/* ------------------------------------------------------------------------
 * The memory
 */

/* ADDRESS:SIZE. Return: 0 or -EINVAL. */
static int parse_range(const char *text, phys_addr_t *start, phys_addr_t *size)
{
	char *end;

	*start = memparse(text, &end);
	if (end == text || *end != ':')
		return -EINVAL;
	text = end + 1;
	*size = memparse(text, &end);
	return end == text || *end || *start + *size < *start ? -EINVAL : 0;
}

/*
 * Return: 0, -EINVAL: not understood, -EPERM: lockdown, -EBUSY: the kernel uses that memory,
 * -ENOENT: no memory has that name.
 */
static int find_memory(phys_addr_t *start, phys_addr_t *size)
{
	int err;

	if (!strchr(panic_mem, ':'))
		return lt_reserved_memory(panic_mem, start, size) ? 0 : -ENOENT;
	/* An address that a user chooses would be a way to write any memory. */
	err = security_locked_down(LOCKDOWN_MODULE_PARAMETERS) ?:
	      parse_range(panic_mem, start, size);
	if (err)
		return err;
	if (region_intersects(*start, *size, IORESOURCE_SYSTEM_RAM, IORES_DESC_NONE) !=
	    REGION_DISJOINT)
		return -EBUSY;
	return 0;
}

/* What is in the memory may be anything. Return: bytes that a kernel has left, or 0. */
static size_t find_left(void)
{
	const struct lt_panic_header *h = memory;
	size_t room = memory_size - sizeof(*h);

	if (h->magic != LT_PANIC_MAGIC || h->version != LT_PANIC_VERSION)
		return 0;
	if (h->head > room || h->caches > room - h->head ||
	    h->stats > room - h->head - h->caches ||
	    h->packets > room - h->head - h->caches - h->stats)
		return 0;
	room = sizeof(*h) + h->head + h->caches + h->stats + h->packets;
	if (h->crc == crc_of(h, room))
		return room;
	pr_notice("lifetrace: panic_mem: what a panic has left is damaged\n");
	return 0;
}

/**
 * lt_panic_init() - map the memory, and look for what an earlier kernel has left
 *
 * If that fails, the reason is in the log, and a panic loses the session, as without panic_mem=.
 *
 * Context: process, sleeps; loading.
 */
void lt_panic_init(void)
{
	phys_addr_t start = 0, size = 0;
	void *at = NULL;
	int err;

	if (!panic_mem || !*panic_mem)
		return;
	err = find_memory(&start, &size);
	if (!err && (size < LEAST_SIZE || size > INT_MAX || !PAGE_ALIGNED(start)))
		err = -ERANGE;
	if (!err) {
		at = memremap(start, size, MEMREMAP_WB);
		err = at ? 0 : -ENOMEM;
	}
	if (err) {
		pr_err("lifetrace: panic_mem=%s: error %d\n", panic_mem, err);
		return;
	}
	mutex_lock(&lock);
	memory_size = size;
	memory = at;
	left = find_left();
	mutex_unlock(&lock);
	mutex_lock(&lt_session_lock);
	lt_session.panic_room = size;
	mutex_unlock(&lt_session_lock);
	if (left)
		pr_notice("lifetrace: panic_mem: %zu bytes of a recording that a panic ended\n",
			  left);
	atomic_notifier_chain_register(&panic_notifier_list, &block);
}

/* Context: process, sleeps; unloading: no session, no file is open. */
void lt_panic_exit(void)
{
	if (!memory)
		return;
	/* Waits for a grace period of RCU, under which the chain is called. */
	atomic_notifier_chain_unregister(&panic_notifier_list, &block);
	memunmap(memory);
}
