// SPDX-License-Identifier: GPL-2.0
/*
 * The table, and the two clock readings around each call.
 */
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "truth.h"

struct truth_counts truth_counts;
struct truth_cache truth_caches[TRUTH_MAX_CACHES];
unsigned int truth_phase, truth_n_caches;

static struct truth_header *table;
static struct truth_object *objects;
static unsigned int max_objects;
static atomic_t next_object;

int truth_table_init(unsigned int max)
{
	table = vzalloc(sizeof(*table) + (size_t)max * sizeof(*objects));
	if (!table)
		return -ENOMEM;
	table->magic = TRUTH_MAGIC;
	table->object_size = sizeof(*objects);
	objects = (void *)(table + 1);
	max_objects = max;
	return 0;
}

void truth_table_exit(void)
{
	vfree(table);
}

/* A fresh row; NULL when the table is full. Context: any. */
struct truth_object *truth_row(void)
{
	unsigned int i;

	if (atomic_read(&next_object) >= max_objects)
		return NULL;
	i = atomic_inc_return(&next_object) - 1;
	if (i >= max_objects)
		return NULL;
	objects[i].cache = TRUTH_NO_CACHE;
	objects[i].node = -1;
	return &objects[i];
}

struct truth_object *truth_row_at(unsigned int index)
{
	return &objects[index];
}

unsigned int truth_index(const struct truth_object *o)
{
	return o - objects;
}

unsigned int truth_n_objects(void)
{
	return min_t(unsigned int, atomic_read(&next_object), max_objects);
}

const void *truth_table(void)
{
	table->n_objects = truth_n_objects();
	return table;
}

size_t truth_table_bytes(void)
{
	return sizeof(*table) + (size_t)truth_n_objects() * sizeof(*objects);
}

/* Before the call. Context: any. */
void truth_begin(struct truth_moment *m)
{
	m->start = current->start_boottime;
	m->tid = current->pid;
	m->tgid = current->tgid;
	memcpy(m->comm, current->comm, sizeof(m->comm));
	m->context = in_hardirq() ? 2 : in_serving_softirq() ? 1 : 0;
	m->phase = READ_ONCE(truth_phase);
	m->cpu_lo = raw_smp_processor_id();
	m->lo = ktime_get_mono_fast_ns();
	barrier();
}

/* After it. */
void truth_end(struct truth_moment *m)
{
	barrier();
	m->hi = ktime_get_mono_fast_ns();
	m->cpu_hi = raw_smp_processor_id();
}
