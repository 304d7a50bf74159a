# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # set here for, and by, those who source it
#
# What test-truth, test-ftrace and test-conservation share: the test module
# lt_truth, the checks' results and how they are counted.  Sourced after lib.sh.

. "$vm_dir/boot/machine.sh"

# Nothing is to be left in the source tree.
export PYTHONDONTWRITEBYTECODE=1

passed=0 failed=0
pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); printf '%s: FAILED: %s\n' "$test_name" "$*"; }

# check TEXT COMMAND... - one check: the command succeeds.
check() {
	local text=$1

	shift
	if "$@"; then pass; else fail "$text"; fi
}

# exits STATUS COMMAND... - the command ends with just this status.
exits() {
	local wanted=$1 status=0

	shift
	"$@" || status=$?
	[ "$status" -eq "$wanted" ]
}

# tools - of the kernel's $machine: $tool is lifetrace here, $guest_tool that of the
# guest; $cc makes static programs for the guest.
tools() {
	local CC=gcc TOOL=''

	machine=$(machine_of "$kernel")
	tool=${LIFETRACE:-$top_dir/lifetrace}
	[ -n "${LIFETRACE:-}" ] || make -s -C "$top_dir/user" || die 'the tool could not be built'
	guest_tool=$tool
	if [ "$machine" != x86_64 ]; then
		eval "$("$vm_dir/boot/userland" "$machine" || echo exit 2)"
		eval "$("$vm_dir/boot/tool" "$machine" || echo exit 2)"
		guest_tool=$TOOL
	fi
	cc=("$CC" -static)
	need "$CC" python3
}

# sized SMALL LARGE OTHER - how much of something is made: in a short run, in a
# long one, and where the machine is slow to emulate.
sized() {
	if [ "$machine" != x86_64 ]; then
		printf '%s\n' "$3"
	elif [ -n "$large" ]; then
		printf '%s\n' "$2"
	else
		printf '%s\n' "$1"
	fi
}

# prepare NAME ARGUMENT... - options, directories, and what runs in the guest.
prepare() {
	test_name=$1 kernel=6.1 large=${LARGE:-}
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		--kernel) kernel=${2:?--kernel wants a name}; shift 2 ;;
		*) die "usage: test-$test_name [--kernel NAME]" ;;
		esac
	done
	tools
	work=$top_dir/build/test-$test_name/$kernel
	mkdir -p "$work"
	rm -rf "${work:?}"/*
	built=$("$vm_dir/boot/build-module" "$kernel") || exit
	files=("$guest_tool" "${built#MODULE=}")
	built=$("$vm_dir/boot/build-module" "$kernel" "$vm_dir/modules/lt_truth") || exit
	files+=("${built#MODULE=}" "$work/truth-threads")
	"${cc[@]}" -O2 -Wall -Wextra -Werror -pthread -o "$work/truth-threads" \
		"$vm_dir/tools/truth-threads.c" || die 'truth-threads could not be built'
}

# guest SECONDS OPTION... - run $work/job in the guest; results in $out.
guest() {
	local seconds=$1

	shift
	out=$work/vm/out
	check 'the virtual machine, see above' "$vm_dir/boot/run" --kernel "$kernel" --job "$work/job" \
		--out "$work/vm" --timeout "$seconds" "$@" "${files[@]}"
}

# compare NAME ARGUMENT... - one of the programs in compare/; its output is kept
# in $work/NAME.txt and shown only when it fails.
compare() {
	local name=$1

	shift
	python3 "$vm_dir/compare/$name.py" "$@" >"$work/$name.txt" 2>&1
}

# figure NAME KEY - a number out of $work/NAME.txt.
figure() { awk -v key="$2" '$1 == key { n = $2 } END { print n + 0 }' "$work/$1.txt" || echo 0; }

# summary - the last line, and the exit status.
summary() {
	printf '%s: %s passed, %s failed\n' "$test_name" "$passed" "$failed"
	[ "$failed" -eq 0 ]
}
