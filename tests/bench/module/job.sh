# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# What all instruments run: every mode with every load, REPS times, interleaved.
# Sourced by the jobs of uml, icount and native, which set
#
#   BIN      directory of lifetrace.ko, lt_cost.ko, rounds and callset; bpf-hold for the modes of bpf-job
#   OUT      where the file "raw" goes
#   REPS     repetitions
#   MODES    words "NAME" of functions mode_NAME below or in the job, in order
#   LOADS    words "LOAD:N:CHUNKS:WARM": kmalloc, sizes, batch, cache, kthread,
#            fork, open, msg, pipe, getppid, read, function
#   BUFFER   MiB of each tracer's buffer
#   COST     parameters for lt_cost.ko
#
# raw has these lines:
#
#   cost REP LOAD MODE N CHUNKS MEDIAN MEAN MIN MAX [KHZ]	a measurement
#   bytes REP LOAD MODE BYTES ROUNDS	written or stored
#   events REP LOAD lifetrace EVENTS ROUNDS	seen
#   note MODE TEXT	what could not be measured
#
# A mode that loses events where it should not ends the job: its figures would be
# too good.

cost=/sys/kernel/debug/lt_cost
lt=/sys/kernel/debug/lifetrace
ft=/sys/kernel/tracing
rep=0
# A command that runs a load's program, as words.
under=

fail() {
	echo "event-cost: $*"
	exit 1
}

note() {
	grep -qsF "note $1 " "$OUT/raw" || echo "note $*" >>"$OUT/raw"
}

# run LOAD N CHUNKS - prints what it took
run() {
	case $1 in
	fork | open | msg | pipe | getppid | read) $under "$BIN/rounds" "$1" "$2" "$3" || fail "rounds failed" ;;
	*)
		echo "$1 $2 $3" >$cost/run || fail "$1 cannot be run"
		cat $cost/run
		;;
	esac
}

# warm LOAD N TIMES - the same without a result
warm() { run "$@" >/dev/null; }

# measure MODE LOAD N CHUNKS
measure() {
	echo "cost $rep $2 $1 $(run "$2" "$3" "$4")" >>"$OUT/raw"
}

# simple MODE LOAD N CHUNKS WARM - nothing to do before or after
simple() {
	warm "$2" "$3" "$5"
	measure "$1" "$2" "$3" "$4"
}

is_task_load() { [ "$1" = kthread ] || [ "$1" = fork ]; }
is_call_load() { [ "$1" = getppid ] || [ "$1" = read ]; }
is_function_load() { [ "$1" = function ]; }
# One event a round.
is_single() { is_call_load "$1" || is_function_load "$1"; }

# ------------------------------------------------------------------------
# This module's own probes

mode_base() { simple base "$@"; }

# group LOAD WORD - what of the events a load is about; WORD: if it is system calls
group() {
	if is_task_load "$1"; then
		echo tasks
	elif is_call_load "$1"; then
		echo "$2"
	elif is_function_load "$1"; then
		echo call
	else
		echo slab
	fi
}

# own MODE GROUP NAME LOAD N CHUNKS WARM - NAME: as which it is reported
own() {
	echo "$1 $2" >$cost/mode || fail "lt_cost has no mode $1 $2"
	shift 2
	simple "$@"
	echo none all >$cost/mode
}

mode_empty() { own empty "$(group "$1" calls)" empty "$@"; }
mode_floor_counter() { own floor-counter "$(group "$1")" floor-counter "$@"; }
mode_floor_mono() { own floor-mono "$(group "$1")" floor-mono "$@"; }
mode_cmpxchg_counter() { is_task_load "$1" || own cmpxchg-counter slab cmpxchg-counter "$@"; }
mode_cmpxchg_mono() { is_task_load "$1" || own cmpxchg-mono slab cmpxchg-mono "$@"; }
mode_floor_slab_tasks() { ! is_task_load "$1" || own floor-mono all floor-slab+tasks "$@"; }
kmemtrace() { # NAME LOAD...
	is_task_load "$2" && return
	if [ "$(uname -r | cut -d . -f 1)" != 6 ]; then
		note "$1" "not measured: its probes are for the tracepoints of 6.x"
		return 0
	fi
	own "$1" slab "$@"
}
mode_kmemtrace_56() { kmemtrace kmemtrace-56 "$@"; }
mode_kmemtrace_48_24() { kmemtrace kmemtrace-48-24 "$@"; }

# ------------------------------------------------------------------------
# lifetrace

lt_set() { echo "$2" >"/sys/module/lifetrace/parameters/$1" || fail "lifetrace refuses $1=$2"; }

lt_load() {
	insmod "$BIN/lifetrace.ko" subbuf_size=262144 n_subbufs=$((BUFFER * 4)) pid_n_subbufs=64 \
		call_n_subbufs=$((BUFFER * 4))
}
lt_unload() { rmmod lifetrace; }

# Sums of all classes: "SEEN LOST FILTERED"
lt_counts() {
	awk '$3 == "class" { seen += $6; lost += $8 + $10 + $12 + $14; filtered += $16 }
	     END { print seen + 0, lost + 0, filtered + 0 }' $lt/stats
}

# What the buffers hold goes, so that the measured loop finds them empty and
# their pages in place.
lt_drain() {
	for file in $lt/kmem/cpu* $lt/pid/cpu* $lt/syscall/cpu* $lt/call/cpu*; do
		[ ! -e "$file" ] || dd if="$file" of=/dev/null bs=1M 2>/dev/null
	done
}

# lt_functions LOAD - which function the next session records, with its three arguments and result
lt_functions() {
	! is_function_load "$1" || "$BIN/callset" lt_cost lt_cost_function 3 >$lt/calls ||
		fail "lifetrace takes no functions"
}

# Return: 1 where the parameters are not possible here.
lt_start() {
	exec 3<>$lt/enable || fail "lifetrace's control file cannot be opened"
	echo 1 >&3 2>/dev/null || { exec 3>&-; return 1; }
}

lt_stop() {
	echo 0 >&3
	exec 3>&-
}

# lt_measure WANTED MODE LOAD N CHUNKS - WANTED: what is to become of the events:
# written, lost, filtered
lt_measure() {
	wanted=$1
	shift
	before=$(lt_counts)
	measure "$@"
	after=$(lt_counts)
	# shellcheck disable=SC2086 # three words each
	set -- "$1" "$2" $(($3 * $4)) $before $after
	seen=$(($7 - $4)) lost=$(($8 - $5)) filtered=$(($9 - $6))
	events_a_round=2
	! is_single "$2" || events_a_round=1
	case $wanted in
	written) [ $lost -eq 0 ] && [ $((seen - filtered)) -ge $(($3 * events_a_round)) ] ;;
	lost) [ $lost -ge $(($3 * 2)) ] ;;
	filtered) [ $lost -eq 0 ] && [ $filtered -ge "$3" ] ;;
	esac || fail "$1, $2: $seen events, $lost lost, $filtered filtered"
}

# lt_bytes MODE LOAD N CHUNKS - what lifetrace wrote for a round, and without stacks what
# the floor does
lt_bytes() {
	is_task_load "$2" && return
	echo flush >&3
	channel=kmem
	! is_call_load "$2" || channel=syscall
	! is_function_load "$2" || channel=call
	written=$(dd if=$lt/$channel/cpu0 bs=1M 2>/dev/null | wc -c)
	echo "bytes $rep $2 $1 $written $(($3 * $4))" >>"$OUT/raw"
	[ "$1" = lifetrace ] || return 0
	shift
	echo "events $rep $1 lifetrace $seen $(($2 * $3))" >>"$OUT/raw"
	case $1 in
	kmalloc | sizes | batch) names='kmalloc_bytes kfree_bytes' ;;
	cache) names='cache_alloc_bytes cache_free_bytes' ;;
	*) return 0 ;;
	esac
	stored=0
	for name in $names; do
		stored=$((stored + $(cat /sys/module/lt_cost/parameters/$name)))
	done
	echo "bytes $rep $1 floor $stored 1" >>"$OUT/raw"
}

# record MODE CLOCK WANTED LOAD N CHUNKS WARM
record() {
	mode=$1 clock=$2 wanted=$3
	shift 3
	lt_set clock "$clock"
	lt_set events "${events:-$(group "$1" syscall)}"
	events=
	lt_functions "$1"
	if ! lt_start; then
		note "$mode" "not measured: lifetrace does not offer the clock $clock on this kernel"
		return
	fi
	# As much as the buffer holds, so that it was written once.
	warm "$1" "$2" "$4"
	if [ "$wanted" = lost ]; then
		# Nobody reads.
		until [ "$(lt_counts | cut -d ' ' -f 2)" -gt 0 ]; do
			warm "$1" "$2" "$4"
		done
	else
		warm "$1" "$2" 2
		echo flush >&3
		lt_drain
	fi
	lt_measure "$wanted" "$mode" "$1" "$2" "$3"
	case $mode in
	lifetrace-mono) lt_bytes lifetrace "$1" "$2" "$3" ;;
	lifetrace-stacks*) lt_bytes "$mode" "$1" "$2" "$3" ;;
	esac
	lt_stop
}

events=
mode_lifetrace_off() {
	lt_functions "$1"
	simple lifetrace-off "$@"
}
mode_lifetrace_counter() { record lifetrace-counter counter written "$@"; }
mode_lifetrace_mono() { record lifetrace-mono mono written "$@"; }
mode_lifetrace_raw() { record lifetrace-raw raw written "$@"; }
mode_lifetrace_boot() { record lifetrace-boot boot written "$@"; }
# Beside the recorder in flight mode, which takes the events out of the buffer meanwhile.
mode_lifetrace_flight() {
	"$BIN/lifetrace" record -q --no-coverage --no-stacks -e "$(group "$1" syscall)" --flight=2s --memory=64M \
		--clock=mono -o /tmp/flight/s &
	recorder=$!
	until grep -q '^state recording' $lt/stats && [ -S /run/lifetrace.flight ]; do
		kill -0 $recorder || fail 'the recorder has ended'
		sleep 0.1
	done
	warm "$1" "$2" "$4"
	lt_measure written lifetrace-flight "$1" "$2" "$3"
	kill $recorder
	wait $recorder || fail 'the recorder failed'
}
mode_lifetrace_slab_tasks() {
	is_task_load "$1" || return 0
	events=slab,tasks
	record lifetrace-slab+tasks mono written "$@"
}
# Allocations only: the frees of small objects cannot be distinguished from others.
mode_lifetrace_min_size() {
	is_task_load "$1" && return
	# Half of the random sizes are above the limit: that is no cost of being filtered.
	[ "$1" != sizes ] || return 0
	lt_set min_size 4096
	record lifetrace-min_size mono filtered "$@"
	lt_set min_size 0
}
# Filters of births that keep all of the loop's, or none: its frees are always written.
only() { # NAME PARAMETER VALUE NONE written|filtered LOAD...
	is_task_load "$6" && return
	name=$1 parameter=$2 none=$4 wanted_of_only=$5
	lt_set "$parameter" "$3"
	shift 5
	record "lifetrace-$name" mono "$wanted_of_only" "$@"
	lt_set "$parameter" "$none"
}
mode_lifetrace_in_caches() { only in_caches only_caches 'kmalloc-*,*' , written "$@"; }
mode_lifetrace_out_caches() { only out_caches only_caches lt_nothing , filtered "$@"; }
mode_lifetrace_in_code() { only in_code only_code 0x1-0xffffffffffffffff , written "$@"; }
mode_lifetrace_out_code() { only out_code only_code 0x1-0x2 , filtered "$@"; }
mode_lifetrace_in_pid() { only in_pid only_pid $$ 0 written "$@"; }
mode_lifetrace_out_pid() {
	sleep 1000 &
	other=$!
	only out_pid only_pid $other 0 filtered "$@"
	kill $other
}
mode_lifetrace_in_cgroup() {
	mkdir -p /tmp/cgroups
	[ -e /tmp/cgroups/cgroup.procs ] || mount -t cgroup2 cgroup2 /tmp/cgroups || return
	only in_cgroup only_cgroup / , written "$@"
}
mode_lifetrace_sample64() {
	is_task_load "$1" && return
	lt_set sample 64
	record lifetrace-sample64 mono any "$@"
	lt_set sample 1
}
# System calls that are left out by their number.
mode_lifetrace_calls() {
	is_call_load "$1" || return 0
	lt_set calls 400
	record lifetrace-calls mono filtered "$@"
	lt_set calls ''
}
# Those that do not fail: the load getppid.
mode_lifetrace_call_errors() {
	[ "$1" = getppid ] || return 0
	lt_set call_errors 1
	record lifetrace-call_errors mono filtered "$@"
	lt_set call_errors 0
}
# The stacks of births at one address in so many.
stacks() { # N LOAD...
	one_in=$1
	shift
	is_task_load "$1" && return
	lt_set stacks "$one_in"
	record "lifetrace-stacks$one_in" mono written "$@"
	lt_set stacks 0
}
mode_lifetrace_stacks1() { stacks 1 "$@"; }
mode_lifetrace_stacks64() { stacks 64 "$@"; }
mode_lifetrace_stacks256() { stacks 256 "$@"; }
mode_lifetrace_full() {
	is_task_load "$1" && return
	lt_set subbuf_size 65536
	lt_set n_subbufs 4
	record lifetrace-full mono lost "$@"
	lt_set subbuf_size 262144
	lt_set n_subbufs $((BUFFER * 4))
}

# ------------------------------------------------------------------------
# ftrace

ft_tasks='task/task_newtask task/task_rename sched/sched_process_fork
	sched/sched_process_exec sched/sched_process_exit sched/sched_process_free'
ft_calls='raw_syscalls/sys_enter raw_syscalls/sys_exit'
ft_slab='kmem/kmalloc kmem/kfree kmem/kmem_cache_alloc kmem/kmem_cache_free'

# ft_events LOAD - as words
ft_events() {
	# shellcheck disable=SC2086 # words
	if is_task_load "$1"; then echo $ft_tasks; elif is_call_load "$1"; then echo $ft_calls; else echo $ft_slab; fi
}

ft_switch() {
	for event in $2; do
		echo "$1" >"$ft/events/$event/enable" || fail "ftrace has no event $event"
	done
}

# ftrace MODE CLOCK EVENTS LOAD N CHUNKS WARM
ftrace() {
	mode=$1 clock=$2 list=$3
	shift 3
	if ! echo "$clock" >$ft/trace_clock 2>/dev/null; then
		note "$mode" "not measured: ftrace has no clock $clock on this kernel"
		return
	fi
	ft_switch 1 "$list"
	simple "$mode" "$@"
	ft_switch 0 "$list"
	dropped=$(awk '$1 == "dropped" { print $3 }' $ft/per_cpu/cpu0/stats)
	stored=$(awk '$1 == "entries:" { print $2 }' $ft/per_cpu/cpu0/stats)
	[ "$dropped" -eq 0 ] && [ "$stored" -gt 100 ] || fail "$mode: $stored events, $dropped dropped"
	# Other calls than the load's are few.
	if is_call_load "$1"; then
		bytes=$(awk '$1 == "bytes:" { print $2 }' $ft/per_cpu/cpu0/stats)
		echo "bytes $rep $1 $mode $((bytes * 2)) $stored" >>"$OUT/raw"
	fi
}

mode_ftrace_local() { ftrace ftrace-local local "$(ft_events "$1")" "$@"; }
mode_ftrace_mono() { ftrace ftrace-mono mono "$(ft_events "$1")" "$@"; }
mode_ftrace_counter() { ftrace ftrace-counter x86-tsc "$(ft_events "$1")" "$@"; }
mode_ftrace_slab_tasks() {
	! is_task_load "$1" || ftrace ftrace-slab+tasks local "$ft_slab $ft_tasks" "$@"
}

# ------------------------------------------------------------------------
# ftrace's recorders of functions: the load "function" alone. Their clock is ftrace's own, "local".

# ft_functions MODE LOAD N CHUNKS WARM - measured, with two entries of each call
ft_functions() {
	echo local >$ft/trace_clock
	echo >$ft/trace
	simple "$@"
	# shellcheck disable=SC2046 # four words
	set -- "$1" "$2" $(($3 * ($4 + $5))) $(awk '
		{ n[$1] = $NF }
		END { print n["entries:"], n["overrun:"], n["dropped"], n["bytes:"] }' $ft/per_cpu/cpu0/stats)
	[ $(($4 + $5)) -eq $(($3 * 2)) ] && [ "$6" -eq 0 ] ||
		fail "$1: $4 entries, $5 overwritten, $6 dropped, of $3 calls"
	echo "bytes $rep $2 $1 $(($7 * 2)) $4" >>"$OUT/raw"
}

# graph MODE LOAD...
graph() {
	echo lt_cost_function >$ft/set_ftrace_filter || fail "ftrace does not have lt_cost_function"
	echo function_graph >$ft/current_tracer || fail "ftrace has no function_graph"
	ft_functions "$@"
	[ "$1" = graph ] || grep -q -m 1 'lt_cost_function[^(]*([^)]' $ft/trace || fail "$1 has no arguments"
	echo nop >$ft/current_tracer
	echo >$ft/set_ftrace_filter
}

mode_graph() { graph graph "$@"; }
# With six registers, which it takes for arguments.
mode_graph_args() {
	if ! [ -e $ft/options/funcgraph-args ]; then
		note graph-args "not measured: function_graph has no arguments on this kernel"
		return 0
	fi
	echo 1 >$ft/options/funcgraph-args
	graph graph-args "$@"
	echo 0 >$ft/options/funcgraph-args
}
# One event when the function is called, with its arguments, and one when it returns.
mode_kprobes() {
	{
		echo 'p:lt_calls/enter lt_cost:lt_cost_function a=%di b=%si c=%dx'
		echo 'r:lt_calls/return lt_cost:lt_cost_function result=$retval'
	} >$ft/kprobe_events || fail "ftrace refuses the kprobes"
	echo 1 >$ft/events/lt_calls/enable
	ft_functions kprobes "$@"
	echo 0 >$ft/events/lt_calls/enable
	echo >$ft/kprobe_events
}

# ------------------------------------------------------------------------

# lifetrace is loaded for its own modes, and for no others.
one_mode() {
	mode_name=$1
	shift
	# Who records no functions has no mode of that load, and the other way round.
	case $1:$mode_name in
	function:base | function:graph | function:graph_args | function:kprobes) ;;
	function:lifetrace_off | function:lifetrace_counter | function:lifetrace_mono) ;;
	function:lifetrace_raw | function:lifetrace_boot) ;;
	function:bpftrace_calls | function:bpftrace_call_times) ;;
	function:* | *:graph | *:graph_args | *:kprobes | *:bpftrace_call*) return 0 ;;
	esac
	case $mode_name in
	lifetrace_*)
		[ -e $lt ] || lt_load || fail "lifetrace.ko cannot be loaded"
		;;
	*)
		[ ! -e $lt ] || lt_unload || fail "lifetrace.ko cannot be unloaded"
		;;
	esac
	"mode_$mode_name" "$@"
}

bench() {
	: >>"$OUT/raw"
	# shellcheck disable=SC2086 # several parameters
	insmod "$BIN/lt_cost.ko" buffer_mb="$BUFFER" $COST || fail "lt_cost.ko cannot be loaded"
	case $MODES in
	*ftrace* | *graph* | *kprobes*) echo $((BUFFER * 1024)) >$ft/buffer_size_kb ;;
	esac
	# What a boot leaves to be done in the background would be part of the first mode: on 6.12
	# opening a file took more than twice as long with nothing attached.
	sleep 3
	while [ $rep -lt "$REPS" ]; do
		rep=$((rep + 1))
		for load in $LOADS; do
			for m in $MODES; do
				# shellcheck disable=SC2046 # LOAD:N:CHUNKS:WARM
				one_mode "$m" $(echo "$load" | tr : ' ')
			done
		done
	done
	rmmod lt_cost
}
