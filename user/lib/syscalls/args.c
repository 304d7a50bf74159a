// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Arguments of system calls as text, by what they are: see types.c.
 */
#include <stdio.h>
#include <string.h>

#include "syscalls/args.h"
#include "syscalls/numbers.h"
#include "syscalls/texts.h"
#include "syscalls/types.h"

/* Of the ABIs of ARM and PowerPC these have other values. */
#define OPEN_FLAGS(directory, nofollow, direct, largefile)				\
	{ 0100, "O_CREAT" }, { 0200, "O_EXCL" }, { 0400, "O_NOCTTY" },			\
	{ 01000, "O_TRUNC" }, { 02000, "O_APPEND" }, { 04000, "O_NONBLOCK" },		\
	{ 04010000, "O_SYNC" }, { 010000, "O_DSYNC" }, { 020000, "FASYNC" },		\
	{ direct, "O_DIRECT" }, { largefile, "O_LARGEFILE" },				\
	{ 020000000 | (directory), "O_TMPFILE" }, { directory, "O_DIRECTORY" },		\
	{ nofollow, "O_NOFOLLOW" }, { 01000000, "O_NOATIME" }, { 02000000, "O_CLOEXEC" },	\
	{ 010000000, "O_PATH" }, { 0, NULL }

static const struct lt_value_name open_flags[] = { OPEN_FLAGS(0200000, 0400000, 040000, 0100000) };
static const struct lt_value_name arm_open_flags[] = {
	OPEN_FLAGS(040000, 0100000, 0200000, 0400000)
};

static const struct lt_value_name ppc_open_flags[] = {
	OPEN_FLAGS(040000, 0100000, 0400000, 0200000)
};

static const struct lt_value_name protections[] = {
	{ 1, "PROT_READ" }, { 2, "PROT_WRITE" }, { 4, "PROT_EXEC" }, { 8, "PROT_SEM" },
	{ 0x01000000, "PROT_GROWSDOWN" }, { 0x02000000, "PROT_GROWSUP" }, { 0, NULL }
};

static const struct lt_value_name map_types[] = {
	{ 0, "MAP_FILE" }, { 1, "MAP_SHARED" }, { 2, "MAP_PRIVATE" },
	{ 3, "MAP_SHARED_VALIDATE" }, { 0, NULL }
};

static const struct lt_value_name map_flags[] = {
	{ 0x10, "MAP_FIXED" }, { 0x20, "MAP_ANONYMOUS" }, { 0x40, "MAP_32BIT" },
	{ 0x100, "MAP_GROWSDOWN" }, { 0x800, "MAP_DENYWRITE" }, { 0x1000, "MAP_EXECUTABLE" },
	{ 0x2000, "MAP_LOCKED" }, { 0x4000, "MAP_NORESERVE" }, { 0x8000, "MAP_POPULATE" },
	{ 0x10000, "MAP_NONBLOCK" }, { 0x20000, "MAP_STACK" }, { 0x40000, "MAP_HUGETLB" },
	{ 0x80000, "MAP_SYNC" }, { 0x100000, "MAP_FIXED_NOREPLACE" }, { 0, NULL }
};

static const struct lt_value_name clone_flags[] = {
	{ 0x100, "CLONE_VM" }, { 0x200, "CLONE_FS" }, { 0x400, "CLONE_FILES" },
	{ 0x800, "CLONE_SIGHAND" }, { 0x1000, "CLONE_PIDFD" }, { 0x2000, "CLONE_PTRACE" },
	{ 0x4000, "CLONE_VFORK" }, { 0x8000, "CLONE_PARENT" }, { 0x10000, "CLONE_THREAD" },
	{ 0x20000, "CLONE_NEWNS" }, { 0x40000, "CLONE_SYSVSEM" }, { 0x80000, "CLONE_SETTLS" },
	{ 0x100000, "CLONE_PARENT_SETTID" }, { 0x200000, "CLONE_CHILD_CLEARTID" },
	{ 0x400000, "CLONE_DETACHED" }, { 0x800000, "CLONE_UNTRACED" },
	{ 0x1000000, "CLONE_CHILD_SETTID" }, { 0x2000000, "CLONE_NEWCGROUP" },
	{ 0x4000000, "CLONE_NEWUTS" }, { 0x8000000, "CLONE_NEWIPC" },
	{ 0x10000000, "CLONE_NEWUSER" }, { 0x20000000, "CLONE_NEWPID" },
	{ 0x40000000, "CLONE_NEWNET" }, { 0x80000000, "CLONE_IO" }, { 0, NULL }
};

static const struct lt_value_name signals[] = {
	{ 1, "SIGHUP" }, { 2, "SIGINT" }, { 3, "SIGQUIT" }, { 4, "SIGILL" }, { 5, "SIGTRAP" },
	{ 6, "SIGABRT" }, { 7, "SIGBUS" }, { 8, "SIGFPE" }, { 9, "SIGKILL" }, { 10, "SIGUSR1" },
	{ 11, "SIGSEGV" }, { 12, "SIGUSR2" }, { 13, "SIGPIPE" }, { 14, "SIGALRM" },
	{ 15, "SIGTERM" }, { 16, "SIGSTKFLT" }, { 17, "SIGCHLD" }, { 18, "SIGCONT" },
	{ 19, "SIGSTOP" }, { 20, "SIGTSTP" }, { 21, "SIGTTIN" }, { 22, "SIGTTOU" },
	{ 23, "SIGURG" }, { 24, "SIGXCPU" }, { 25, "SIGXFSZ" }, { 26, "SIGVTALRM" },
	{ 27, "SIGPROF" }, { 28, "SIGWINCH" }, { 29, "SIGIO" }, { 30, "SIGPWR" },
	{ 31, "SIGSYS" }, { 0, NULL }
};

#define SIGRT_0	32	/* the first of the kernel's signals with numbers */

static const struct lt_value_name wait_flags[] = {
	{ 1, "WNOHANG" }, { 2, "WSTOPPED" }, { 4, "WEXITED" }, { 8, "WCONTINUED" },
	{ 0x01000000, "WNOWAIT" }, { 0x20000000, "__WNOTHREAD" }, { 0x40000000, "__WALL" },
	{ 0x80000000, "__WCLONE" }, { 0, NULL }
};

static const struct lt_value_name fcntl_commands[] = {
	{ 0, "F_DUPFD" }, { 1, "F_GETFD" }, { 2, "F_SETFD" }, { 3, "F_GETFL" }, { 4, "F_SETFL" },
	{ 5, "F_GETLK" }, { 6, "F_SETLK" }, { 7, "F_SETLKW" }, { 8, "F_SETOWN" },
	{ 9, "F_GETOWN" }, { 10, "F_SETSIG" }, { 11, "F_GETSIG" }, { 12, "F_GETLK64" },
	{ 13, "F_SETLK64" }, { 14, "F_SETLKW64" }, { 15, "F_SETOWN_EX" }, { 16, "F_GETOWN_EX" },
	{ 36, "F_OFD_GETLK" }, { 37, "F_OFD_SETLK" }, { 38, "F_OFD_SETLKW" },
	{ 1024, "F_SETLEASE" }, { 1025, "F_GETLEASE" }, { 1026, "F_NOTIFY" },
	{ 1030, "F_DUPFD_CLOEXEC" }, { 1031, "F_SETPIPE_SZ" }, { 1032, "F_GETPIPE_SZ" },
	{ 1033, "F_ADD_SEALS" }, { 1034, "F_GET_SEALS" }, { 0, NULL }
};

static const struct lt_value_name whences[] = {
	{ 0, "SEEK_SET" }, { 1, "SEEK_CUR" }, { 2, "SEEK_END" }, { 3, "SEEK_DATA" },
	{ 4, "SEEK_HOLE" }, { 0, NULL }
};

#define AT_FLAGS(bit9)									\
	{ 0x100, "AT_SYMLINK_NOFOLLOW" }, { 0x200, bit9 }, { 0x400, "AT_SYMLINK_FOLLOW" },	\
	{ 0x800, "AT_NO_AUTOMOUNT" }, { 0x1000, "AT_EMPTY_PATH" }, { 0x8000, "AT_RECURSIVE" }

static const struct lt_value_name at_flags[] = { AT_FLAGS("AT_REMOVEDIR"), { 0, NULL } };
static const struct lt_value_name at_access_flags[] = { AT_FLAGS("AT_EACCESS"), { 0, NULL } };
static const struct lt_value_name at_statx_flags[] = {
	AT_FLAGS("AT_REMOVEDIR"), { 0x2000, "AT_STATX_FORCE_SYNC" },
	{ 0x4000, "AT_STATX_DONT_SYNC" }, { 0, NULL }
};

static const struct lt_value_name no_protection[] = { { 0, "PROT_NONE" }, { 0, NULL } };
static const struct lt_value_name existence[] = { { 0, "F_OK" }, { 0, NULL } };

static const struct lt_value_name access_modes[] = {
	{ 4, "R_OK" }, { 2, "W_OK" }, { 1, "X_OK" }, { 0, NULL }
};

static const struct lt_value_name advices[] = {
	{ 0, "MADV_NORMAL" }, { 1, "MADV_RANDOM" }, { 2, "MADV_SEQUENTIAL" },
	{ 3, "MADV_WILLNEED" }, { 4, "MADV_DONTNEED" }, { 8, "MADV_FREE" }, { 9, "MADV_REMOVE" },
	{ 10, "MADV_DONTFORK" }, { 11, "MADV_DOFORK" }, { 12, "MADV_MERGEABLE" },
	{ 13, "MADV_UNMERGEABLE" }, { 14, "MADV_HUGEPAGE" }, { 15, "MADV_NOHUGEPAGE" },
	{ 16, "MADV_DONTDUMP" }, { 17, "MADV_DODUMP" }, { 18, "MADV_WIPEONFORK" },
	{ 19, "MADV_KEEPONFORK" }, { 20, "MADV_COLD" }, { 21, "MADV_PAGEOUT" }, { 0, NULL }
};

static const struct lt_value_name epoll_operations[] = {
	{ 1, "EPOLL_CTL_ADD" }, { 2, "EPOLL_CTL_DEL" }, { 3, "EPOLL_CTL_MOD" }, { 0, NULL }
};

static const struct lt_value_name futex_operations[] = {
	{ 0, "FUTEX_WAIT" }, { 1, "FUTEX_WAKE" }, { 2, "FUTEX_FD" }, { 3, "FUTEX_REQUEUE" },
	{ 4, "FUTEX_CMP_REQUEUE" }, { 5, "FUTEX_WAKE_OP" }, { 6, "FUTEX_LOCK_PI" },
	{ 7, "FUTEX_UNLOCK_PI" }, { 8, "FUTEX_TRYLOCK_PI" }, { 9, "FUTEX_WAIT_BITSET" },
	{ 10, "FUTEX_WAKE_BITSET" }, { 11, "FUTEX_WAIT_REQUEUE_PI" },
	{ 12, "FUTEX_CMP_REQUEUE_PI" }, { 13, "FUTEX_LOCK_PI2" }, { 0, NULL }
};

static const struct lt_value_name futex_flags[] = {
	{ 128, "FUTEX_PRIVATE_FLAG" }, { 256, "FUTEX_CLOCK_REALTIME" }, { 0, NULL }
};

static const struct lt_value_name clocks[] = {
	{ 0, "CLOCK_REALTIME" }, { 1, "CLOCK_MONOTONIC" }, { 2, "CLOCK_PROCESS_CPUTIME_ID" },
	{ 3, "CLOCK_THREAD_CPUTIME_ID" }, { 4, "CLOCK_MONOTONIC_RAW" },
	{ 5, "CLOCK_REALTIME_COARSE" }, { 6, "CLOCK_MONOTONIC_COARSE" }, { 7, "CLOCK_BOOTTIME" },
	{ 8, "CLOCK_REALTIME_ALARM" }, { 9, "CLOCK_BOOTTIME_ALARM" }, { 11, "CLOCK_TAI" },
	{ 0, NULL }
};

static const struct lt_value_name socket_types[] = {
	{ 1, "SOCK_STREAM" }, { 2, "SOCK_DGRAM" }, { 3, "SOCK_RAW" }, { 4, "SOCK_RDM" },
	{ 5, "SOCK_SEQPACKET" }, { 6, "SOCK_DCCP" }, { 10, "SOCK_PACKET" }, { 0, NULL }
};

static const struct lt_value_name socket_flags[] = {
	{ 04000, "SOCK_NONBLOCK" }, { 02000000, "SOCK_CLOEXEC" }, { 0, NULL }
};

static const struct lt_value_name message_flags[] = {
	{ 1, "MSG_OOB" }, { 2, "MSG_PEEK" }, { 4, "MSG_DONTROUTE" }, { 8, "MSG_CTRUNC" },
	{ 0x10, "MSG_PROBE" }, { 0x20, "MSG_TRUNC" }, { 0x40, "MSG_DONTWAIT" },
	{ 0x80, "MSG_EOR" }, { 0x100, "MSG_WAITALL" }, { 0x200, "MSG_FIN" }, { 0x400, "MSG_SYN" },
	{ 0x800, "MSG_CONFIRM" }, { 0x1000, "MSG_RST" }, { 0x2000, "MSG_ERRQUEUE" },
	{ 0x4000, "MSG_NOSIGNAL" }, { 0x8000, "MSG_MORE" }, { 0x10000, "MSG_WAITFORONE" },
	{ 0x20000, "MSG_SENDPAGE_NOTLAST" }, { 0x40000, "MSG_BATCH" },
	{ 0x80000, "MSG_NO_SHARED_FRAGS" }, { 0x4000000, "MSG_ZEROCOPY" },
	{ 0x20000000, "MSG_FASTOPEN" }, { 0x40000000, "MSG_CMSG_CLOEXEC" },
	{ 0x80000000, "MSG_CMSG_COMPAT" }, { 0, NULL }
};

static const struct lt_value_name how_masks[] = {
	{ 0, "SIG_BLOCK" }, { 1, "SIG_UNBLOCK" }, { 2, "SIG_SETMASK" }, { 0, NULL }
};

static const struct lt_value_name resources[] = {
	{ 0, "RLIMIT_CPU" }, { 1, "RLIMIT_FSIZE" }, { 2, "RLIMIT_DATA" }, { 3, "RLIMIT_STACK" },
	{ 4, "RLIMIT_CORE" }, { 5, "RLIMIT_RSS" }, { 6, "RLIMIT_NPROC" }, { 7, "RLIMIT_NOFILE" },
	{ 8, "RLIMIT_MEMLOCK" }, { 9, "RLIMIT_AS" }, { 10, "RLIMIT_LOCKS" },
	{ 11, "RLIMIT_SIGPENDING" }, { 12, "RLIMIT_MSGQUEUE" }, { 13, "RLIMIT_NICE" },
	{ 14, "RLIMIT_RTPRIO" }, { 15, "RLIMIT_RTTIME" }, { 0, NULL }
};

static const struct lt_value_name random_flags[] = {
	{ 1, "GRND_NONBLOCK" }, { 2, "GRND_RANDOM" }, { 4, "GRND_INSECURE" }, { 0, NULL }
};

static const struct lt_value_name socket_calls[] = {
	{ 1, "SYS_SOCKET" }, { 2, "SYS_BIND" }, { 3, "SYS_CONNECT" }, { 4, "SYS_LISTEN" },
	{ 5, "SYS_ACCEPT" }, { 6, "SYS_GETSOCKNAME" }, { 7, "SYS_GETPEERNAME" },
	{ 8, "SYS_SOCKETPAIR" }, { 9, "SYS_SEND" }, { 10, "SYS_RECV" }, { 11, "SYS_SENDTO" },
	{ 12, "SYS_RECVFROM" }, { 13, "SYS_SHUTDOWN" }, { 14, "SYS_SETSOCKOPT" },
	{ 15, "SYS_GETSOCKOPT" }, { 16, "SYS_SENDMSG" }, { 17, "SYS_RECVMSG" },
	{ 18, "SYS_ACCEPT4" }, { 19, "SYS_RECVMMSG" }, { 20, "SYS_SENDMMSG" }, { 0, NULL }
};

static const struct lt_value_name ipc_calls[] = {
	{ 1, "SEMOP" }, { 2, "SEMGET" }, { 3, "SEMCTL" }, { 4, "SEMTIMEDOP" }, { 11, "MSGSND" },
	{ 12, "MSGRCV" }, { 13, "MSGGET" }, { 14, "MSGCTL" }, { 21, "SHMAT" }, { 22, "SHMDT" },
	{ 23, "SHMGET" }, { 24, "SHMCTL" }, { 0, NULL }
};

static const struct lt_value_name access_types[] = {
	{ 0, "O_RDONLY" }, { 1, "O_WRONLY" }, { 2, "O_RDWR" }, { 3, "O_ACCMODE" }, { 0, NULL }
};

/**
 * struct set - the names of a kind of arguments
 * @letter: as in types.c
 * @mask: the bits that are a number with a name of its own, from @values; 0: only flags, and
 *	@values has the name of no flag
 * @values: NULL: there is none
 * @flags: NULL: there are no others
 */
static const struct set {
	char letter;
	uint64_t mask;
	const struct lt_value_name *values;
	const struct lt_value_name *flags;
} sets[] = {
	{ 'O', 3, access_types, open_flags },
	{ 'P', 0, no_protection, protections },
	{ 'M', 0xf, map_types, map_flags },
	{ 'C', 0xff, signals, clone_flags },
	{ 'n', 0, NULL, clone_flags },
	{ 'S', UINT32_MAX, signals, NULL },
	{ 'W', 0, NULL, wait_flags },
	{ 'F', UINT32_MAX, fcntl_commands, NULL },
	{ 'K', UINT32_MAX, whences, NULL },
	{ 'Q', 0, NULL, open_flags },
	{ 'A', 0, NULL, at_flags },
	{ 'e', 0, NULL, at_access_flags },
	{ 's', 0, NULL, at_statx_flags },
	{ 'a', 0, existence, access_modes },
	{ 'B', UINT32_MAX, advices, NULL },
	{ 'E', UINT32_MAX, epoll_operations, NULL },
	{ 'X', 0x7f, futex_operations, futex_flags },
	{ 'Y', UINT32_MAX, clocks, NULL },
	{ 'N', UINT32_MAX, lt_family_names, NULL },
	{ 'T', 0xf, socket_types, socket_flags },
	{ 'J', 0, NULL, message_flags },
	{ 'L', UINT32_MAX, how_masks, NULL },
	{ 'R', UINT32_MAX, resources, NULL },
	{ 'G', 0, NULL, random_flags },
	{ 'H', UINT32_MAX, socket_calls, NULL },
	{ 'I', 0xffff, ipc_calls, NULL },	/* above them: a version */
};

/*
 * The lowest address that a program has: vm.mmap_min_addr of kernels as they are shipped. So a
 * number below it is none.
 */
#define LOWEST_ADDRESS	65536

bool lt_syscall_returns_address(const struct lt_syscall *call)
{
	return lt_syscall_letters(call->abi, call->nr)[0] == '=';
}

bool lt_syscall_result_is_secret(const struct lt_syscall *call)
{
	return call->how <= LT_SYSCALL_INTERRUPTED && !lt_syscall_error(call) &&
	       lt_syscall_returns_address(call);
}

bool lt_syscall_user_data_is_secret(const struct lt_syscall *call)
{
	return call->args[0] >= LOWEST_ADDRESS;
}

/* ------------------------------------------------------------------------
 * Texts
 */

static char *add(char *p, const char *end, const char *text)
{
	size_t n = strlen(text);

	if (n >= (size_t)(end - p))
		n = (size_t)(end - p) - 1;
	memcpy(p, text, n);
	p[n] = 0;
	return p + n;
}

static char *add_number(char *p, const char *end, const char *format, uint64_t v)
{
	char text[32];

	snprintf(text, sizeof(text), format, v);
	return add(p, end, text);
}

static const char *name_of(const struct lt_value_name *names, uint64_t v)
{
	for (; names && names->name; names++) {
		if (names->value == v)
			return names->name;
	}
	return NULL;
}

static bool is_abi(const struct lt_syscall *call, const char *name)
{
	return call->abi && !strncmp(lt_abi_name(call->abi), name, strlen(name));
}

static const struct lt_value_name *flags_of(const struct set *set, const struct lt_syscall *call)
{
	if (set->flags != open_flags)
		return set->flags;
	if (is_abi(call, "a"))		/* arm, aarch64 */
		return arm_open_flags;
	return is_abi(call, "ppc") ? ppc_open_flags : set->flags;
}

/* Numbers and flags of a set, with | between them. */
static char *add_set(char *p, const char *end, const struct set *set, const struct lt_syscall *call,
		     uint64_t v)
{
	uint64_t number = v & set->mask, rest = v & ~set->mask;
	const char *name = set->values ? name_of(set->values, number) : NULL;
	const char *begin = p;

	if (!set->mask && !v && name)
		return add(p, end, name);
	if (set->values == signals && set->mask == UINT32_MAX && v >= SIGRT_0 && v <= SIGRT_0 + 32)
		return add_number(p, end, "SIGRT_%llu", v - SIGRT_0);
	if (set->mask == UINT32_MAX)
		return name ? add(p, end, name) : add_number(p, end, "%lld", (uint64_t)(int32_t)v);
	if (name && set->mask)
		p = add(p, end, name);
	else
		rest |= number;
	for (const struct lt_value_name *f = flags_of(set, call); f && f->name; f++) {
		if (!f->value || (rest & f->value) != f->value)
			continue;
		if (p != begin)
			p = add(p, end, "|");
		p = add(p, end, f->name);
		rest &= ~f->value;
	}
	if (!rest && p != begin)
		return p;
	if (p != begin)
		p = add(p, end, "|");
	return add_number(p, end, rest ? "%#llx" : "%lld", rest);
}

static char *add_typed(char *p, const char *end, const struct lt_syscall *call, char letter,
		       uint64_t v)
{
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		if (sets[i].letter == letter)
			return add_set(p, end, &sets[i], call, (uint32_t)v);
	}
	switch (letter) {
	case 'D':
		if ((int32_t)v == -100)
			return add(p, end, "AT_FDCWD");
		return add_number(p, end, "%lld", (uint64_t)(int32_t)v);
	case 'd':
	case 'i':
	case 'q':
		return add_number(p, end, "%lld", (uint64_t)(int32_t)v);
	case 'u':
		return add_number(p, end, "%llu", (uint32_t)v);
	case 'l':
		return add_number(p, end, "%lld", call->compat ? (uint64_t)(int32_t)v : v);
	case 'z':
		return add_number(p, end, "%llu", v);
	case 'p':
	case 't':
	case 'v':
	case 'k':
	case 'g':
	case 'r':
		return v ? add_number(p, end, "%#llx", v) : add(p, end, "NULL");
	case 'o':
		return add_number(p, end, "%#llo", (uint16_t)v);	/* umode_t */
	case 'x':
		return add_number(p, end, "%#llx", v);
	default:
		return add_number(p, end, v < LOWEST_ADDRESS ? "%llu" : "%#llx", v);
	}
}

/* Whether an argument is an address, or is of a kind of which some are. */
static bool may_be_address(char letter, uint64_t v)
{
	if (letter == 'p' || lt_is_text_letter(letter))
		return v;
	return (letter == 'x' || letter == '?') && v >= LOWEST_ADDRESS;
}

/* How many of its arguments a call really has: a mode only where it makes a file. */
static unsigned int n_shown(const struct lt_syscall *call, const char *letters)
{
	unsigned int n = call->n_args;
	const char *at = strstr(letters, "Oo");
	const uint64_t creates = 0100 | 020000000;

	if (at && at[2] == 0 && n == (size_t)(at + 2 - letters) && !(call->args[n - 2] & creates))
		return n - 1;
	return n;
}

const char *lt_syscall_args_text(const struct lt_syscall *call, enum lt_syscall_args how,
				 char buf[LT_SYSCALL_TEXT])
{
	const char *letters = lt_syscall_letters(call->abi, call->nr), *end = buf + LT_SYSCALL_TEXT;
	unsigned int n = call->n_args, n_letters;
	char *p = buf;

	letters += letters[0] == '=';
	n_letters = (unsigned int)strlen(letters);
	if (how != LT_SYSCALL_ARGS_RAW)
		n = n_shown(call, letters);
	*p = 0;
	for (unsigned int i = 0; i < n; i++) {
		char letter = i < n_letters ? letters[i] : '?';

		if (i)
			p = add(p, end, ", ");
		if (how == LT_SYSCALL_ARGS_RAW)
			p = add_number(p, end, "%#llx", call->args[i]);
		else if (lt_syscall_has_text(call, i))
			p += lt_syscall_put_text(call, i, p, (size_t)(end - p));
		else if (how == LT_SYSCALL_ARGS_HIDDEN && may_be_address(letter, call->args[i]))
			p = add(p, end, "address");
		else
			p = add_typed(p, end, call, letter, call->args[i]);
		if (how == LT_SYSCALL_ARGS_NAMED && call->paths[i])
			p += lt_syscall_put_path(call->paths[i], p, (size_t)(end - p));
		if (how != LT_SYSCALL_ARGS_RAW && call->ns && lt_syscall_number(call, i))
			p += lt_syscall_put_number(call, call->outside[i], p, (size_t)(end - p));
	}
	return buf;
}
