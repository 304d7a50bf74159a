// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tasks, caches and devices that the records describe. A task is identified by its tid and
 * start time, never by its tid alone. The idle tasks all have the tid 0, and may have one start
 * time; they are distinguished by their CPU.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "trace/ahead.h"
#include "trace/forget.h"
#include "trace/caches.h"
#include "trace/entity_find.h"

/* Names of the fields, and whether they are text. */
static const struct {
	const char *name;
	bool text;
} fields[LT_N_F] = {
	[LT_F_TID] = { "tid", false }, [LT_F_TGID] = { "tgid", false },
	[LT_F_START] = { "start", false }, [LT_F_FLAGS] = { "flags", false },
	[LT_F_COMM] = { "comm", true }, [LT_F_OLD_TID] = { "old_tid", false },
	[LT_F_CACHE] = { "cache", false }, [LT_F_PTR] = { "ptr", false },
	[LT_F_OBJECT_SIZE] = { "object_size", false }, [LT_F_SIZE] = { "size", false },
	[LT_F_NAME] = { "name", true }, [LT_F_DEVICE] = { "device", true },
	[LT_F_ONE_IN] = { "one_in", false },
};

#define F(name)		(1U << LT_F_##name)
#define IDENTITY	(F(TID) | F(START))
#define ATTRIBUTES	(IDENTITY | F(TGID) | F(FLAGS) | F(COMM))

/* The fields that the events which describe an entity must have. */
static const struct {
	uint16_t event;
	uint16_t fields;
} needs[] = {
	{ LT_EV_TASK,		ATTRIBUTES },
	{ LT_EV_AREA_TASK,	ATTRIBUTES },
	{ LT_EV_SYSCALL_TASK,	ATTRIBUTES },
	{ LT_EV_CALL_TASK,	ATTRIBUTES },
	{ LT_EV_TASK_EXIT,	IDENTITY | F(TGID) },
	{ LT_EV_CACHE,		F(CACHE) | F(PTR) | F(OBJECT_SIZE) | F(SIZE) | F(NAME) },
	{ LT_EV_CACHE_GONE,	F(CACHE) },
	{ LT_EV_DMA_ALLOC,	F(DEVICE) },
	{ LT_EV_SAMPLE,		F(ONE_IN) },
	{ LT_EV_TASK_NEW,	ATTRIBUTES },
	{ LT_EV_STATE,		ATTRIBUTES },
	{ LT_EV_RENAME,		IDENTITY | F(COMM) },
	{ LT_EV_EXEC,		IDENTITY | F(OLD_TID) },
	{ LT_EV_EXIT,		IDENTITY },
};

/* Without one of these an event does not say which entity it describes. */
#define ESSENTIAL	(IDENTITY | F(CACHE) | F(OLD_TID))

/*
 * An event may have several forms, each with a layout of its own. A field of a type that this
 * version does not know is missing: the entity is described by the others.
 */
static void find_fields(struct lt_trace *t, const struct lt_event_desc *d, unsigned int need)
{
	struct lt_entity_fields *to = lt_alloc(sizeof(*to));

	for (unsigned int i = 0; i < LT_N_F; i++) {
		const struct lt_field *f;

		if (!(need & 1U << i))
			continue;
		f = lt_schema_field(d, fields[i].name);
		if (f && (f->type == LT_TYPE_CHARS) == fields[i].text) {
			to->f[i] = f;
			continue;
		}
		if (!t->mute)
			lt_warn("%s: schema: the event '%s' has no field '%s' that this version can "
				"read", t->path, d->name, fields[i].name);
		if (ESSENTIAL & 1U << i) {
			free(to);
			return;
		}
	}
	t->entities.fields[d->id] = to;
	lt_schema_not_plain(t->schema, d->id);
}

void lt_entities_init(struct lt_trace *t)
{
	lt_map_init(&t->entities.by_id);
	lt_names_init(&t->entities.device_names);
	t->entities.seed = lt_hash_seed();
	lt_pool_init(&t->entities.tasks, sizeof(struct lt_task_entry));
	for (unsigned int id = 0; id < LT_SCHEMA_IDS; id++) {
		const struct lt_event_desc *d = lt_schema_event(t->schema, id);

		for (size_t i = 0; d && !d->full && i < sizeof(needs) / sizeof(needs[0]); i++) {
			if (needs[i].event == d->event)
				find_fields(t, d, needs[i].fields);
		}
	}
}

void lt_entities_free(struct lt_trace *t)
{
	struct lt_entities *e = &t->entities;

	for (uint32_t id = 1; id < e->tasks.next; id++)
		free(entry_at(e, id)->task.names);
	for (size_t i = 0; i < e->n_caches; i++)
		free(e->caches[i]);
	for (size_t i = 0; i < e->n_devices; i++)
		free(e->devices[i]);
	for (size_t i = 0; i < LT_SCHEMA_IDS; i++)
		free(e->fields[i]);
	for (size_t i = 0; i < e->n_cache_ids; i++)
		free(e->cache_ids[i].uses);
	free(e->cache_ids);
	free(e->later_ids);
	free(e->caches);
	free(e->devices);
	lt_names_destroy(&e->device_names);
	lt_map_destroy(&e->by_id);
	lt_pool_destroy(&e->tasks);
}

void lt_entities_take_caches(struct lt_trace *t, struct lt_trace *from)
{
	struct lt_entities *e = &t->entities, *f = &from->entities;

#define SWAP(member) do {						\
	__typeof__(e->member) x = e->member;				\
	e->member = f->member;						\
	f->member = x;							\
} while (0)
	SWAP(caches);
	SWAP(n_caches);
	SWAP(cache_ids);
	SWAP(n_cache_ids);
	SWAP(later_ids);
	SWAP(n_later);
	SWAP(cap_later);
#undef SWAP
}

static struct lt_task *get_task(struct lt_entities *e, const struct lt_task_id *id, uint32_t tgid)
{
	struct lt_task *task = find_task(e, id);
	struct lt_task_entry *entry;
	uint32_t number;

	if (task)
		return task;
	number = lt_pool_get(&e->tasks);
	entry = entry_at(e, number);
	*entry = (struct lt_task_entry){
		.task = {
			.tid = id->tid, .tgid = tgid, .start = id->start, .exit = UINT64_MAX,
		},
		.idle_cpu = id->idle_cpu,
	};
	lt_map_add(&e->by_id, hash(e, id), number);
	return &entry->task;
}

/*
 * A program may rename its threads a million times in a second, for days. What a file has of
 * earlier names is bounded by its size; of a live trace some MiB of them must do.
 */
#define LIVE_NAMES	4096		/* of a task */
#define LIVE_NAMES_ALL	(1U << 18)	/* of all tasks, and some for each */
#define MANY_NAMES	"(many names)"	/* in place of the names that were dropped */

/* Leaves so many earlier names, and one for all before them. */
static void merge_names(struct lt_entities *e, struct lt_task *task, size_t keep)
{
	size_t gone = task->n_names > keep ? task->n_names - keep - 1 : 0;

	if (!gone)
		return;
	memmove(task->names, task->names + gone, (keep + 1) * sizeof(*task->names));
	memset(task->names[0].comm, 0, sizeof(task->names[0].comm));
	strcpy(task->names[0].comm, MANY_NAMES);
	task->n_names = task->cap_names = keep + 1;
	task->names = lt_realloc_array(task->names, task->cap_names, sizeof(*task->names));
	e->n_names -= gone;
}

static void limit_names(struct lt_trace *t, struct lt_task *task)
{
	struct lt_entities *e = &t->entities;
	size_t keep = LIVE_NAMES_ALL / 2 / (e->tasks.used + 1);

	if (t->file)
		return;
	if (task->n_names > LIVE_NAMES)
		merge_names(e, task, LIVE_NAMES / 2);
	/* Afterwards there are half as many at the most, and one of each task. */
	if (e->n_names <= LIVE_NAMES_ALL + 2 * e->tasks.used)
		return;
	for (uint32_t number = 1; number < e->tasks.next; number++) {
		if (!entry_at(e, number)->released)
			merge_names(e, &entry_at(e, number)->task, keep);
	}
}

/* The name of a task from now on. Objects that it made before were made under the old one. */
static void set_comm(struct lt_trace *t, const struct lt_stream *s, struct lt_task *task)
{
	struct lt_task_name *old;
	char comm[sizeof(task->comm)];

	/* What is older, in a part of a recording, was carried into it already. */
	if (s->rec_ns < task->named)
		return;
	task->named = s->rec_ns;
	copy_text(t, s, LT_F_COMM, comm, sizeof(comm));
	if (!strcmp(comm, task->comm))
		return;
	t->entities.task_changes++;
	if (task->comm[0]) {
		task->names = lt_grow(task->names, &task->cap_names, task->n_names, sizeof(*old));
		old = &task->names[task->n_names++];
		old->until = s->rec_ns;
		memcpy(old->comm, task->comm, sizeof(old->comm));
		t->entities.n_names++;
		limit_names(t, task);
	}
	memcpy(task->comm, comm, sizeof(comm));
}

static void insert_name(struct lt_trace *t, struct lt_task *task, size_t i, uint64_t until,
			const char *comm)
{
	struct lt_task_name *name;

	task->names = lt_grow(task->names, &task->cap_names, task->n_names, sizeof(*name));
	name = &task->names[i];
	memmove(name + 1, name, (task->n_names++ - i) * sizeof(*name));
	name->until = until;
	memcpy(name->comm, comm, sizeof(name->comm));
	t->entities.n_names++;
}

/*
 * STATE behind missing parts has the name of a task at a time before that of its latest name: it
 * had that name from then on, until it got the next one that is known.
 */
static void set_earlier_comm(struct lt_trace *t, const struct lt_stream *s,
			     struct lt_task *task)
{
	struct lt_task_name before = { .until = task->named };
	char comm[sizeof(task->comm)];
	size_t i = task->n_names;

	copy_text(t, s, LT_F_COMM, comm, sizeof(comm));
	if (!strcmp(lt_task_comm_at(task, s->rec_ns), comm))
		return;
	t->entities.task_changes++;
	while (i && task->names[i - 1].until > s->rec_ns)
		i--;
	if (i < task->n_names) {
		before = task->names[i];
		memcpy(task->names[i].comm, comm, sizeof(comm));
	} else {
		memcpy(before.comm, task->comm, sizeof(before.comm));
		insert_name(t, task, i, before.until, comm);
	}
	insert_name(t, task, i, s->rec_ns, before.comm);
}

static void set_attributes(struct lt_trace *t, const struct lt_stream *s,
			   struct lt_task *task)
{
	if (t->healing.missing && s->rec_ns < task->named) {
		set_earlier_comm(t, s, task);
		return;
	}
	t->entities.task_changes += task->tgid != (uint32_t)num(t, s, LT_F_TGID);
	task->tgid = (uint32_t)num(t, s, LT_F_TGID);
	task->flags = (uint32_t)num(t, s, LT_F_FLAGS);
	set_comm(t, s, task);
}

static void on_task(struct lt_trace *t, struct lt_stream *s)
{
	struct lt_task_id id = identity(t, s);

	s->task = get_task(&t->entities, &id, (uint32_t)num(t, s, LT_F_TGID));
	set_attributes(t, s, s->task);
}

static void on_task_exit(struct lt_trace *t, struct lt_stream *s)
{
	struct lt_task_id id = identity(t, s);

	get_task(&t->entities, &id, (uint32_t)num(t, s, LT_F_TGID))->exit = s->rec_ns;
}

bool lt_entities_have_calls(struct lt_trace *t)
{
	struct lt_entities *e = &t->entities;

	if (!e->asked)
		e->calls = lt_trace_has_channel(t, LT_CHANNEL_SYSCALL) ||
			   lt_trace_has_channel(t, LT_CHANNEL_CALL);
	e->asked = true;
	return e->calls;
}

/*
 * Takes over what the channel pid records of a task that has run in the channel kmem; the
 * channel pid loses nothing when the other channel is flooded. Other tasks are ignored:
 * there may be a million of them, and nothing refers to them but, where calls are
 * recorded, of the system or of functions, the calls in which they sleep.
 *
 * An exit is therefore ignored if its task has not run in kmem before. The task may run
 * there after its exit, while it dies. Everything that it is seen to allocate then is
 * allocated after its exit, so that the exit makes no difference. What it allocated before,
 * in packets that were lost, is in no lifetime.
 */
static void on_known_task(struct lt_trace *t, const struct lt_stream *s, unsigned int event)
{
	struct lt_task_id id = identity(t, s);
	bool calls = lt_entities_have_calls(t);
	struct lt_task *task;

	/* An idle task cannot be identified: the record need not be of its CPU. */
	if (!id.tid || (!t->entities.by_id.n && !calls))
		return;
	task = find_task(&t->entities, &id);
	/* A call in which a task hangs may be all that it does in the trace. */
	if (!task && calls && (event == LT_EV_TASK_NEW || event == LT_EV_STATE))
		task = get_task(&t->entities, &id, (uint32_t)num(t, s, LT_F_TGID));
	if (!task)
		return;
	switch (event) {
	case LT_EV_TASK_NEW:
	case LT_EV_STATE:
		/* What kmem has recorded of the running task is at least as new. */
		if (!task->comm[0])
			set_attributes(t, s, task);
		break;
	case LT_EV_RENAME:
		set_comm(t, s, task);
		break;
	case LT_EV_EXEC:
		/*
		 * A thread that executes a program takes over the number of its leader.
		 * The exit of the leader was before; the process goes on. What the thread
		 * allocated under its old number does not outlive the task.
		 */
		if (num(t, s, LT_F_OLD_TID) != task->tid)
			task->exit = UINT64_MAX;
		break;
	case LT_EV_EXIT:
		/* The event task_exit of kmem records the exit, too, unless it was lost. */
		if (task->exit == UINT64_MAX)
			task->exit = s->rec_ns;
		break;
	}
}

static void on_cache(struct lt_trace *t, struct lt_stream *s)
{
	struct lt_cache new = { 0 };
	uint64_t id = num(t, s, LT_F_CACHE);

	if (!id || id >= LT_FIRST_LATER_CACHE)
		return;
	new.id = (uint32_t)id;
	new.ptr = num(t, s, LT_F_PTR);
	new.object_size = (uint32_t)num(t, s, LT_F_OBJECT_SIZE);
	new.size = (uint32_t)num(t, s, LT_F_SIZE);
	copy_text(t, s, LT_F_NAME, new.name, sizeof(new.name));
	lt_entities_set_cache(t, &new, s->rec_ns);
}

/* The id of a device's name, 0: it has none. */
static uint32_t device_id(struct lt_trace *t, const struct lt_stream *s)
{
	struct lt_entities *e = &t->entities;
	struct lt_cache new = { 0 };
	uint32_t number;

	copy_text(t, s, LT_F_DEVICE, new.name, sizeof(new.name));
	number = lt_names_add(&e->device_names, new.name, strlen(new.name));
	if (!number)
		return 0;
	if (number >= e->n_devices)
		e->devices = lt_extend(e->devices, &e->n_devices, number + 1,
				       sizeof(*e->devices));
	new.id = LT_FIRST_DEVICE + number;
	if (!e->devices[number]) {
		e->devices[number] = lt_alloc(sizeof(new));
		*e->devices[number] = new;
	}
	return new.id;
}

void lt_entities_record(struct lt_trace *t, struct lt_stream *s, struct lt_event *ev)
{
	switch (ev->id) {
	case LT_EV_TASK:
	case LT_EV_AREA_TASK:
	case LT_EV_SYSCALL_TASK:
	case LT_EV_CALL_TASK:
		on_task(t, s);
		break;
	case LT_EV_TASK_EXIT:
		on_task_exit(t, s);
		break;
	case LT_EV_CACHE:
		on_cache(t, s);
		break;
	case LT_EV_CACHE_GONE:
		lt_entities_cache_gone(t, (uint32_t)num(t, s, LT_F_CACHE), s->rec_ns);
		break;
	case LT_EV_TASK_NEW:
	case LT_EV_STATE:
	case LT_EV_RENAME:
	case LT_EV_EXEC:
	case LT_EV_EXIT:
		on_known_task(t, s, ev->id);
		break;
	case LT_EV_DMA_ALLOC:
		ev->cache = device_id(t, s);
		break;
	case LT_EV_SAMPLE:
		lt_sample_change(t, num(t, s, LT_F_ONE_IN), s->rec_ns);
		break;
	}
}

/* ------------------------------------------------------------------------
 * Forgetting
 */

/* The tasks that streams are at, of which no further record may come before their next event. */
static void mark_current(const struct lt_trace *t, bool current)
{
	for (size_t i = 0; i < t->n_streams; i++) {
		struct lt_task *task = t->streams[i] ? t->streams[i]->task : NULL;

		/* The entry begins with the task. */
		if (task)
			((struct lt_task_entry *)task)->current = current;
	}
}

/* Earlier names that no object has which is alive. */
static void forget_names(struct lt_entities *e, struct lt_task *task, uint64_t from)
{
	size_t n = 0;

	while (n < task->n_names && task->names[n].until <= from)
		n++;
	if (!n)
		return;
	task->n_names -= n;
	e->n_names -= n;
	memmove(task->names, task->names + n, task->n_names * sizeof(*task->names));
}

static void release(struct lt_entities *e, uint32_t number)
{
	struct lt_task_entry *entry = entry_at(e, number);
	const struct lt_task_id id = { entry->task.start, entry->task.tid, entry->idle_cpu };

	e->task_changes++;
	lt_map_remove(&e->by_id, hash(e, &id), number);
	e->n_names -= entry->task.n_names;
	free(entry->task.names);
	entry->task.names = NULL;
	entry->released = true;
	lt_pool_put(&e->tasks, number);
}

void lt_trace_forget_tasks(struct lt_trace *t, uint64_t before,
			   uint64_t (*used_from)(const void *arg, const struct lt_task *task),
			   const void *arg)
{
	struct lt_entities *e = &t->entities;

	/* Once, and not for each task: there may be thousands of streams. */
	mark_current(t, true);
	for (uint32_t number = 1; number < e->tasks.next; number++) {
		struct lt_task_entry *entry = entry_at(e, number);
		struct lt_task *task = &entry->task;
		uint64_t from, last = task->named;

		if (entry->released)
			continue;
		from = used_from(arg, task);
		if (task->exit != UINT64_MAX && task->exit > last)
			last = task->exit;
		/* One that comes again describes itself again, but for its exit. */
		if (from == UINT64_MAX && last < before && !entry->current)
			release(e, number);
		else
			forget_names(e, task, from < before ? from : before);
	}
	mark_current(t, false);
}

size_t lt_trace_n_tasks(const struct lt_trace *t)
{
	return t->entities.tasks.used;
}

const struct lt_task *lt_trace_task(const struct lt_trace *t, uint32_t tid, uint64_t start)
{
	const struct lt_task_id id = { .start = start, .tid = tid };

	return tid ? find_task(&t->entities, &id) : NULL;
}

bool lt_trace_has_task(const struct lt_trace *t, uint32_t tid, uint64_t start)
{
	const struct lt_task_id id = { .start = start, .tid = tid };

	return find_task(&t->entities, &id);
}
