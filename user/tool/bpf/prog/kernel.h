/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's structs, as far as programs use them. Where their members are is found when a
 * program is loaded, from the types of the kernel that runs (BTF).
 */
#ifndef LT_BPF_KERNEL_H
#define LT_BPF_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* For the headers of libbpf, which expect them. */
typedef __u64 u64;
typedef __u32 u32;
typedef __u16 u16;
typedef __u8 u8;
typedef __s32 s32;
typedef __s64 s64;

#define __ksym_struct __attribute__((preserve_access_index))

struct refcount_struct {
	struct {
		int counter;
	} refs;
} __ksym_struct;

struct rq;

struct cfs_rq {
	struct rq *rq;
} __ksym_struct;

struct sched_entity {
	struct cfs_rq *cfs_rq;
	u64 sum_exec_runtime;
} __ksym_struct;

struct thread_info {
	unsigned long flags;
	u32 status;
	struct {
		u32 count;
	} preempt;
} __ksym_struct;

struct ns_common {
	unsigned int inum;
	u64 ino;
} __ksym_struct;

struct idr {
	unsigned int idr_next;
} __ksym_struct;

struct pid_namespace {
	struct idr idr;
	struct ns_common ns;
	struct pid_namespace *parent;
} __ksym_struct;

struct upid {
	int nr;
	struct pid_namespace *ns;
} __ksym_struct;

struct pid {
	unsigned int level;
	u64 ino;
	struct upid numbers[1];
} __ksym_struct;

typedef struct {
	unsigned int val;
} kuid_t;

typedef struct {
	unsigned int val;
} kgid_t;

struct cred {
	kuid_t uid;
	kgid_t gid;
	kuid_t euid;
	kgid_t egid;
} __ksym_struct;

struct kernfs_node {
	u64 id;
} __ksym_struct;

struct cgroup_root {
	int hierarchy_id;
} __ksym_struct;

struct cgroup {
	struct kernfs_node *kn;
	struct cgroup_root *root;
} __ksym_struct;

struct css_set {
	struct cgroup *dfl_cgrp;
} __ksym_struct;

struct task_io_accounting {
	u64 rchar;
	u64 wchar;
	u64 read_bytes;
	u64 write_bytes;
} __ksym_struct;

struct signal_struct {
	struct {
		int counter;
	} live;
	unsigned long maxrss;
	short oom_score_adj;
	struct pid *pids[4];
} __ksym_struct;

struct vfsmount;

struct qstr {
	u32 len;
	const unsigned char *name;
} __ksym_struct;

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
} __ksym_struct;

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
} __ksym_struct;

struct vfsmount {
	struct dentry *mnt_root;
} __ksym_struct;

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
} __ksym_struct;

struct file {
	struct path f_path;
} __ksym_struct;

struct mm_struct {
	struct file *exe_file;
} __ksym_struct;

struct linux_binprm {
	struct file *file;
	const char *filename;
} __ksym_struct;

struct seccomp {
	int mode;
} __ksym_struct;

struct task_struct {
	struct thread_info thread_info;
	void *stack;
	unsigned int flags;
	unsigned int ptrace;
	unsigned int __state;
	int exit_state;
	int exit_code;
	int pid;
	int tgid;
	u64 start_boottime;
	u64 utime;
	u64 stime;
	unsigned long nvcsw;
	unsigned long nivcsw;
	unsigned long min_flt;
	unsigned long maj_flt;
	struct sched_entity se;
	struct task_struct *group_leader;
	struct task_struct *real_parent;
	struct signal_struct *signal;
	struct pid *thread_pid;
	const struct cred *real_cred;
	struct css_set *cgroups;
	struct mm_struct *mm;
	struct task_io_accounting ioac;
	struct seccomp seccomp;
	unsigned in_execve:1;
	char comm[16];
} __ksym_struct;

struct kmem_cache {
	unsigned int size;
	unsigned int object_size;
	const char *name;
} __ksym_struct;

/* Flags of a task. */
#define PF_IO_WORKER	0x00000010
#define PF_EXITING	0x00000004
#define PF_KTHREAD	0x00200000
#define PF_USER_WORKER	0x00004000

#endif /* LT_BPF_KERNEL_H */
