// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which files the descriptors of processes are.
 *
 * A call is known when it ends. Another thread may have closed its descriptor while it lasted, and
 * opened another file with the number: so a path is that of a call if the descriptor was opened
 * before the call began.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "syscalls/paths_table.h"
#include "syscalls/texts.h"
#include "syscalls/types.h"

#define CLONE_FILES_	0x400
#define O_CLOEXEC_	02000000	/* equal on all machines that are recorded */
#define O_TMPFILE_	020000000
#define AT_FDCWD_	(-100)
#define EBADF_		9
#define RENAME_EXCHANGE_	2
enum { DUPFD = 0, SETFD = 2, DUPFD_CLOEXEC = 1030 };	/* commands of fcntl() */
enum { RANGE_UNSHARE = 2, RANGE_CLOEXEC = 4 };		/* flags of close_range() */

static bool is(const struct lt_syscall *call, const char *names)
{
	const char *name = lt_syscall_name(call->abi, call->nr);
	size_t n = name ? strlen(name) : 0;

	while (n && *names) {
		size_t word = strcspn(names, " ");

		if (word == n && !memcmp(names, name, n))
			return true;
		names += word + (names[word] == ' ');
	}
	return false;
}

static uint32_t of_call(struct lt_syscall_paths *p, const struct lt_syscall *call)
{
	uint32_t tgid = call->tgid ? call->tgid : lt_paths_tgid_of(p, call->tid);
	uint32_t number = lt_paths_process_of(p, tgid);
	struct lt_syscall_process *proc = lt_paths_process_at(p, number);

	/* Its birth was not recorded. */
	if (call->tid == proc->tgid && call->start) {
		if (proc->start && proc->start != call->start)
			lt_paths_empty(p, number, false);
		proc->start = call->start;
	}
	return number;
}

/* Whether what is so since then is so in a call: what was lost may have changed it. */
static bool holds(const struct lt_syscall_paths *p, const struct lt_syscall *call, uint64_t since)
{
	return call->has_begin && call->begin >= since &&
	       lt_trace_gap_end(p->t, LT_SPACE_SYSCALL) <= since &&
	       lt_trace_gap_end(p->t, LT_SPACE_TASK) <= since;
}

/* A path that is not what it was is none. */
static const char *unmoved(const struct lt_syscall_paths *p, const char *path, uint64_t since)
{
	return lt_moved_at(&p->moved, path) < since ? path : NULL;
}

/* The path of a descriptor during a call, or where it begins with AT_FDCWD. */
static const char *path_at(struct lt_syscall_paths *p, uint32_t process,
			   const struct lt_syscall *call, int32_t fd)
{
	const struct lt_syscall_process *proc = lt_paths_process_at(p, process);
	uint32_t number;
	const struct lt_syscall_fd *f;

	if (fd == AT_FDCWD_)
		return proc->cwd && !proc->shares_fs && holds(p, call, proc->since) ?
		       unmoved(p, proc->cwd, proc->since) : NULL;
	number = lt_paths_find_fd(p, process, fd);
	if (!number)
		return NULL;
	f = lt_paths_fd_at(p, number);
	return holds(p, call, f->since) ? unmoved(p, f->path->text, f->since) : NULL;
}

/*
 * The path that an argument is, in the tree of which the process sees a part; @fd: where a path
 * begins that does not begin with /. Return: to be freed; NULL: not known.
 */
static char *resolve(struct lt_syscall_paths *p, uint32_t process, const struct lt_syscall *call,
		     unsigned int arg, int32_t fd)
{
	const char *root = lt_paths_process_at(p, process)->root;
	char *path = lt_syscall_path(call, arg, NULL), *whole = NULL;

	if (!path)
		return lt_syscall_path(call, arg, path_at(p, process, call, fd));
	if (!root)
		return path;
	if (*root && !lt_paths_process_at(p, process)->shares_fs)
		whole = lt_format("%s%s", root, strcmp(path, "/") ? path : "");
	free(path);
	return whole;
}

static bool begins_at_root(const struct lt_syscall *call, unsigned int arg)
{
	char *path = lt_syscall_path(call, arg, NULL);
	bool begins = path;

	free(path);
	return begins;
}

/*
 * What a call has opened, in @p->made. The flags of openat2() are in memory: execve() may close the
 * file, and a path that begins with / may begin at the directory.
 */
static void find_made(struct lt_syscall_paths *p, uint32_t process, const struct lt_syscall *call)
{
	int32_t fd = (int32_t)call->args[0];
	bool *exec = &p->made_exec;
	const char *path = NULL;

	*exec = false;
	if (is(call, "creat") || (is(call, "open") && !(call->args[1] & O_TMPFILE_))) {
		p->made = resolve(p, process, call, 0, AT_FDCWD_);
		*exec = is(call, "open") && call->args[1] & O_CLOEXEC_;
	} else if (is(call, "openat")) {
		*exec = call->args[2] & O_CLOEXEC_;
		if (!(call->args[2] & O_TMPFILE_))
			p->made = resolve(p, process, call, 1, fd);
	} else if (is(call, "openat2")) {
		*exec = true;
		if (!begins_at_root(call, 1) || fd == AT_FDCWD_)
			p->made = resolve(p, process, call, 1, fd);
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

static bool succeeded(const struct lt_syscall *call)
{
	return call->how == LT_SYSCALL_RETURNED && !lt_syscall_error(call);
}

void lt_syscall_paths_show(struct lt_syscall_paths *p, struct lt_syscall *call)
{
	const char *letters = lt_syscall_letters(call->abi, call->nr);
	uint32_t process;

	lt_syscall_paths_task(p, call->tid, call->tgid ? call->tgid : call->tid);
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

static void on_close(struct lt_syscall_paths *p, uint32_t process, const struct lt_syscall *call)
{
	uint32_t number = lt_paths_find_fd(p, process, (int32_t)call->args[0]), copied, child;
	const struct lt_syscall_process *proc = lt_paths_process_at(p, process);
	const struct lt_syscall_fd *f;

	if (!number || (call->how == LT_SYSCALL_RETURNED && lt_syscall_error(call) == EBADF_))
		return;
	f = lt_paths_fd_at(p, number);
	/* What another thread opened meanwhile has the number that this one has closed. */
	if (call->has_begin && call->begin < f->since)
		return;
	/* A process that was created meanwhile may have it, or not. */
	child = lt_paths_find_process(p, proc->child);
	if (child && proc->forked >= call->begin) {
		copied = lt_paths_find_fd(p, child, f->fd);
		if (copied && lt_paths_fd_at(p, copied)->path == f->path)
			lt_paths_drop_fd(p, copied);
	}
	lt_paths_drop_fd(p, number);
}

static void on_close_range(struct lt_syscall_paths *p, uint32_t process,
			   const struct lt_syscall *call)
{
	uint32_t from = (uint32_t)call->args[0], to = (uint32_t)call->args[1];
	uint32_t flags = (uint32_t)call->args[2];

	if (flags & RANGE_UNSHARE)
		lt_paths_empty(p, process, true);
	if (to > INT32_MAX)
		to = INT32_MAX;
	if (from > to)
		return;
	if (!(flags & RANGE_CLOEXEC)) {
		lt_paths_drop_fds(p, process, (int32_t)from, (int32_t)to, false);
		return;
	}
	for (uint32_t i = lt_paths_process_at(p, process)->first, next; i; i = next) {
		struct lt_syscall_fd *f = lt_paths_fd_at(p, i);

		f->exec |= f->fd >= (int32_t)from && f->fd <= (int32_t)to;
		next = f->next;
	}
}

/* What was renamed has another path, also in other processes. */
static void on_rename(struct lt_syscall_paths *p, uint32_t process, const struct lt_syscall *call)
{
	bool at = !is(call, "rename");
	unsigned int n = is(call, "renameat2") && call->args[4] & RENAME_EXCHANGE_ ? 2 : 1;

	for (unsigned int i = 0; i < n; i++) {
		unsigned int arg = at ? 2 * i + 1 : i;
		int32_t fd = at ? (int32_t)call->args[2 * i] : AT_FDCWD_;
		char *path = resolve(p, process, call, arg, fd);
		char *bare = path ? NULL : lt_syscall_path(call, arg, "");

		if (path)
			lt_moved_add(&p->moved, path, call->end);
		else if (bare)
			lt_moved_add(&p->moved, strrchr(bare, '/') + 1, call->end);
		else
			lt_moved_add_all(&p->moved, call->end);
		free(path);
		free(bare);
	}
}

static void on_root(struct lt_syscall_paths *p, uint32_t process, const struct lt_syscall *call)
{
	struct lt_syscall_process *proc = lt_paths_process_at(p, process);
	char *root = NULL;

	if (is(call, "setns")) {
		lt_paths_set_cwd(proc, NULL, 0);
		lt_paths_set_root(proc, NULL);
	} else if (is(call, "pivot_root")) {
		/* Also of other processes; paths begin in another tree from here on. */
		lt_moved_add_all(&p->moved, call->end);
		lt_paths_set_root(proc, NULL);
	} else {
		if (is(call, "chroot"))
			root = resolve(p, process, call, 0, AT_FDCWD_);
		if (root && !strcmp(root, "/")) {
			free(root);
			return;
		}
		lt_paths_set_root(proc, root ? root : lt_strdup(""));
	}
}

static void on_directory(struct lt_syscall_paths *p, uint32_t process,
			 const struct lt_syscall *call)
{
	struct lt_syscall_process *proc = lt_paths_process_at(p, process);
	const char *path = NULL;
	char *to = NULL;

	if (call->how == LT_SYSCALL_RETURNED && lt_syscall_error(call))
		return;
	if (is(call, "chdir getcwd"))
		to = resolve(p, process, call, 0, AT_FDCWD_);
	else
		path = path_at(p, process, call, (int32_t)call->args[0]);
	lt_paths_set_cwd(proc, path ? lt_strdup(path) : to, call->end);
}

static void on_fcntl(struct lt_syscall_paths *p, uint32_t process, const struct lt_syscall *call)
{
	uint32_t number = lt_paths_find_fd(p, process, (int32_t)call->args[0]);

	if (number && call->args[1] == SETFD)
		lt_paths_fd_at(p, number)->exec = call->args[2] & 1;
}

static void on_made(struct lt_syscall_paths *p, uint32_t process, const struct lt_syscall *call)
{
	int32_t fd = (int32_t)call->result;
	size_t size;
	uint32_t old = lt_paths_find_fd(p, process, fd);
	struct lt_syscall_file *path;

	if (old)
		lt_paths_drop_fd(p, old);
	/* What was renamed meanwhile may have been opened before or after that. */
	if (!p->made || lt_moved_at(&p->moved, p->made) >= call->begin)
		return;
	size = strlen(p->made) + 1;
	path = lt_alloc(sizeof(*path) + size);
	memcpy(path->text, p->made, size);
	lt_paths_add_fd(p, process, fd, path, call->end, p->made_exec);
}

void lt_syscall_paths_update(struct lt_syscall_paths *p, const struct lt_syscall *call)
{
	uint32_t process = of_call(p, call);

	if (is(call, "close"))
		on_close(p, process, call);
	else if (is(call, "close_range"))
		on_close_range(p, process, call);
	else if (is(call, "chdir fchdir getcwd"))
		on_directory(p, process, call);
	else if (succeeded(call) && is(call, "rename renameat renameat2"))
		on_rename(p, process, call);
	else if (succeeded(call) && is(call, "chroot fchroot pivot_root setns"))
		on_root(p, process, call);
	else if (is(call, "io_uring_setup") ||
		 (is(call, "unshare") && call->args[0] & CLONE_FILES_))
		lt_paths_empty(p, process, true);
	else if (succeeded(call) && is(call, "execve execveat"))
		lt_paths_drop_fds(p, process, 0, INT32_MAX, true);
	else if (succeeded(call) && (p->made || is(call, makers)))
		on_made(p, process, call);
	else if (succeeded(call) && is(call, "fcntl fcntl64"))
		on_fcntl(p, process, call);
	free(p->made);
	p->made = NULL;
}
