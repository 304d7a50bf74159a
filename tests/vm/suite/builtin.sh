# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # set here for, and by, the suites
#
# What the suites share that boot a kernel which lifetrace is a part of: the words on the command
# line, and the checks of what jobs/builtin left. Sourced after suite.sh; $work has what a boot left
# in NAME/out.

# The words of a boot that is recorded, with ftrace's events as the truth.
kmem=kmem:kmalloc,kmem:kmalloc_node,kmem:kmem_cache_alloc,kmem:kmem_cache_alloc_node
kmem+=,kmem:kfree,kmem:kmem_cache_free
initcalls=initcall:initcall_level,initcall:initcall_start,initcall:initcall_finish
boot_words=(lifetrace.enable=1 trace_clock=mono trace_buf_size=48M "trace_event=$kmem,$initcalls")

# recorded NAME BIRTHS - checks that the boot was recorded from the first initcalls on, see
# compare/bootevents.py, and that the comparison sees a wrong address and a loss.
recorded() {
	local out=$work/$1/out

	verifies 'the trace of the boot' "$out/boot.lt"
	agrees 'the trace is not one of the whole boot' bootevents "$tool" "$out/boot.lt" "$out" "$2"
	plant address "$out/boot.lt" "$work/wrong.lt"
	sees 'a wrong address' bootevents differences "$tool" "$work/wrong.lt" "$out" "$2"
	plant lost "$out/boot.lt" "$work/lost.lt"
	sees 'that an event was lost' bootevents faults_lost "$tool" "$work/lost.lt" "$out" "$2"
}

# idle NAME - checks that nothing was recorded in the boot before a recorder began.
idle() {
	local out=$work/$1/out begin

	check 'it records without lifetrace.enable=1' grep -qx 'state idle' "$out/stats"
	verifies 'a trace of later' "$out/later.lt"
	begin=$("$tool" info --absolute --json "$out/later.lt" | python3 -c 'import json, sys
print(json.load(sys.stdin)["begin_ns"])')
	check "the trace of later begins at $begin, before its recorder" \
		[ "${begin:-0}" -ge "$(cat "$out/before")" ]
}

# figures - prints what bootevents found.
figures() {
	local key

	for key in ms_to_first_event ms_to_all_probes ms_to_other_cpus ms_to_core_initcalls \
		ms_to_end_of_initcalls events_of_initcalls births_of_initcalls \
		initcalls_with_births births_within_initcalls lost bytes; do
		! grep -q "^$key " "$work/bootevents.txt" ||
			printf '%s: %s %s\n' "$test_name" "$key" "$(figure bootevents $key)"
	done
	printf '%s: %s events compared, %s differences, %s explained\n' "$test_name" \
		"$(figure bootevents compared)" "$(figure bootevents differences)" \
		"$(figure bootevents explained)"
}
