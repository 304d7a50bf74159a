# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# Functions of the kernel that can be watched, by their names. Sourced in the guest, by busybox sh.

# functions_once - prints the functions of the kernel itself that ftrace has, and whose name it has once.
functions_once() {
	grep -v -e '\[' -e '\.' /sys/kernel/tracing/available_filter_functions | sort | uniq -u >/tmp/once
	awk 'NR == FNR { n[$3]++; next } n[$1] == 1' /proc/kallsyms /tmp/once
}

# forbidden - prints the functions that kprobes forbid.
forbidden() { awk '{ print $2 }' /sys/kernel/debug/kprobes/blacklist | sort -u; }

# at_random SEED - prints the lines of its input in an order that the seed makes.
at_random() {
	awk -v seed="$1" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' | sort -n | cut -f 2
}
