# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by suites of what people type, never run: sets $tool, $golden and $work, an empty
# directory, and has what these suites check by. $test_name is set before, $1 is the tool.

top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 2
. tests/count.sh
tool=$(readlink -f "${1-lifetrace}")
# shellcheck disable=SC2034 # for the suites
golden=$top/tests/golden/x86_64.lt
work=build/test-$test_name
export LC_ALL=C

# refuses REGEX ARGUMENT... - Return: whether the tool exits with 2, prints nothing of an answer, not
# even a header, and a message that matches.
refuses() {
	local regex=$1 status

	shift
	"$tool" "$@" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	if [ $status -ne 2 ] || ! grep -qE -- "$regex" "$work/err" || [ -s "$work/out" ]; then
		echo "lifetrace $*: exit status $status, $(wc -l <"$work/out") lines, $(head -n 1 "$work/err")"
		return 1
	fi
}

# prints REGEX ARGUMENT... - Return: whether it exits with 0 and prints that.
prints() {
	local regex=$1

	shift
	"$tool" "$@" >"$work/out" 2>"$work/err" </dev/null && grep -qE -- "$regex" "$work/out" && return
	echo "lifetrace $*: $(head -n 1 "$work/out"), $(head -n 1 "$work/err")"
	return 1
}

commands() { "$tool" help | sed -n 's/^  \([a-z]*\) .*/\1/p'; }

rm -rf "$work"
mkdir -p "$work"
