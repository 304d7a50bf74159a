# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# How many events a recorder lost, by its own records. Sourced in the guests
# of rate and workload.

# lost_by MODE FILE LOG - what it recorded, and what it printed while recording.
lost_by() {
	case $1 in
	lifetrace-live)
		sed -n 's/.*: \([0-9]*\) system calls were lost.*/\1/p' "$3" |
			awk '{ n += $1 } END { print n + 0 }'
		;;
	lifetrace*)
		awk '$1 == "class" { table = 1; next }
			table && NF == 7 { n += $3 + $4 + $5 + $6 }
			END { if (!table) exit 1; print n + 0 }' "$3"
		;;
	trace-cmd*)
		./trace-cmd report --stat -i "$2" 2>/dev/null |
			awk '/^(overrun|commit overrun|dropped events):/ { n += $NF; seen = 1 }
				END { if (!seen) exit 1; print n + 0 }'
		;;
	lttng*) awk '/discarded/ { for (i = 1; i < NF; i++) if ($i + 0 > 0) n += $i } END { print n + 0 }' "$3" ;;
	perf-trace) awk '/LOST [0-9]+ events/ { n += $2 } END { print n + 0 }' "$2" ;;
	perf*) ./rate-perf-lost "$2" | cut -d ' ' -f 2 ;;
	esac
}

# file_size PATH - bytes of a file, or of all below a directory
file_size() { find "$1" -type f -exec stat -c %s {} + | awk '{ n += $1 } END { print n + 0 }'; }
