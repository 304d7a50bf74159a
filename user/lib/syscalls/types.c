// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the arguments of system calls are: a letter each.
 *
 *	d descriptor	D descriptor or AT_FDCWD	p address	i int, decimal
 *	u unsigned int	l long, decimal		z size_t	x hexadecimal	o file mode
 *	q int, the number of a task, process, group or session: see numbers.h
 *
 * Addresses of what the module can record, with the letters of LT_SYS_TEXT_KINDS: t text, v array
 * of texts, k and g address of a socket, r text as a result.
 *
 * Every other letter stands for a set of names: see args.c.
 */
#include <string.h>

#include "syscalls/names.h"
#include "syscalls/types.h"

/* By name, since the ABIs share them. '=' in front: the result is an address. */
static const struct {
	const char *name;
	const char *letters;
} types[] = {
	{ "read", "dpz" }, { "write", "dpz" }, { "open", "tOo" }, { "close", "d" },
	{ "stat", "tp" }, { "fstat", "dp" }, { "lstat", "tp" }, { "stat64", "tp" },
	{ "fstat64", "dp" }, { "lstat64", "tp" }, { "newfstatat", "DtpA" },
	{ "fstatat64", "DtpA" }, { "statx", "Dtsxp" }, { "poll", "pui" }, { "ppoll", "puppz" },
	{ "lseek", "dlK" }, { "mmap", "=pzPMdx" }, { "mmap2", "=pzPMdx" },
	{ "mprotect", "pzP" }, { "munmap", "pz" }, { "brk", "=p" }, { "mremap", "=pzzxp" },
	{ "madvise", "pzB" }, { "msync", "pzx" }, { "mincore", "pzp" }, { "mlock", "pz" },
	{ "munlock", "pz" }, { "mlock2", "pzx" }, { "rt_sigaction", "Sppz" },
	{ "rt_sigprocmask", "Lppz" }, { "rt_sigreturn", "" }, { "rt_sigpending", "pz" },
	{ "rt_sigsuspend", "pz" }, { "rt_sigtimedwait", "pppz" }, { "rt_sigqueueinfo", "qSp" },
	{ "rt_tgsigqueueinfo", "qqSp" }, { "sigaltstack", "pp" }, { "ioctl", "dxx" },
	{ "pread64", "dpzl" }, { "pwrite64", "dpzl" }, { "readv", "dpu" }, { "writev", "dpu" },
	{ "preadv", "dpuxx" }, { "pwritev", "dpuxx" }, { "access", "ta" },
	{ "faccessat", "Dta" }, { "faccessat2", "Dtae" }, { "pipe", "p" }, { "pipe2", "pQ" },
	{ "select", "ipppp" }, { "pselect6", "ippppp" }, { "sched_yield", "" },
	{ "dup", "d" }, { "dup2", "dd" }, { "dup3", "ddQ" }, { "pause", "" },
	{ "nanosleep", "pp" }, { "clock_nanosleep", "Yxpp" }, { "clock_gettime", "Yp" },
	{ "clock_settime", "Yp" }, { "clock_getres", "Yp" }, { "clock_adjtime", "Yp" },
	{ "getitimer", "ip" }, { "setitimer", "ipp" }, { "alarm", "u" }, { "getpid", "" },
	{ "gettid", "" }, { "getppid", "" }, { "getuid", "" }, { "geteuid", "" },
	{ "getgid", "" }, { "getegid", "" }, { "getpgrp", "" }, { "getpgid", "q" },
	{ "setpgid", "qq" }, { "getsid", "q" }, { "setsid", "" }, { "sendfile", "ddpz" },
	{ "sendfile64", "ddpz" }, { "socket", "NTi" }, { "socketpair", "NTip" },
	{ "connect", "dki" }, { "accept", "dgp" }, { "accept4", "dgpT" }, { "bind", "dki" },
	{ "listen", "di" }, { "getsockname", "dgp" }, { "getpeername", "dgp" },
	{ "setsockopt", "diipi" }, { "getsockopt", "diipp" }, { "shutdown", "di" },
	{ "sendto", "dpzJki" }, { "recvfrom", "dpzJgp" }, { "sendmsg", "dpJ" },
	{ "recvmsg", "dpJ" }, { "sendmmsg", "dpuJ" }, { "recvmmsg", "dpuJp" },
	{ "clone", "Cpppp" }, { "clone3", "pz" }, { "fork", "" }, { "vfork", "" },
	{ "execve", "tvp" }, { "execveat", "DtvpA" }, { "exit", "i" }, { "exit_group", "i" },
	{ "wait4", "qpWp" }, { "waitid", "iqpWp" }, { "kill", "qS" }, { "tkill", "qS" },
	{ "tgkill", "qqS" }, { "uname", "p" }, { "semget", "xix" }, { "shmget", "xzx" },
	{ "shmat", "=ipx" }, { "shmdt", "p" }, { "fcntl", "dFx" }, { "fcntl64", "dFx" },
	{ "flock", "di" }, { "fsync", "d" }, { "fdatasync", "d" }, { "syncfs", "d" },
	{ "sync", "" }, { "truncate", "tl" }, { "ftruncate", "dl" }, { "fallocate", "dxll" },
	{ "getdents", "dpz" }, { "getdents64", "dpz" }, { "getcwd", "rz" }, { "chdir", "t" },
	{ "fchdir", "d" }, { "rename", "tt" }, { "renameat", "DtDt" }, { "renameat2", "DtDtx" },
	{ "mkdir", "to" }, { "mkdirat", "Dto" }, { "rmdir", "t" }, { "creat", "to" },
	{ "link", "tt" }, { "linkat", "DtDtA" }, { "unlink", "t" }, { "unlinkat", "DtA" },
	{ "symlink", "tt" }, { "symlinkat", "tDt" }, { "readlink", "trz" },
	{ "readlinkat", "Dtrz" }, { "chmod", "to" }, { "fchmod", "do" }, { "fchmodat", "Dto" },
	{ "chown", "tuu" }, { "fchown", "duu" }, { "lchown", "tuu" }, { "fchownat", "DtuuA" },
	{ "umask", "o" }, { "mknod", "tox" }, { "mknodat", "Dtox" }, { "openat", "DtOo" },
	{ "openat2", "Dtpz" }, { "utimensat", "DtpA" }, { "gettimeofday", "pp" },
	{ "settimeofday", "pp" }, { "time", "p" }, { "getrlimit", "Rp" }, { "ugetrlimit", "Rp" },
	{ "setrlimit", "Rp" },
	{ "prlimit64", "qRpp" }, { "getrusage", "ip" }, { "sysinfo", "p" }, { "times", "p" },
	{ "setuid", "u" }, { "setgid", "u" }, { "setreuid", "ii" }, { "setregid", "ii" },
	{ "setresuid", "iii" }, { "setresgid", "iii" }, { "getresuid", "ppp" },
	{ "getresgid", "ppp" }, { "getgroups", "ip" }, { "setgroups", "ip" },
	{ "capget", "pp" }, { "capset", "pp" }, { "prctl", "ixxxx" }, { "arch_prctl", "xp" },
	{ "set_tid_address", "p" }, { "set_robust_list", "pz" }, { "get_robust_list", "qpp" },
	{ "futex", "pXuppx" }, { "sched_getaffinity", "qzp" }, { "sched_setaffinity", "qzp" },
	{ "sched_getparam", "qp" }, { "sched_setparam", "qp" }, { "sched_getscheduler", "q" },
	{ "sched_setscheduler", "qip" }, { "getpriority", "iq" }, { "setpriority", "iqi" },
	{ "epoll_create", "i" }, { "epoll_create1", "x" }, { "epoll_ctl", "dEdp" },
	{ "epoll_wait", "dpii" }, { "epoll_pwait", "dpiipz" }, { "epoll_pwait2", "dpippz" },
	{ "eventfd", "u" }, { "eventfd2", "ux" }, { "signalfd", "dpz" },
	{ "signalfd4", "dpzx" }, { "timerfd_create", "Yx" }, { "timerfd_settime", "dxpp" },
	{ "timerfd_gettime", "dp" }, { "inotify_init", "" }, { "inotify_init1", "x" },
	{ "inotify_add_watch", "dtx" }, { "inotify_rm_watch", "di" }, { "memfd_create", "tx" },
	{ "getrandom", "pzG" }, { "getcpu", "ppp" }, { "statfs", "tp" }, { "fstatfs", "dp" },
	{ "statfs64", "tzp" }, { "fstatfs64", "dzp" }, { "mount", "tttxp" }, { "umount2", "tx" },
	{ "chroot", "t" }, { "pivot_root", "tt" }, { "swapon", "tx" }, { "swapoff", "t" },
	{ "splice", "dpdpzx" }, { "tee", "ddzx" }, { "vmsplice", "dpzx" },
	{ "copy_file_range", "dpdpzx" }, { "fadvise64", "dlzi" }, { "readahead", "dlz" },
	{ "sync_file_range", "dllx" }, { "setxattr", "ttpzx" }, { "getxattr", "ttpz" },
	{ "lgetxattr", "ttpz" }, { "fgetxattr", "dtpz" }, { "listxattr", "tpz" },
	{ "llistxattr", "tpz" }, { "flistxattr", "dpz" }, { "unshare", "n" }, { "setns", "dn" },
	{ "pidfd_open", "qx" }, { "pidfd_send_signal", "dSpx" }, { "pidfd_getfd", "ddx" },
	{ "close_range", "uux" }, { "rseq", "pxxx" }, { "membarrier", "ixi" },
	{ "io_uring_setup", "up" }, { "io_uring_enter", "duuxpz" },
	{ "io_uring_register", "dupu" }, { "bpf", "ipu" }, { "perf_event_open", "pqidx" },
	{ "seccomp", "uxp" }, { "ptrace", "lqpp" }, { "init_module", "pzt" },
	{ "finit_module", "dtx" }, { "delete_module", "tx" }, { "kexec_load", "pzpx" },
	{ "add_key", "ttpzi" }, { "keyctl", "ixxxx" }, { "timer_create", "Ypp" },
	{ "timer_settime", "ixpp" }, { "timer_gettime", "ip" }, { "timer_delete", "i" },
	{ "timer_getoverrun", "i" }, { "sethostname", "pz" }, { "setdomainname", "pz" },
	{ "personality", "x" }, { "syslog", "ipi" }, { "restart_syscall", "" },
	{ "process_vm_readv", "qpupux" }, { "process_vm_writev", "qpupux" },
	{ "landlock_create_ruleset", "pzx" }, { "name_to_handle_at", "DtppA" },
	{ "io_setup", "up" }, { "io_destroy", "x" }, { "io_submit", "xlp" },
	{ "io_getevents", "xllpp" }, { "msgget", "xx" }, { "msgsnd", "ipzx" },
	{ "open_tree", "DtA" }, { "mount_setattr", "DtApz" },
	{ "futex_waitv", "puxpY" }, { "mq_open", "tOop" }, { "fanotify_init", "xO" },
	{ "fanotify_mark", "dxxDt" }, { "msgrcv", "ipzlx" }, { "semop", "ipz" },
	{ "semtimedop", "ipzp" }, { "lsetxattr", "ttpzx" }, { "fsetxattr", "dtpzx" },
	{ "removexattr", "tt" }, { "lremovexattr", "tt" }, { "fremovexattr", "dt" },
	{ "mq_unlink", "t" }, { "acct", "t" }, { "utime", "tp" }, { "utimes", "tp" },
	{ "futimesat", "Dtp" }, { "move_mount", "DtDtx" }, { "fsopen", "tx" }, { "fspick", "Dtx" },
	{ "request_key", "ttti" }, { "uselib", "t" }, { "umount", "t" }, { "truncate64", "t" },
	{ "chown32", "tuu" }, { "lchown32", "tuu" }, { "oldstat", "tp" }, { "oldlstat", "tp" },
	{ "utimensat_time64", "DtpA" }, { "fchmodat2", "DtoA" }, { "socketcall", "Hp" },
	{ "ipc", "I???p?" }, { "waitpid", "qpW" }, { "kcmp", "qqixx" }, { "ioprio_get", "iq" },
	{ "ioprio_set", "iqx" }, { "migrate_pages", "qzpp" }, { "move_pages", "qzpppx" },
	{ "sched_setattr", "qpx" }, { "sched_getattr", "qpux" }, { "sched_rr_get_interval", "qp" },
	{ "sched_rr_get_interval_time64", "qp" },
};

#define N_TYPES	(sizeof(types) / sizeof(types[0]))

const struct lt_value_name lt_family_names[] = {
	{ 0, "AF_UNSPEC" }, { 1, "AF_UNIX" }, { 2, "AF_INET" }, { 10, "AF_INET6" },
	{ 16, "AF_NETLINK" }, { 17, "AF_PACKET" }, { 38, "AF_ALG" }, { 40, "AF_VSOCK" },
	{ 0, NULL }
};

const char *lt_family_name(uint32_t family)
{
	for (const struct lt_value_name *f = lt_family_names; f->name; f++) {
		if (f->value == family)
			return f->name;
	}
	return NULL;
}

size_t lt_n_syscall_types(void)
{
	return N_TYPES;
}

const char *lt_syscall_type_name(size_t i)
{
	return types[i].name;
}

const char *lt_syscall_letters(const struct lt_abi *abi, int32_t nr)
{
	const char *name = lt_syscall_name(abi, nr);

	for (size_t i = 0; name && i < N_TYPES; i++) {
		if (!strcmp(types[i].name, name))
			return types[i].letters;
	}
	return "";
}

bool lt_syscall_text_letters(const struct lt_abi *abi, int32_t nr, char to[LT_SYSCALL_MAX_ARGS + 1])
{
	const char *letters = lt_syscall_letters(abi, nr);
	size_t n = 0;

	letters += letters[0] == '=';
	for (size_t i = 0; i < LT_SYSCALL_MAX_ARGS && letters[i]; i++) {
		to[i] = lt_is_text_letter(letters[i]) ? letters[i] : '-';
		if (to[i] != '-')
			n = i + 1;
	}
	to[n] = 0;
	return n;
}
