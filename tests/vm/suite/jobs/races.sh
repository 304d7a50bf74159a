# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # checks.sh sets lt
#
# Races that modules/lt_delay makes certain. Sourced in the guest, after checks.sh; the
# module is loaded and idle, and there are at least three CPUs.

parameters=/sys/module/lifetrace/parameters
delay=/sys/module/lt_delay/parameters

# two_flushers CYCLES - the periodic flush and the command "flush" come to the packet of a
# CPU that is offline; the delays make them come to it together, if anything lets them.
two_flushers() {
	flush_ms=$(cat $parameters/flush_ms)
	echo 1 >$parameters/flush_ms
	check "two flushers of a CPU that is away, $1 times" ./flushers "$lt" "$1"
	echo "$flush_ms" >$parameters/flush_ms
	[ ! -e $delay ] || echo "races: $(cat $delay/met) times two flushers were in one switch"
}

snapshot_ended() { grep -q ' done ' "$lt/snapshot"; }

# until_true TENTHS COMMAND... - waits for a command to succeed.
until_true() {
	tenths=$1
	shift
	until "$@"; do
		tenths=$((tenths - 1))
		[ $tenths -gt 0 ] || return 1
		usleep 100000
	done
}

worker_waits() { [ "$(cat $delay/waiting)" = 1 ]; }

# last_user - a process is killed while the snapshot's worker reads the path of its
# program: the process, not the worker, is the last user of its memory.
last_user() {
	cp flushers last-user
	./last-user wait &
	victim=$!
	exec 4<>"$lt/enable"
	echo 1 >&4
	check 'the worker asks for the path' until_true 100 worker_waits
	kill -9 $victim
	wait $victim 2>/dev/null
	echo 1 >$delay/go
	check 'the snapshot ends' until_true 100 snapshot_ended
	exec 4>&-
	check "the worker did not end the memory of the process" [ "$(cat $delay/last_by_worker)" = 0 ]
}
