/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A decoded event. It does not depend on the machine and the form in which it was recorded.
 */
#ifndef LT_LIB_EVENT_H
#define LT_LIB_EVENT_H

#include <stddef.h>
#include <stdint.h>

/*
 * A name that a task had before a rename or an exec, as that of struct lt_task. @until: trace
 * time of the next one.
 */
struct lt_task_name {
	uint64_t until;
	char comm[17];
};

/**
 * struct lt_task - a task, identified by (tid, start), never by tid alone
 * @tid: number in the initial pid namespace
 * @tgid: thread group
 * @start: ns since boot, suspended time included, when it was started
 * @flags: bits of the schema's event "task"
 * @comm: the latest name, not necessarily UTF-8, with zeros behind it
 * @exit: trace time (see struct lt_event) of its exit, UINT64_MAX: not recorded
 * @named: trace time of the record that last announced @comm
 * @names: @n_names earlier names, the oldest first; see lt_task_comm_at()
 * @cap_names: private
 *
 * Valid as long as its trace; one pointer for each task.
 */
struct lt_task {
	uint32_t tid;
	uint32_t tgid;
	uint64_t start;
	uint32_t flags;
	char comm[17];
	uint64_t exit;
	uint64_t named;
	struct lt_task_name *names;
	size_t n_names;
	size_t cap_names;
};

/* The name of a task at a time: what it was called then, not what it is called now. */
static inline const char *lt_task_comm_at(const struct lt_task *task, uint64_t time)
{
	size_t low = 0, high = task->n_names;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (task->names[mid].until > time)
			high = mid;
		else
			low = mid + 1;
	}
	return low < task->n_names ? task->names[low].comm : task->comm;
}

/* The address spaces: what the address of an object means. Those of memory come first. */
enum lt_space {
	LT_SPACE_NONE,
	LT_SPACE_SLAB,		/* virtual address: kmalloc, caches, bulk, RCU */
	LT_SPACE_PAGE,		/* page frame number */
	LT_SPACE_PERCPU,	/* a pointer without the offset of a CPU */
	LT_SPACE_VMALLOC,	/* virtual address */
	LT_SPACE_DMA,		/* what dma_alloc_attrs() returned */
	LT_N_MEMORY,
	LT_SPACE_TASK = LT_N_MEMORY,	/* of the channel pid */
	LT_SPACE_SYSCALL,		/* of the channel syscall */
	LT_SPACE_CALL,			/* of the channel call */
	LT_N_SPACES,
};

/**
 * struct lt_event - one event
 * @time: ns on the clock of the trace, one scale for all CPUs
 * @cpu: where it was recorded
 * @seq: number of the record in its stream, from 0; orders events of equal time in one
 *	stream
 * @id: enum lt_event_id; a wide or short form has the id of the narrow one
 * @channel: enum lt_channel_id
 * @class: enum lt_class
 * @context: enum lt_context
 * @task: the running task; NULL: the packet has not announced it
 * @raw: the payload, @raw_size bytes, in the byte order of the packet
 *
 * The members below are the fields of allocator events. They are decoded for every event,
 * which is cheaper than a test, and are members of the struct itself to spare the hot path
 * an indirection. Fields that the event does not have are 0 (@node: -1). Fields of other
 * channels are decoded from @raw where they are needed, by their names in the schema (see
 * lt_schema_field(), lt_field_value(), tasks/event.c).
 *
 * @ptr: absolute address, or page frame number
 * @call_site: absolute address of the caller, 0: not known
 * @bytes_req: bytes requested; 0 for cache objects
 * @bytes_alloc: bytes given; 0 for cache objects (see struct lt_cache)
 * @gfp: flags of the request
 * @node: NUMA node of the request, -1: none
 * @cache: cache id, of coherent memory that of the device; 0: not known
 * @order: of a page allocation
 * @migratetype: of a page allocation
 * @single: of page_bulk: the only page of its call
 * @stack: how the caller was called: a number for lt_trace_stack(), 0: not recorded
 */
struct lt_event {
	uint64_t time;
	uint64_t seq;
	const struct lt_task *task;
	uint64_t ptr;
	uint64_t call_site;
	uint64_t bytes_req;
	uint64_t bytes_alloc;
	uint32_t gfp;
	int32_t node;
	uint32_t cpu;
	uint32_t cache;
	uint16_t id;
	uint8_t channel;
	uint8_t class;
	uint8_t context;
	uint8_t order;
	uint8_t migratetype;
	uint8_t single;
	const uint8_t *raw;
	uint32_t raw_size;
	uint32_t stack;
};

#endif /* LT_LIB_EVENT_H */
