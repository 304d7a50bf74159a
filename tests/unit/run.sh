#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# run.sh PROGRAM...: runs cmocka programs; the last line has the counts.
# A program that crashes, or that a sanitizer stops, counts as one failure. $RUNNER
# runs programs of another machine. One that has not ended after $TEST_SECONDS is killed.

. "$(dirname "$0")/../count.sh"
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT

skipped=0
for prog in "$@"; do
	echo "# $(basename "$prog")"
	# shellcheck disable=SC2086 # none, or one word
	within "${TEST_SECONDS:-900}" "$(basename "$prog")" \
		env CMOCKA_MESSAGE_OUTPUT=TAP ${RUNNER-} "$prog" >"$out" 2>&1
	status=$?
	ok=$(grep -c '^ok ' "$out")
	# cmocka says "not ok" of a test that was skipped, too.
	skip=$(grep -c '^not ok .* # SKIP' "$out")
	not_ok=$(($(grep -c '^not ok ' "$out") - skip))
	if [ "$not_ok" -ne 0 ] || [ $status -ne 0 ]; then
		# After a failed assertion everything that was in use has leaked.
		if [ "$not_ok" -ne 0 ]; then
			sed '/LeakSanitizer/,$d' "$out"
		else
			cat "$out"
		fi
	else
		grep -E '^ok |^not ok .* # SKIP' "$out"
	fi
	if [ "$not_ok" -eq 0 ] && { [ $status -ne 0 ] || [ $((ok + skip)) -eq 0 ]; }; then
		echo "not ok - $(basename "$prog") ended with status $status"
		not_ok=1
	fi
	passed=$((passed + ok))
	failed=$((failed + not_ok))
	skipped=$((skipped + skip))
done

counts $passed $failed $skipped
[ $failed -eq 0 ]
