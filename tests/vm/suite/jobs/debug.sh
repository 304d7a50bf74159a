# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # checks.sh sets lt
#
# What the jobs on kernels that check themselves share, beside checks.sh. Sourced in the
# guest, by busybox sh.

kmemleak=/sys/kernel/debug/kmemleak
# The channel of tasks needs more: no reader drains it while a snapshot is written.
# shellcheck disable=SC2034 # for the jobs that source it
small='subbuf_size=4096 n_subbufs=2 pid_subbuf_size=16384 pid_n_subbufs=8'

# leaks_on - Return: whether kmemleak is on. Its file can be opened for writing in any case.
leaks_on() { (echo scan=off >$kmemleak) 2>/dev/null; }

# leaks_forget - leaks from before are not counted. kmemleak reports an object only if its
# contents did not change between two scans.
leaks_forget() {
	echo scan >$kmemleak
	echo scan >$kmemleak
	echo clear >$kmemleak
}

# leaks_find FILE - writes the leaks since then with their stacks. kmemleak leaves out
# objects that are younger than 5 s when a scan begins. The name of a cache that could not
# be made for want of memory is left out: sysfs_slab_add() of 6.1 leaks it by itself.
leaks_find() {
	sleep 6
	echo scan >$kmemleak
	echo scan >$kmemleak
	awk '/^unreferenced/ { if (!known) printf "%s", text; text = ""; known = 0 }
		{ text = text $0 "\n" }
		/\] sysfs_slab_add\+/ { known = 1 }
		END { if (!known) printf "%s", text }' $kmemleak >"$1"
}

# trace_failures - the kernel's trace gets the stack of each allocation that fails on
# request, also of those with __GFP_NOWARN.
trace_failures() {
	tracing=/sys/kernel/tracing
	echo 'r:lt_slab should_failslab ret=$retval:s32' >$tracing/kprobe_events
	echo 'r:lt_page should_fail_alloc_page ret=$retval:u8' >>$tracing/kprobe_events
	# Where the module was: it may be unloaded when the trace is read.
	echo 'p:lt_mod do_init_module mod=$arg1:x64' >>$tracing/kprobe_events
	echo 1 >$tracing/events/kprobes/lt_mod/enable
	echo 1 >$tracing/options/sym-offset
	for event in lt_slab lt_page; do
		echo 'ret != 0' >$tracing/events/kprobes/$event/filter
		echo 'stacktrace if ret != 0' >$tracing/events/kprobes/$event/trigger
		echo 1 >$tracing/events/kprobes/$event/enable
	done
	# Allocations that may sleep fail, too, and so do single pages.
	for attribute in failslab fail_page_alloc; do
		echo N >/sys/kernel/debug/$attribute/ignore-gfp-wait
		echo 0 >/sys/kernel/debug/$attribute/verbose
	done
	echo 0 >/sys/kernel/debug/fail_page_alloc/min-order
	[ ! -e /sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem ] ||
		echo N >/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem
}

# works - Return: whether a normal recording works, and its sums close.
works() {
	./lifetrace record -q --no-coverage -e slab,tasks -o /tmp/works.lt -- /bin/busybox true &&
		./lifetrace verify /tmp/works.lt >/tmp/works.txt || { cat /tmp/works.txt; return 1; }
}
