# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# LTTng as a recorder, in the guests of rate and workload; lttng.tar is what
# rate-lttng made.  Sourced there; $disk is where traces go.


lttng() { env -u LD_LIBRARY_PATH chroot /lttng /usr/bin/lttng --no-sessiond "$@"; }

# lttng_begin - its daemon, once; RECORDER is its pid, whose children record.
lttng_begin() {
	mkdir /lttng
	tar -xf lttng.tar -C /lttng
	rm lttng.tar
	for dir in dev proc sys run tmp; do mount -o bind /$dir /lttng/$dir; done
	mount -o bind /sys/kernel/debug /lttng/sys/kernel/debug
	mount -o bind /dev/shm /lttng/dev/shm
	mount -o bind "$disk" "/lttng$disk"
	env -u LD_LIBRARY_PATH chroot /lttng /usr/bin/lttng-sessiond >/tmp/sessiond.log 2>&1 &
	lttng_daemon=$!
	tries=0
	until lttng list >/dev/null 2>&1; do
		tries=$((tries + 1))
		if [ $tries -gt 100 ]; then
			cat /tmp/sessiond.log
			return 1
		fi
		sleep 0.3
	done
}

# lttng_record OPTION... EVENTS COMMAND... - the options are the channel's; EVENTS: "calls" are all
# system calls
lttng_record() {
	lttng create bench --output="$disk/trace" || return
	options=
	while [ "${1#--}" != "$1" ]; do
		options="$options $1"
		shift
	done
	# shellcheck disable=SC2086 # words
	lttng enable-channel -k -s bench $options main || return
	lttng add-context -k -s bench -c main -t tid || return
	case $1 in
	calls) lttng enable-event -k -s bench -c main --syscall --all ;;
	*) lttng enable-event -k -s bench -c main "$1" ;;
	esac || return
	shift
	lttng start bench || return
	RECORDER=$lttng_daemon "$@" || return
	lttng stop bench
	lttng destroy bench
}

lttng_end() {
	kill "$lttng_daemon"
	wait "$lttng_daemon" || :
}
