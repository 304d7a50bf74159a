// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The descriptors of processes, and which thread is of which process.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "syscalls/paths_table.h"

#define CLONE_FS_	0x200
#define CLONE_FILES_	0x400

#define MOST	(1U << 20)	/* descriptors; a hostile trace has processes without end */

struct lt_syscall_paths *lt_syscall_paths_new(const struct lt_trace *t)
{
	struct lt_syscall_paths *p = lt_alloc(sizeof(*p));

	p->t = t;
	p->seed = lt_hash_seed();
	lt_pool_init(&p->fds, sizeof(struct lt_syscall_fd));
	lt_pool_init(&p->processes, sizeof(struct lt_syscall_process));
	lt_pool_init(&p->threads, sizeof(struct lt_syscall_tid));
	lt_map_init(&p->fd_map);
	lt_map_init(&p->process_map);
	lt_map_init(&p->thread_map);
	lt_moved_init(&p->moved);
	return p;
}

/* ------------------------------------------------------------------------
 * Tables
 */

static uint32_t hash(const struct lt_syscall_paths *p, uint64_t key)
{
	return (uint32_t)lt_hash64(key, p->seed);
}

static uint32_t hash_fd(const struct lt_syscall_paths *p, uint32_t process, int32_t fd)
{
	return hash(p, (uint64_t)process << 32 | (uint32_t)fd);
}

struct lt_syscall_fd *lt_paths_fd_at(const struct lt_syscall_paths *p, uint32_t number)
{
	return lt_pool_at(&p->fds, number);
}

struct lt_syscall_process *lt_paths_process_at(const struct lt_syscall_paths *p, uint32_t number)
{
	return lt_pool_at(&p->processes, number);
}

uint32_t lt_paths_find_fd(const struct lt_syscall_paths *p, uint32_t process, int32_t fd)
{
	uint32_t number;

	lt_map_for_each(number, at, &p->fd_map, hash_fd(p, process, fd)) {
		const struct lt_syscall_fd *f = lt_paths_fd_at(p, number);

		if (f->process == process && f->fd == fd)
			return number;
	}
	return 0;
}

void lt_paths_drop_fd(struct lt_syscall_paths *p, uint32_t number)
{
	struct lt_syscall_fd *f = lt_paths_fd_at(p, number);

	if (f->prev)
		lt_paths_fd_at(p, f->prev)->next = f->next;
	else
		lt_paths_process_at(p, f->process)->first = f->next;
	if (f->next)
		lt_paths_fd_at(p, f->next)->prev = f->prev;
	lt_map_remove(&p->fd_map, hash_fd(p, f->process, f->fd), number);
	if (!--f->path->users)
		free(f->path);
	lt_pool_put(&p->fds, number);
	p->n--;
}

void lt_paths_add_fd(struct lt_syscall_paths *p, uint32_t process, int32_t fd,
		     struct lt_syscall_file *path, uint64_t since, bool exec)
{
	struct lt_syscall_process *proc = lt_paths_process_at(p, process);
	uint32_t old = lt_paths_find_fd(p, process, fd), number;

	/* A copy of itself keeps its path. */
	path->users++;
	if (old)
		lt_paths_drop_fd(p, old);
	if (p->n >= MOST || proc->unknown || fd < 0) {
		if (!--path->users)
			free(path);
		return;
	}
	number = lt_pool_get(&p->fds);
	*lt_paths_fd_at(p, number) = (struct lt_syscall_fd){
		.process = process, .next = proc->first, .fd = fd, .since = since, .exec = exec,
		.path = path,
	};
	if (proc->first)
		lt_paths_fd_at(p, proc->first)->prev = number;
	proc->first = number;
	lt_map_add(&p->fd_map, hash_fd(p, process, fd), number);
	p->n++;
}

/* Those of a range, or that an execve closes if @exec. */
void lt_paths_drop_fds(struct lt_syscall_paths *p, uint32_t process, int32_t from, int32_t to,
		       bool exec)
{
	uint32_t next;

	for (uint32_t i = lt_paths_process_at(p, process)->first; i; i = next) {
		const struct lt_syscall_fd *f = lt_paths_fd_at(p, i);

		next = f->next;
		if (f->fd >= from && f->fd <= to && (!exec || f->exec))
			lt_paths_drop_fd(p, i);
	}
}

void lt_paths_set_cwd(struct lt_syscall_process *proc, char *cwd, uint64_t since)
{
	free(proc->cwd);
	proc->cwd = cwd;
	proc->since = since;
}

void lt_paths_set_root(struct lt_syscall_process *proc, char *root)
{
	free(proc->root);
	proc->root = root;
}

/* Nothing is known of it from here on, or from its next call on. */
void lt_paths_empty(struct lt_syscall_paths *p, uint32_t process, bool unknown)
{
	lt_paths_drop_fds(p, process, 0, INT32_MAX, false);
	lt_paths_set_cwd(lt_paths_process_at(p, process), NULL, 0);
	lt_paths_process_at(p, process)->unknown |= unknown;
}

uint32_t lt_paths_find_process(const struct lt_syscall_paths *p, uint32_t tgid)
{
	uint32_t number;

	lt_map_for_each(number, at, &p->process_map, hash(p, tgid)) {
		if (lt_paths_process_at(p, number)->tgid == tgid)
			return number;
	}
	return 0;
}

uint32_t lt_paths_process_of(struct lt_syscall_paths *p, uint32_t tgid)
{
	uint32_t number = lt_paths_find_process(p, tgid);

	if (number)
		return number;
	number = lt_pool_get(&p->processes);
	*lt_paths_process_at(p, number) = (struct lt_syscall_process){ .tgid = tgid };
	lt_map_add(&p->process_map, hash(p, tgid), number);
	return number;
}

static void drop_process(struct lt_syscall_paths *p, uint32_t tgid)
{
	uint32_t number = lt_paths_find_process(p, tgid);

	if (!number)
		return;
	lt_paths_empty(p, number, false);
	lt_paths_set_root(lt_paths_process_at(p, number), NULL);
	lt_map_remove(&p->process_map, hash(p, tgid), number);
	lt_pool_put(&p->processes, number);
}

static uint32_t find_thread(const struct lt_syscall_paths *p, uint32_t tid)
{
	uint32_t number;

	lt_map_for_each(number, at, &p->thread_map, hash(p, tid)) {
		if (((struct lt_syscall_tid *)lt_pool_at(&p->threads, number))->tid == tid)
			return number;
	}
	return 0;
}

/* Only threads that are not their own leader are there. */
uint32_t lt_paths_tgid_of(const struct lt_syscall_paths *p, uint32_t tid)
{
	uint32_t number = find_thread(p, tid);

	return number ? ((struct lt_syscall_tid *)lt_pool_at(&p->threads, number))->tgid : tid;
}

void lt_syscall_paths_gone(struct lt_syscall_paths *p, uint32_t tid)
{
	uint32_t number = find_thread(p, tid);

	if (!number) {
		drop_process(p, tid);
		return;
	}
	lt_map_remove(&p->thread_map, hash(p, tid), number);
	lt_pool_put(&p->threads, number);
}

void lt_syscall_paths_task(struct lt_syscall_paths *p, uint32_t tid, uint32_t tgid)
{
	uint32_t number = find_thread(p, tid);

	if (tid == tgid || (number && lt_paths_tgid_of(p, tid) == tgid))
		return;
	if (!number) {
		number = lt_pool_get(&p->threads);
		lt_map_add(&p->thread_map, hash(p, tid), number);
	}
	*(struct lt_syscall_tid *)lt_pool_at(&p->threads, number) =
		(struct lt_syscall_tid){ tid, tgid };
}

/* ------------------------------------------------------------------------
 * Tasks
 */

static void copy(struct lt_syscall_paths *p, uint32_t from, uint32_t to)
{
	const struct lt_syscall_process *proc = lt_paths_process_at(p, from);
	const struct lt_syscall_fd *f;

	for (uint32_t i = proc->first; i && p->n < MOST; i = f->next) {
		f = lt_paths_fd_at(p, i);
		lt_paths_add_fd(p, to, f->fd, f->path, f->since, f->exec);
	}
	if (proc->cwd)
		lt_paths_set_cwd(lt_paths_process_at(p, to), lt_strdup(proc->cwd), proc->since);
	if (proc->root)
		lt_paths_set_root(lt_paths_process_at(p, to), lt_strdup(proc->root));
}

void lt_syscall_paths_born(struct lt_syscall_paths *p, uint64_t time, uint32_t creator,
			   uint32_t tid, uint32_t tgid, uint64_t clone_flags)
{
	uint32_t from, to;

	lt_syscall_paths_gone(p, tid);
	if (tid != tgid) {
		lt_syscall_paths_task(p, tid, tgid);
		return;
	}
	drop_process(p, tgid);
	from = lt_paths_process_of(p, lt_paths_tgid_of(p, creator));
	to = lt_paths_process_of(p, tgid);
	lt_paths_process_at(p, from)->shares_fs |= clone_flags & CLONE_FS_;
	lt_paths_process_at(p, to)->shares_fs = clone_flags & CLONE_FS_;
	/* Two processes with one table: each of them may close what the other one has opened. */
	if (clone_flags & CLONE_FILES_) {
		lt_paths_empty(p, from, true);
		lt_paths_empty(p, to, true);
		return;
	}
	copy(p, from, to);
	lt_paths_process_at(p, from)->forked = time;
	lt_paths_process_at(p, from)->child = tgid;
}

void lt_syscall_paths_free(struct lt_syscall_paths *p)
{
	if (!p)
		return;
	for (uint32_t i = 1; i < p->processes.next; i++) {
		struct lt_syscall_process *proc = lt_paths_process_at(p, i);

		/* What was given back has no descriptors, and no directory. */
		while (proc->first)
			lt_paths_drop_fd(p, proc->first);
		free(proc->cwd);
		free(proc->root);
	}
	free(p->made);
	lt_pool_destroy(&p->fds);
	lt_pool_destroy(&p->processes);
	lt_pool_destroy(&p->threads);
	lt_map_destroy(&p->fd_map);
	lt_map_destroy(&p->process_map);
	lt_map_destroy(&p->thread_map);
	lt_moved_destroy(&p->moved);
	free(p);
}
