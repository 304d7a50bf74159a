# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # for the scripts that source it
#
# What runs of the KUnit suites share, in User Mode Linux and in virtual machines.

# A suite that silently lost its cases must not pass: every case that the sources
# list has to run.
kunit_expected=$(cat "${BASH_SOURCE[0]%/*}"/../../module/*/*_kunit.c | grep -c KUNIT_CASE)

# suites_in MODULE.ko - the section holds one pointer for each suite.
suites_in() {
	local size

	size=$(readelf -SW "$1" | sed -n 's/.* \.kunit_test_suites  *[A-Z]* *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	echo $((16#${size:-0} / 8))
}

# kunit_enough RESULT - did as many cases run as there are, and fail none? RESULT
# is what kunit.awk printed.
kunit_enough() {
	local count

	count=$(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed.*/\1 \2/p' <<< "$1" | awk '{ print $1 + $2 }')
	if [ "${count:-0}" -lt "$kunit_expected" ]; then
		echo "kunit: ${count:-no} cases ran, $kunit_expected exist"
		return 1
	fi
	! grep -qE ' [1-9][0-9]* failed' <<< "$1"
}

# kunit_programs LOG - a line: how many programs of function calls were tried, and what came of them.
kunit_programs() {
	sed -n 's/.*accepted_programs_stay_in_their_room: \([0-9]* programs from\)/\1/p' "$1" | awk '
		{ slices++; programs += $1; from[slices] = $4; accepted += $6 }
		match($0, /[0-9]+ ran to their end/) { ran += substr($0, RSTART) }
		match($0, /[0-9]+ calls entered/) { entered += substr($0, RSTART) }
		END {
			if (slices)
				printf "%d programs in %d slices from %d on, %d accepted, %d ran to their end, %d calls entered\n",
				       programs, slices, from[1], accepted, ran, entered
		}'
}
