// SPDX-License-Identifier: GPL-2.0
/*
 * What records say of tasks and caches. A task is found by (tid, start time),
 * never by its tid alone.
 */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "trace_private.h"

#define CHUNK_TASKS	256
#define MAX_CACHES	65536U

static bool need(struct lt_trace *t, const char *event, const struct lt_event_desc *d,
		 const struct lt_field **f, const char *name, bool text)
{
	*f = lt_schema_field(d, name);
	if (*f && ((*f)->type == LT_TYPE_CHARS) == text)
		return true;
	lt_error("%s: schema: the event '%s' has no field '%s' that this version can read",
		 t->path, event, name);
	return false;
}

static const struct lt_event_desc *by_id(const struct lt_trace *t, unsigned int id)
{
	return lt_schema_event(t->schema, id);
}

bool lt_tables_init(struct lt_trace *t)
{
	struct lt_table_fields *f = &t->tables.f;
	const struct lt_event_desc *task = by_id(t, LT_EV_TASK);
	const struct lt_event_desc *gone = by_id(t, LT_EV_TASK_EXIT);
	const struct lt_event_desc *cache = by_id(t, LT_EV_CACHE);
	const struct lt_event_desc *exit = by_id(t, LT_EV_EXIT);

	if (task && !(need(t, "task", task, &f->tid, "tid", false) &&
		      need(t, "task", task, &f->tgid, "tgid", false) &&
		      need(t, "task", task, &f->start, "start", false) &&
		      need(t, "task", task, &f->flags, "flags", false) &&
		      need(t, "task", task, &f->comm, "comm", true)))
		return false;
	if (gone && !(need(t, "task_exit", gone, &f->exit_tid, "tid", false) &&
		      need(t, "task_exit", gone, &f->exit_tgid, "tgid", false) &&
		      need(t, "task_exit", gone, &f->exit_start, "start", false)))
		return false;
	if (cache && !(need(t, "cache", cache, &f->cache, "cache", false) &&
		       need(t, "cache", cache, &f->cache_ptr, "ptr", false) &&
		       need(t, "cache", cache, &f->object_size, "object_size", false) &&
		       need(t, "cache", cache, &f->size, "size", false) &&
		       need(t, "cache", cache, &f->name, "name", true)))
		return false;
	if (exit && !(need(t, "exit", exit, &f->pid_exit_tid, "tid", false) &&
		      need(t, "exit", exit, &f->pid_exit_start, "start", false)))
		return false;
	return true;
}

void lt_tables_free(struct lt_trace *t)
{
	struct lt_tables *tb = &t->tables;

	for (size_t i = 0; i < tb->n_chunks; i++)
		free(tb->chunks[i]);
	for (size_t i = 0; i < tb->n_caches; i++)
		free(tb->caches[i]);
	free(tb->chunks);
	free(tb->caches);
	free(tb->slots);
}

static size_t hash(uint32_t tid, uint64_t start)
{
	uint64_t h = (start ^ (uint64_t)tid << 40) * 0x9e3779b97f4a7c15ULL;

	h = (h ^ h >> 32 ^ tid) * 0xd6e8feb86659fd93ULL;
	return (size_t)(h ^ h >> 32);
}

/* The slot of a task, or the free one where it belongs. */
static struct lt_task_slot *find_slot(struct lt_tables *tb, uint32_t tid, uint64_t start)
{
	size_t mask = tb->n_slots - 1;
	size_t i = hash(tid, start) & mask;

	while (tb->slots[i].task &&
	       (tb->slots[i].tid != tid || tb->slots[i].start != start))
		i = (i + 1) & mask;
	return &tb->slots[i];
}

static void grow_slots(struct lt_tables *tb)
{
	struct lt_task_slot *old = tb->slots;
	size_t n = tb->n_slots;

	tb->n_slots = n ? n * 2 : 1024;
	tb->slots = lt_alloc_array(tb->n_slots, sizeof(*tb->slots));
	for (size_t i = 0; i < n; i++) {
		if (old[i].task)
			*find_slot(tb, old[i].tid, old[i].start) = old[i];
	}
	free(old);
}

static struct lt_task *get_task(struct lt_tables *tb, uint32_t tid, uint32_t tgid,
				uint64_t start)
{
	struct lt_task_slot *slot;

	if (tb->n_tasks * 2 >= tb->n_slots)
		grow_slots(tb);
	slot = find_slot(tb, tid, start);
	if (slot->task)
		return slot->task;
	if (!tb->chunk_left) {
		tb->chunk = lt_alloc_array(CHUNK_TASKS, sizeof(*tb->chunk));
		tb->chunk_left = CHUNK_TASKS;
		tb->chunks = lt_grow(tb->chunks, &tb->cap_chunks, tb->n_chunks,
				     sizeof(*tb->chunks));
		tb->chunks[tb->n_chunks++] = tb->chunk;
	}
	slot->tid = tid;
	slot->start = start;
	slot->task = tb->chunk++;
	tb->chunk_left--;
	tb->n_tasks++;
	slot->task->tid = tid;
	slot->task->tgid = tgid;
	slot->task->start = start;
	slot->task->exit = UINT64_MAX;
	return slot->task;
}

static uint64_t num(const struct lt_stream *s, const struct lt_field *f)
{
	return lt_field_value(&s->packet, f, s->rec.payload);
}

/* Of a rare event: the field by its name. */
static bool find_num(const struct lt_stream *s, const char *name, uint64_t *value)
{
	const struct lt_field *f = lt_schema_field(s->rec.desc, name);

	if (!f || f->type == LT_TYPE_CHARS)
		return false;
	*value = num(s, f);
	return true;
}

static void copy_text(char *to, size_t size, const struct lt_stream *s,
		      const struct lt_field *f)
{
	size_t n = f->size < size - 1 ? f->size : size - 1;

	n = strnlen((const char *)s->rec.payload + f->offset, n);
	memcpy(to, s->rec.payload + f->offset, n);
	to[n] = 0;
}

static void on_task(struct lt_trace *t, struct lt_stream *s)
{
	const struct lt_table_fields *f = &t->tables.f;
	struct lt_task *task;

	task = get_task(&t->tables, (uint32_t)num(s, f->tid), (uint32_t)num(s, f->tgid),
			num(s, f->start));
	task->tgid = (uint32_t)num(s, f->tgid);
	task->flags = (uint32_t)num(s, f->flags);
	copy_text(task->comm, sizeof(task->comm), s, f->comm);
	s->task = task;
}

static void on_task_exit(struct lt_trace *t, struct lt_stream *s)
{
	const struct lt_table_fields *f = &t->tables.f;
	struct lt_task *task;

	task = get_task(&t->tables, (uint32_t)num(s, f->exit_tid),
			(uint32_t)num(s, f->exit_tgid), num(s, f->exit_start));
	task->exit = s->rec_ns;
}

/*
 * Told by the channel pid, which loses nothing when allocations flood theirs. A
 * task that nobody has asked for so far has not allocated: if its exit is not
 * kept, no lifetime misses it; and a trace of a million tasks takes no memory
 * for them. (What an interrupt allocates during the exit is not the task's.)
 */
static void on_pid_exit(struct lt_trace *t, struct lt_stream *s)
{
	const struct lt_table_fields *f = &t->tables.f;
	struct lt_tables *tb = &t->tables;
	struct lt_task_slot *slot;

	if (!tb->n_slots)
		return;
	slot = find_slot(tb, (uint32_t)num(s, f->pid_exit_tid), num(s, f->pid_exit_start));
	if (slot->task && slot->task->exit == UINT64_MAX)
		slot->task->exit = s->rec_ns;
}

/*
 * A thread that executes a program is the process from here on, under the name
 * of its leader, whose own exit was before: it goes on.
 */
static void on_exec(struct lt_trace *t, struct lt_stream *s)
{
	struct lt_tables *tb = &t->tables;
	struct lt_task_slot *slot;
	uint64_t tid, start, old_tid;

	/* The event has several forms: the fields are those of this one. */
	if (!tb->n_slots || !find_num(s, "tid", &tid) || !find_num(s, "start", &start) ||
	    !find_num(s, "old_tid", &old_tid) || tid == old_tid)
		return;
	slot = find_slot(tb, (uint32_t)tid, start);
	if (slot->task)
		slot->task->exit = UINT64_MAX;
}

static void on_cache(struct lt_trace *t, struct lt_stream *s)
{
	const struct lt_table_fields *f = &t->tables.f;
	struct lt_tables *tb = &t->tables;
	struct lt_cache new = { 0 }, *old;
	uint64_t id = num(s, f->cache);

	if (!id || id >= MAX_CACHES)
		return;
	new.id = (uint32_t)id;
	new.ptr = num(s, f->cache_ptr);
	new.object_size = (uint32_t)num(s, f->object_size);
	new.size = (uint32_t)num(s, f->size);
	copy_text(new.name, sizeof(new.name), s, f->name);
	if (id >= tb->n_caches) {
		tb->caches = reallocarray(tb->caches, id + 1, sizeof(*tb->caches));
		if (!tb->caches)
			lt_die("out of memory");
		memset(tb->caches + tb->n_caches, 0,
		       (id + 1 - tb->n_caches) * sizeof(*tb->caches));
		tb->n_caches = id + 1;
	}
	old = tb->caches[id];
	if (old && (old->ptr != new.ptr || strcmp(old->name, new.name)) &&
	    !tb->told_redefined) {
		tb->told_redefined = true;
		lt_trace_note(t, LT_NO_OFFSET, "the cache id %llu is used for two caches, '%s' and "
			      "'%s'", (unsigned long long)id, old->name, new.name);
	}
	if (!old)
		old = tb->caches[id] = lt_alloc(sizeof(*old));
	*old = new;
}

void lt_tables_record(struct lt_trace *t, struct lt_stream *s, unsigned int event)
{
	switch (event) {
	case LT_EV_TASK:
		on_task(t, s);
		break;
	case LT_EV_TASK_EXIT:
		on_task_exit(t, s);
		break;
	case LT_EV_CACHE:
		on_cache(t, s);
		break;
	case LT_EV_EXIT:
		on_pid_exit(t, s);
		break;
	case LT_EV_EXEC:
		on_exec(t, s);
		break;
	}
}

const struct lt_cache *lt_trace_cache(const struct lt_trace *t, uint32_t id)
{
	return id < t->tables.n_caches ? t->tables.caches[id] : NULL;
}

size_t lt_trace_n_caches(const struct lt_trace *t)
{
	return t->tables.n_caches;
}
