# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # set here for, and by, those who source it
#
# What the tests of tasks and numbers share, beside what is in truth.sh. Sourced
# after that.

# prepare_pid NAME ARGUMENT... - options, directories, the module and the tool.
prepare_pid() {
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
	module=${MODULE:-}
	if [ -z "$module" ]; then
		built=$("$vm_dir/boot/build-module" "$kernel") || exit
		module=${built#MODULE=}
	fi
	files=("$guest_tool" "$module")
}

# program NAME FILE... - a static one for the guest, from tools/.
program() {
	local name=$1

	shift
	(cd "$vm_dir/tools" && "${cc[@]}" -O2 -Wall -Wextra -Werror -o "$work/$name" "$@") ||
		die "$name could not be built"
	files+=("$work/$name")
}

# agrees WHAT NAME ARGUMENT... - compare/NAME.py finds no fault; what it found is shown.
agrees() {
	local what=$1

	shift
	if compare "$@"; then pass; return; fi
	cat "$work/$1.txt"
	fail "$what"
}

# sees WHAT NAME ARGUMENT... - compare/NAME.py finds one, with a planted fault.
sees() {
	local what=$1 name=$2

	shift 2
	python3 "$vm_dir/compare/$name.py" "$@" >"$work/planted.txt" 2>&1 || :
	check "$what was not seen" [ "$(figure planted faults)" -gt 0 ]
}

# plant HOW FILE NEW - see compare/pidfault.py
plant() { check "planting: $1" python3 "$vm_dir/compare/pidfault.py" "$@"; }
