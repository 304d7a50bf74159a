# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034 # for the suites that source this
#
# How every suite counts its checks and prints the line that tests/check reads.
# Sourced, by sh or bash; never run. A suite sets $test_name before its first check,
# and calls `summary` as its last command.
#
# A suite that ends early prints no such line and an exit status other than 0:
# tests/check counts that as one failure.

passed=0 failed=0 skipped=0

pass() { passed=$((passed + 1)); }

# fail TEXT - TEXT says what was expected and not found.
fail() { failed=$((failed + 1)); printf '%s: FAILED: %s\n' "$test_name" "$*"; }

# skip TEXT - a check that cannot be made here; TEXT says why.
skip() { skipped=$((skipped + 1)); printf '%s: skipped: %s\n' "$test_name" "$*"; }

# python_with MODULE - prints the first Python that has it, this one's or Debian's; nothing: none has.
python_with() {
	for python_name in python3 /usr/bin/python3; do
		if "$python_name" -c "import $1" 2>/dev/null; then
			echo "$python_name"
			return
		fi
	done
}

# check TEXT COMMAND... - one check: the command succeeds.
check() {
	check_text=$1
	shift
	if "$@"; then pass; else fail "$check_text"; fi
}

# exits STATUS COMMAND... - Return: whether the command ends with exactly this status.
exits() {
	exits_wanted=$1 exits_status=0
	shift
	"$@" || exits_status=$?
	[ "$exits_status" -eq "$exits_wanted" ]
}

# within SECONDS NAME COMMAND... - runs the command, and kills it, with all that it has started
# in its process group, where it does not end. Return: its status.
within() {
	within_limit=$1 within_name=$2 within_status=0
	shift 2
	timeout -k "${KILL_SECONDS:-10}" "$within_limit" "$@" || within_status=$?
	case $within_status in 124|137)
		printf 'FAULT: %s: FAILED: it did not end within %s s, or was killed\n' \
			"$within_name" "$within_limit"
	esac
	return $within_status
}

# counts PASSED FAILED SKIPPED - the counts as every suite prints them.
counts() {
	printf '%s passed, %s failed' "$1" "$2"
	[ "$3" -eq 0 ] || printf ', %s skipped' "$3"
	printf '\n'
}

# counts_in FILE - the last counts that FILE has, as three numbers; nothing if it has
# none.
counts_in() {
	grep -aoE '[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?' "$1" | tail -n 1 |
		sed -E 's/ (passed|failed|skipped)//g; s/, / /g; s/^[0-9]+ [0-9]+$/& 0/'
}

# count_output LOG STATUS - adds the counts of a test that ended with STATUS and whose
# output is in LOG. A test that printed no counts, that counted nothing, or whose
# status shows a failure that its counts lack, has failed once.
count_output() {
	count_of=$(counts_in "$1")
	# shellcheck disable=SC2086 # three numbers
	set -- "$2" ${count_of:-0 0 0}
	if [ "$3" -eq 0 ] && { [ "$1" -ne 0 ] || [ "$2" -eq 0 ]; }; then
		set -- "$1" "$2" 1 "$4"
	fi
	passed=$((passed + $2)) failed=$((failed + $3)) skipped=$((skipped + $4))
}

# summary - prints the counts. Return: 0 if a check passed and none failed.
summary() {
	printf '%s: %s\n' "$test_name" "$(counts "$passed" "$failed" "$skipped")"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
