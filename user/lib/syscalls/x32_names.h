/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * System calls that x32 has in place of those of x86-64: S(number, name, arguments), without the
 * bit 30 that marks a call of x32. The list is closed.
 */
#ifndef LT_SYSCALLS_X32_NAMES_H
#define LT_SYSCALLS_X32_NAMES_H

#define LT_X32_BIT	0x40000000
#define LT_X32_FIRST	512

#define LT_SYSCALLS_X32(S) \
	S(512, rt_sigaction, 4) S(513, rt_sigreturn, 0) S(514, ioctl, 3) S(515, readv, 3) \
	S(516, writev, 3) S(517, recvfrom, 6) S(518, sendmsg, 3) S(519, recvmsg, 3) \
	S(520, execve, 3) S(521, ptrace, 4) S(522, rt_sigpending, 2) S(523, rt_sigtimedwait, 4) \
	S(524, rt_sigqueueinfo, 3) S(525, sigaltstack, 2) S(526, timer_create, 3) \
	S(527, mq_notify, 2) S(528, kexec_load, 4) S(529, waitid, 5) S(530, set_robust_list, 2) \
	S(531, get_robust_list, 3) S(532, vmsplice, 4) S(533, move_pages, 6) S(534, preadv, 5) \
	S(535, pwritev, 5) S(536, rt_tgsigqueueinfo, 4) S(537, recvmmsg, 5) S(538, sendmmsg, 4) \
	S(539, process_vm_readv, 6) S(540, process_vm_writev, 6) S(541, setsockopt, 5) \
	S(542, getsockopt, 5) S(543, io_setup, 2) S(544, io_submit, 3) S(545, execveat, 5) \
	S(546, preadv2, 6) S(547, pwritev2, 6)

#endif /* LT_SYSCALLS_X32_NAMES_H */
