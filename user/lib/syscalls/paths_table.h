/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors, processes and threads of struct lt_syscall_paths: for paths.c alone.
 */
#ifndef LT_SYSCALLS_PATHS_TABLE_H
#define LT_SYSCALLS_PATHS_TABLE_H

#include "base/map.h"
#include "base/pool.h"
#include "syscalls/moved.h"
#include "syscalls/paths.h"

/* Shared by the descriptors that are copies. */
struct lt_syscall_file {
	uint32_t users;
	char text[];
};

/* A descriptor. @since: its file was opened then; @exec: execve() closes it, or may. */
struct lt_syscall_fd {
	uint32_t process;
	uint32_t next;
	uint32_t prev;
	int32_t fd;
	uint64_t since;
	bool exec;
	struct lt_syscall_file *path;
};

/*
 * @start: of its leader, 0: not known; @first: its descriptors, a list; @unknown: others may close
 * them, which is not seen; @since: when @cwd became its directory; @child: its latest copy, made at
 * the time @forked; @root: where its paths begin, NULL: at /, "": not known; @shares_fs: another
 * process may change @cwd and @root
 */
struct lt_syscall_process {
	uint32_t tgid;
	uint32_t first;
	uint64_t start;
	bool unknown;
	char *cwd;
	uint64_t since;
	uint32_t child;
	uint64_t forked;
	char *root;
	bool shares_fs;
};

struct lt_syscall_tid {
	uint32_t tid;
	uint32_t tgid;
};

struct lt_syscall_paths {
	const struct lt_trace *t;
	uint64_t seed;
	struct lt_pool fds, processes, threads;
	struct lt_map fd_map, process_map, thread_map;
	struct lt_moved moved;
	uint32_t n;		/* of @fds */
	char *made;		/* path of the file that a call has opened */
	bool made_exec;		/* execve() closes it */
};

/* By number. */
struct lt_syscall_fd *lt_paths_fd_at(const struct lt_syscall_paths *p, uint32_t number);
struct lt_syscall_process *lt_paths_process_at(const struct lt_syscall_paths *p, uint32_t number);

/* Numbers; 0: there is none. lt_paths_process_of() makes one. */
uint32_t lt_paths_find_fd(const struct lt_syscall_paths *p, uint32_t process, int32_t fd);
uint32_t lt_paths_find_process(const struct lt_syscall_paths *p, uint32_t tgid);
uint32_t lt_paths_process_of(struct lt_syscall_paths *p, uint32_t tgid);

/* The process of a thread; its own number if it is not known as a thread. */
uint32_t lt_paths_tgid_of(const struct lt_syscall_paths *p, uint32_t tid);

/* A copy of itself keeps its path. */
void lt_paths_add_fd(struct lt_syscall_paths *p, uint32_t process, int32_t fd,
		     struct lt_syscall_file *path, uint64_t since, bool exec);
void lt_paths_drop_fd(struct lt_syscall_paths *p, uint32_t number);

/* Those of a range; @exec: of these such as an execve closes. */
void lt_paths_drop_fds(struct lt_syscall_paths *p, uint32_t process, int32_t from,
		       int32_t to, bool exec);

/* These take over @cwd and @root. */
void lt_paths_set_cwd(struct lt_syscall_process *proc, char *cwd, uint64_t since);
void lt_paths_set_root(struct lt_syscall_process *proc, char *root);

/* Nothing is known of it from here on; @unknown: nor will be. */
void lt_paths_empty(struct lt_syscall_paths *p, uint32_t process, bool unknown);

#endif /* LT_SYSCALLS_PATHS_TABLE_H */
