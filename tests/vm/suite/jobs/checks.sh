# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# What the jobs with checks of their own share: test-faults, test-sanitizers and others.
# Sourced in the guest, by busybox sh. Each check is a line in /out/results.

lt=/sys/kernel/debug/lifetrace

ok() { echo "ok $*" | tee -a /out/results; }
failed() { echo "FAILED $*" | tee -a /out/results; }

# check WHAT COMMAND... - one check: the command succeeds.
check() {
	what=$1
	shift
	if "$@"; then ok "$what"; else failed "$what"; fi
}

# refuses COMMAND... - Return: whether the command fails.
refuses() { ! "$@" 2>/dev/null; }

idle() { [ "$(sed -n 's/^state //p' "$lt/stats")" = idle ]; }

# unused - Return: whether the module has no user.
unused() { [ "$(awk '$1 == "lifetrace" { print $3 }' /proc/modules)" = 0 ]; }

# said REGEX - Return: whether a line of the kernel's log since the last `dmesg -c` matches.
said() { dmesg | grep -q "$1"; }

# memory - prints the kB that the kernel holds for itself, after deferred frees are done.
# KASAN keeps freed memory, up to a 32nd of all memory, until its cache is shrunk.
memory() {
	sleep 1
	echo 3 >/proc/sys/vm/drop_caches
	for cache in /sys/kernel/slab/*/shrink; do
		echo 1 2>/dev/null >"$cache"
	done
	sleep 1
	awk '/^(SUnreclaim|VmallocUsed|Percpu):/ { sum += $2 } END { print sum }' /proc/meminfo
}

# no_leak BEFORE AFTER CYCLES - Return: whether no memory is gone. A cycle may leave 4 kB
# behind on average, less than any buffer of a session; the kernel's own caches vary by
# 2 MB.
no_leak() {
	echo "memory: $1 kB before, $2 kB after $3 cycles"
	[ $(($2 - $1)) -le $((2048 + 4 * $3)) ]
}

# hammers KIND... - starts programs that use the module's files against their rules, see
# tools/hammer.c.
hammers() {
	for kind; do
		case $kind in
		fork) ./hammer fork 0 & pids="$pids $!"; ./hammer fork 1 & ;;
		generation) ./hammer generation /proc/pid_gen & ;;
		*) ./hammer "$kind" "$lt" & ;;
		esac
		pids="$pids $!"
	done
}

stop_hammers() {
	# shellcheck disable=SC2086 # words
	kill -9 $pids
	# shellcheck disable=SC2086
	wait $pids 2>/dev/null
	pids=
}
pids=

# edges [ARGUMENT...] - the rules of the files hold, by default of those below debugfs. The
# checks of tools/edges count, too.
edges() {
	[ $# -gt 0 ] || set -- "$lt"
	./edges "$@" >/tmp/edges
	edges_status=$?
	tee -a /out/results </tmp/edges
	return $edges_status
}
