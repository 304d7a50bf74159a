// SPDX-License-Identifier: GPL-2.0
/*
 * Which files the descriptors of processes are.
 *
 * A call is known when it ends. Another thread may have closed its descriptor while it lasted, and
 * opened another file with the number: so a path is that of a call if the descriptor was opened
 * before the call began.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/pool.h"
#include "calls/paths.h"
#include "calls/texts.h"
#include "calls/types.h"

#define CLONE_FILES_	0x400
#define CLONE_THREAD_	0x10000
#define O_CLOEXEC_	02000000	/* equal on all machines that are recorded */
#define O_TMPFILE_	020000000
#define AT_FDCWD_	(-100)
#define EBADF_		9
enum { DUPFD = 0, SETFD = 2, DUPFD_CLOEXEC = 1030 };	/* commands of fcntl() */
enum { RANGE_UNSHARE = 2, RANGE_CLOEXEC = 4 };		/* flags of close_range() */

#define MOST	(1U << 20)	/* descriptors; a hostile trace has processes without end */

/* Shared by the descriptors that are copies. */
struct path {
	uint32_t users;
	char text[];
};

/* A descriptor. @since: its file was opened then; @exec: execve() closes it, or may. */
struct fd {
	uint32_t process;
	uint32_t next;
	uint32_t prev;
	int32_t fd;
	uint64_t since;
	bool exec;
	struct path *path;
};

/*
 * @start: of its leader, 0: not known; @first: its descriptors, a list; @unknown: others may close
 * them, which is not seen; @since: when @cwd became its directory; @child: its latest copy, made at
 * the time @forked
 */
struct process {
	uint32_t tgid;
	uint32_t first;
	uint64_t start;
	bool unknown;
	char *cwd;
	uint64_t since;
	uint32_t child;
	uint64_t forked;
};

struct thread {
	uint32_t tid;
	uint32_t tgid;
};

struct lt_call_paths {
	const struct lt_trace *t;
	uint64_t seed;
	struct lt_pool fds, processes, threads;
	struct lt_map fd_map, process_map, thread_map;
	uint32_t n;		/* of @fds */
	char *made;		/* path of the file that a call has opened */
	bool made_exec;		/* execve() closes it */
};

struct lt_call_paths *lt_call_paths_new(const struct lt_trace *t)
{
	struct lt_call_paths *p = lt_alloc(sizeof(*p));

	p->t = t;
	p->seed = lt_hash_seed();
	lt_pool_init(&p->fds, sizeof(struct fd));
	lt_pool_init(&p->processes, sizeof(struct process));
	lt_pool_init(&p->threads, sizeof(struct thread));
	lt_map_init(&p->fd_map);
	lt_map_init(&p->process_map);
	lt_map_init(&p->thread_map);
	return p;
}

const char *lt_call_paths_missing(const struct lt_trace *t)
{
	static const struct { const char *key, *none, *text; } options[] = {
		{ "calls", "", "--calls" }, { "calls32", "", "--calls" },
		{ "call_errors", "N", "--call-errors" }, { "call_min", "0", "--call-min" },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		const char *value = lt_trace_info(t, options[i].key);

		if (value && strcmp(value, options[i].none) && strcmp(value, "0"))
			return options[i].text;
	}
	return NULL;
}

/* ------------------------------------------------------------------------
 * Tables
 */

static uint32_t hash(const struct lt_call_paths *p, uint64_t key)
{
	return (uint32_t)lt_hash64(key, p->seed);
}

static uint32_t hash_fd(const struct lt_call_paths *p, uint32_t process, int32_t fd)
{
	return hash(p, (uint64_t)process << 32 | (uint32_t)fd);
}

static struct fd *fd_at(const struct lt_call_paths *p, uint32_t number)
{
	return lt_pool_at(&p->fds, number);
}

static struct process *process_at(const struct lt_call_paths *p, uint32_t number)
{
	return lt_pool_at(&p->processes, number);
}

static uint32_t find_fd(const struct lt_call_paths *p, uint32_t process, int32_t fd)
{
	uint32_t number;

	lt_map_for_each(number, at, &p->fd_map, hash_fd(p, process, fd)) {
		const struct fd *f = fd_at(p, number);

		if (f->process == process && f->fd == fd)
			return number;
	}
	return 0;
}

static void drop_fd(struct lt_call_paths *p, uint32_t number)
{
	struct fd *f = fd_at(p, number);

	if (f->prev)
		fd_at(p, f->prev)->next = f->next;
	else
		process_at(p, f->process)->first = f->next;
	if (f->next)
		fd_at(p, f->next)->prev = f->prev;
	lt_map_remove(&p->fd_map, hash_fd(p, f->process, f->fd), number);
	if (!--f->path->users)
		free(f->path);
	lt_pool_put(&p->fds, number);
	p->n--;
}

static void add_fd(struct lt_call_paths *p, uint32_t process, int32_t fd, struct path *path,
		   uint64_t since, bool exec)
{
	struct process *proc = process_at(p, process);
	uint32_t old = find_fd(p, process, fd), number;

	/* A copy of itself keeps its path. */
	path->users++;
	if (old)
		drop_fd(p, old);
	if (p->n >= MOST || proc->unknown || fd < 0) {
		if (!--path->users)
			free(path);
		return;
	}
	number = lt_pool_get(&p->fds);
	*fd_at(p, number) = (struct fd){
		.process = process, .next = proc->first, .fd = fd, .since = since, .exec = exec,
		.path = path,
	};
	if (proc->first)
		fd_at(p, proc->first)->prev = number;
	proc->first = number;
	lt_map_add(&p->fd_map, hash_fd(p, process, fd), number);
	p->n++;
}

/* Those of a range, or that an execve closes if @exec. */
static void drop_fds(struct lt_call_paths *p, uint32_t process, int32_t from, int32_t to, bool exec)
{
	uint32_t next;

	for (uint32_t i = process_at(p, process)->first; i; i = next) {
		const struct fd *f = fd_at(p, i);

		next = f->next;
		if (f->fd >= from && f->fd <= to && (!exec || f->exec))
			drop_fd(p, i);
	}
}

static void set_cwd(struct process *proc, char *cwd, uint64_t since)
{
	free(proc->cwd);
	proc->cwd = cwd;
	proc->since = since;
}

/* Nothing is known of it from here on, or from its next call on. */
static void empty(struct lt_call_paths *p, uint32_t process, bool unknown)
{
	drop_fds(p, process, 0, INT32_MAX, false);
	set_cwd(process_at(p, process), NULL, 0);
	process_at(p, process)->unknown |= unknown;
}

static uint32_t find_process(const struct lt_call_paths *p, uint32_t tgid)
{
	uint32_t number;

	lt_map_for_each(number, at, &p->process_map, hash(p, tgid)) {
		if (process_at(p, number)->tgid == tgid)
			return number;
	}
	return 0;
}

static uint32_t process_of(struct lt_call_paths *p, uint32_t tgid)
{
	uint32_t number = find_process(p, tgid);

	if (number)
		return number;
	number = lt_pool_get(&p->processes);
	*process_at(p, number) = (struct process){ .tgid = tgid };
	lt_map_add(&p->process_map, hash(p, tgid), number);
	return number;
}

static void drop_process(struct lt_call_paths *p, uint32_t tgid)
{
	uint32_t number = find_process(p, tgid);

	if (!number)
		return;
	empty(p, number, false);
	lt_map_remove(&p->process_map, hash(p, tgid), number);
	lt_pool_put(&p->processes, number);
}

static uint32_t find_thread(const struct lt_call_paths *p, uint32_t tid)
{
	uint32_t number;

	lt_map_for_each(number, at, &p->thread_map, hash(p, tid)) {
		if (((struct thread *)lt_pool_at(&p->threads, number))->tid == tid)
			return number;
	}
	return 0;
}

/* Only threads that are not their own leader are there. */
static uint32_t tgid_of(const struct lt_call_paths *p, uint32_t tid)
{
	uint32_t number = find_thread(p, tid);

	return number ? ((struct thread *)lt_pool_at(&p->threads, number))->tgid : tid;
}

void lt_call_paths_gone(struct lt_call_paths *p, uint32_t tid)
{
	uint32_t number = find_thread(p, tid);

	if (!number) {
		drop_process(p, tid);
		return;
	}
	lt_map_remove(&p->thread_map, hash(p, tid), number);
	lt_pool_put(&p->threads, number);
}

void lt_call_paths_task(struct lt_call_paths *p, uint32_t tid, uint32_t tgid)
{
	uint32_t number = find_thread(p, tid);

	if (tid == tgid || (number && tgid_of(p, tid) == tgid))
		return;
	if (!number) {
		number = lt_pool_get(&p->threads);
		lt_map_add(&p->thread_map, hash(p, tid), number);
	}
	*(struct thread *)lt_pool_at(&p->threads, number) = (struct thread){ tid, tgid };
}

/* ------------------------------------------------------------------------
 * Tasks
 */

static void copy(struct lt_call_paths *p, uint32_t from, uint32_t to)
{
	const struct process *proc = process_at(p, from);
	const struct fd *f;

	for (uint32_t i = proc->first; i && p->n < MOST; i = f->next) {
		f = fd_at(p, i);
		add_fd(p, to, f->fd, f->path, f->since, f->exec);
	}
	if (proc->cwd)
		set_cwd(process_at(p, to), lt_strdup(proc->cwd), proc->since);
}

void lt_call_paths_born(struct lt_call_paths *p, uint64_t time, uint32_t creator, uint32_t tid,
			uint32_t tgid, uint64_t clone_flags)
{
	uint32_t from, to;

	lt_call_paths_gone(p, tid);
	if (tid != tgid) {
		lt_call_paths_task(p, tid, tgid);
		return;
	}
	drop_process(p, tgid);
	from = process_of(p, tgid_of(p, creator));
	to = process_of(p, tgid);
	/* Two processes with one table: each of them may close what the other one has opened. */
	if (clone_flags & CLONE_FILES_) {
		empty(p, from, true);
		empty(p, to, true);
		return;
	}
	copy(p, from, to);
	process_at(p, from)->forked = time;
	process_at(p, from)->child = tgid;
}

/* ------------------------------------------------------------------------
 * Calls
 */

static bool is(const struct lt_call *call, const char *names)
{
	const char *name = lt_call_name(call->abi, call->nr);
	size_t n = name ? strlen(name) : 0;

	while (n && *names) {
		size_t word = strcspn(names, " ");

		if (word == n && !memcmp(names, name, n))
			return true;
		names += word + (names[word] == ' ');
	}
	return false;
}

static uint32_t of_call(struct lt_call_paths *p, const struct lt_call *call)
{
	uint32_t number = process_of(p, call->tgid ? call->tgid : tgid_of(p, call->tid));
	struct process *proc = process_at(p, number);

	/* Its birth was not recorded. */
	if (call->tid == proc->tgid && call->start) {
		if (proc->start && proc->start != call->start)
			empty(p, number, false);
		proc->start = call->start;
	}
	return number;
}

/* Whether what is so since then is so in a call: what was lost may have changed it. */
static bool holds(const struct lt_call_paths *p, const struct lt_call *call, uint64_t since)
{
	return call->has_begin && call->begin >= since &&
	       lt_trace_gap_end(p->t, LT_SPACE_CALL) <= since &&
	       lt_trace_gap_end(p->t, LT_SPACE_TASK) <= since;
}

/* The path of a descriptor during a call, or where it begins with AT_FDCWD. */
static const char *path_at(struct lt_call_paths *p, uint32_t process, const struct lt_call *call,
			   int32_t fd)
{
	const struct process *proc = process_at(p, process);
	uint32_t number;
	const struct fd *f;

	if (fd == AT_FDCWD_)
		return proc->cwd && holds(p, call, proc->since) ? proc->cwd : NULL;
	number = find_fd(p, process, fd);
	if (!number)
		return NULL;
	f = fd_at(p, number);
	return holds(p, call, f->since) ? f->path->text : NULL;
}

/*
 * What a call has opened, in @p->made. Not that of openat2(), whose flags are in memory: the file
 * may have no name.
 */
static void find_made(struct lt_call_paths *p, uint32_t process, const struct lt_call *call)
{
	int32_t fd = (int32_t)call->args[0];
	bool *exec = &p->made_exec;
	const char *path = NULL;

	*exec = false;
	if (is(call, "creat") || (is(call, "open") && !(call->args[1] & O_TMPFILE_))) {
		p->made = lt_call_path(call, 0, path_at(p, process, call, AT_FDCWD_));
		*exec = is(call, "open") && call->args[1] & O_CLOEXEC_;
	} else if (is(call, "openat")) {
		*exec = call->args[2] & O_CLOEXEC_;
		if (!(call->args[2] & O_TMPFILE_))
			p->made = lt_call_path(call, 1, path_at(p, process, call, fd));
	} else if (is(call, "dup dup2 dup3")) {
		path = path_at(p, process, call, fd);
		*exec = is(call, "dup3") && call->args[2] & O_CLOEXEC_;
	} else if (is(call, "fcntl fcntl64") &&
		   (call->args[1] == DUPFD || call->args[1] == DUPFD_CLOEXEC)) {
		path = path_at(p, process, call, fd);
		*exec = call->args[1] == DUPFD_CLOEXEC;
	}
	if (path)
		p->made = lt_strdup(path);
}

static bool succeeded(const struct lt_call *call)
{
	return call->how == LT_CALL_RETURNED && !lt_call_error(call);
}

void lt_call_paths_show(struct lt_call_paths *p, struct lt_call *call)
{
	const char *letters = lt_call_letters(call->abi, call->nr);
	uint32_t process;

	lt_call_paths_task(p, call->tid, call->tgid ? call->tgid : call->tid);
	process = of_call(p, call);
	letters += letters[0] == '=';
	for (unsigned int i = 0; i < call->n_args && letters[i]; i++) {
		if (letters[i] == 'd' || letters[i] == 'D')
			call->paths[i] = path_at(p, process, call, (int32_t)call->args[i]);
	}
	if (succeeded(call))
		find_made(p, process, call);
	call->made = p->made;
}

/* ------------------------------------------------------------------------
 * What calls change
 */

/* Calls with a new descriptor as their result. */
static const char makers[] =
	"open openat openat2 creat dup dup2 dup3 socket accept accept4 epoll_create "
	"epoll_create1 eventfd eventfd2 signalfd signalfd4 timerfd_create inotify_init "
	"inotify_init1 memfd_create memfd_secret pidfd_open pidfd_getfd perf_event_open bpf "
	"userfaultfd fanotify_init fsopen fsmount fspick open_tree open_tree_attr "
	"landlock_create_ruleset mq_open open_by_handle_at";

static void on_close(struct lt_call_paths *p, uint32_t process, const struct lt_call *call)
{
	uint32_t number = find_fd(p, process, (int32_t)call->args[0]), copied, child;
	const struct process *proc = process_at(p, process);
	const struct fd *f;

	if (!number || (call->how == LT_CALL_RETURNED && lt_call_error(call) == EBADF_))
		return;
	f = fd_at(p, number);
	/* What another thread opened meanwhile has the number that this one has closed. */
	if (call->has_begin && call->begin < f->since)
		return;
	/* A process that was created meanwhile may have it, or not. */
	child = find_process(p, proc->child);
	if (child && proc->forked >= call->begin) {
		copied = find_fd(p, child, f->fd);
		if (copied && fd_at(p, copied)->path == f->path)
			drop_fd(p, copied);
	}
	drop_fd(p, number);
}

static void on_close_range(struct lt_call_paths *p, uint32_t process, const struct lt_call *call)
{
	uint32_t from = (uint32_t)call->args[0], to = (uint32_t)call->args[1];
	uint32_t flags = (uint32_t)call->args[2];

	if (flags & RANGE_UNSHARE)
		empty(p, process, true);
	if (to > INT32_MAX)
		to = INT32_MAX;
	if (from > to)
		return;
	if (!(flags & RANGE_CLOEXEC)) {
		drop_fds(p, process, (int32_t)from, (int32_t)to, false);
		return;
	}
	for (uint32_t i = process_at(p, process)->first; i; i = fd_at(p, i)->next) {
		struct fd *f = fd_at(p, i);

		f->exec |= f->fd >= (int32_t)from && f->fd <= (int32_t)to;
	}
}

static void on_directory(struct lt_call_paths *p, uint32_t process, const struct lt_call *call)
{
	struct process *proc = process_at(p, process);
	const char *path = NULL;
	char *to = NULL;

	if (call->how == LT_CALL_RETURNED && lt_call_error(call))
		return;
	if (is(call, "chdir"))
		to = lt_call_path(call, 0, path_at(p, process, call, AT_FDCWD_));
	else if (is(call, "getcwd"))
		to = lt_call_path(call, 0, NULL);
	else
		path = path_at(p, process, call, (int32_t)call->args[0]);
	set_cwd(proc, path ? lt_strdup(path) : to, call->end);
}

static void on_fcntl(struct lt_call_paths *p, uint32_t process, const struct lt_call *call)
{
	uint32_t number = find_fd(p, process, (int32_t)call->args[0]);

	if (number && call->args[1] == SETFD)
		fd_at(p, number)->exec = call->args[2] & 1;
}

static void on_made(struct lt_call_paths *p, uint32_t process, const struct lt_call *call)
{
	int32_t fd = (int32_t)call->result;
	size_t size;
	uint32_t old = find_fd(p, process, fd);
	struct path *path;

	if (old)
		drop_fd(p, old);
	if (!p->made)
		return;
	size = strlen(p->made) + 1;
	path = lt_alloc(sizeof(*path) + size);
	memcpy(path->text, p->made, size);
	add_fd(p, process, fd, path, call->end, p->made_exec);
}

void lt_call_paths_update(struct lt_call_paths *p, const struct lt_call *call)
{
	uint32_t process = of_call(p, call);

	if (is(call, "close"))
		on_close(p, process, call);
	else if (is(call, "close_range"))
		on_close_range(p, process, call);
	else if (is(call, "chdir fchdir getcwd"))
		on_directory(p, process, call);
	else if (is(call, "io_uring_setup") ||
		 (is(call, "unshare") && call->args[0] & CLONE_FILES_))
		empty(p, process, true);
	else if (succeeded(call) && is(call, "execve execveat"))
		drop_fds(p, process, 0, INT32_MAX, true);
	else if (succeeded(call) && (p->made || is(call, makers)))
		on_made(p, process, call);
	else if (succeeded(call) && is(call, "fcntl fcntl64"))
		on_fcntl(p, process, call);
	free(p->made);
	p->made = NULL;
}

void lt_call_paths_free(struct lt_call_paths *p)
{
	if (!p)
		return;
	for (uint32_t i = 1; i < p->processes.next; i++) {
		struct process *proc = process_at(p, i);

		/* What was given back has no descriptors, and no directory. */
		while (proc->first)
			drop_fd(p, proc->first);
		free(proc->cwd);
	}
	free(p->made);
	lt_pool_destroy(&p->fds);
	lt_pool_destroy(&p->processes);
	lt_pool_destroy(&p->threads);
	lt_map_destroy(&p->fd_map);
	lt_map_destroy(&p->process_map);
	lt_map_destroy(&p->thread_map);
	free(p);
}
