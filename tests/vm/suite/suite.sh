# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # set here for, and by, the suites
#
# What the suites share: options, what runs in the guest, the guest itself, and the
# comparisons. Sourced by each suite; it sources tests/vm/lib.sh.

. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../lib.sh"
. "$vm_dir/boot/machine.sh"
. "$top_dir/tests/count.sh"

# The source tree stays clean.
export PYTHONDONTWRITEBYTECODE=1

# tools - for the kernel's $machine: $tool is lifetrace on this machine, $guest_tool
# lifetrace for the guest; $cc makes static programs for the guest.
tools() {
	local CC=gcc TOOL=''

	machine=$(machine_of "$kernel")
	tool=${LIFETRACE:-$top_dir/lifetrace}
	[ -n "${LIFETRACE:-}" ] || "$top_dir/tests/make" user || die 'the tool could not be built'
	guest_tool=$tool
	if [ "$machine" != x86_64 ]; then
		eval "$("$vm_dir/boot/userland" "$machine" || echo exit 2)"
		eval "$("$vm_dir/boot/tool" "$machine" || echo exit 2)"
		guest_tool=$TOOL
	fi
	cc=("$CC" -static)
	need "$CC" python3
}

# begin NAME ARGUMENT... - reads the options, empties build/test-NAME/KERNEL ($work),
# and builds the tool and the module (or takes $MODULE), which go to the guest.
begin() {
	test_name=$1 kernel=6.1 large=${LARGE:-}
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		--kernel) kernel=${2:?--kernel wants a name}; shift 2 ;;
		*) die "usage: test-$test_name [--kernel NAME]" ;;
		esac
	done
	tools
	work=$top_dir/build/test-$test_name/$kernel${large:+-large}
	mkdir -p "$work"
	rm -rf "${work:?}"/*
	module=${MODULE:-}
	if [ -z "$module" ]; then
		built=$("$vm_dir/boot/build-module" "$kernel") || exit
		module=${built#MODULE=}
	fi
	files=("$guest_tool" "$module")
}

# with_lt_truth - the test module lt_truth goes to the guest, and the program that
# drives it from several threads.
with_lt_truth() {
	built=$("$vm_dir/boot/build-module" "$kernel" "$vm_dir/modules/lt_truth") || exit
	files+=("${built#MODULE=}")
	program truth-threads -pthread truth-threads.c
}

# program NAME ARGUMENT... - a static program from tools/ goes to the guest.
program() {
	local name=$1

	shift
	(cd "$vm_dir/tools" && "${cc[@]}" -O2 -Wall -Wextra -Werror -o "$work/$name" "$@") ||
		die "$name could not be built"
	files+=("$work/$name")
}

# sized SMALL LARGE OTHER - an amount of work: that of a short run, of a long run
# (LARGE=1), and of a machine that is slow to emulate.
sized() {
	if [ "$machine" != x86_64 ]; then
		printf '%s\n' "$3"
	elif [ -n "$large" ]; then
		printf '%s\n' "$2"
	else
		printf '%s\n' "$1"
	fi
}

# guest SECONDS OPTION... - runs $work/job in a guest; what it leaves is in $out
# afterwards. In a shared boot (see `together`) the options may be --env, --mem and
# --out-size.
guest() {
	local seconds=$1 status=0

	shift
	out=$work/vm/out
	if [ -n "${SHARED_BOOT:-}" ]; then
		shared_guest "$seconds" "$@" || status=$?
		check "the job in the shared virtual machine failed, see $work/vm/console.log" \
			[ "$status" -eq 0 ]
	else
		check "the virtual machine failed, see $work/vm/console.log" \
			"$vm_dir/boot/run" --kernel "$kernel" --job "$work/job" \
			--out "$work/vm" --timeout "$seconds" "$@" "${files[@]}"
	fi
	mkdir -p "$out"
}

# shared_guest SECONDS OPTION... - leaves in $SHARED_BOOT what the boot needs, and
# waits until `together` has run it and put the results into $work/vm.
shared_guest() {
	local status

	{
		printf '%s\n' "$1" "$work"
		shift
		[ $# -eq 0 ] || printf '%s\n' "$@"
	} >"$SHARED_BOOT/order"
	printf '%s\n' "${files[@]}" >"$SHARED_BOOT/files"
	echo staged >"$SHARED_BOOT/staged"
	read -r status <"$SHARED_BOOT/answer"
	return "$status"
}

# guest_of SUITE SECONDS OPTION... - like `guest`; but in a shared boot in which SUITE,
# which runs the same job, takes part, its results are used instead of a second run.
guest_of() {
	local status=0 suite=$1

	shift
	if [ -z "${SHARED_BOOT:-}" ] || [ ! -d "$SHARED_BOOT/../$suite" ]; then
		guest "$@"
		return
	fi
	out=$top_dir/build/test-$suite/$kernel/vm/out
	printf 'results of %s\n' "$suite" >"$SHARED_BOOT/order"
	echo staged >"$SHARED_BOOT/staged"
	read -r status <"$SHARED_BOOT/answer"
	check "the job of $suite failed" [ "$status" -eq 0 ]
}

# compare NAME ARGUMENT... - one of the programs in compare/; its output is kept
# in $work/NAME.txt.
compare() {
	local name=$1

	shift
	python3 "$vm_dir/compare/$name.py" "$@" >"$work/$name.txt" 2>&1
}

# figure NAME KEY - a number out of $work/NAME.txt; 0 if it is not there.
figure() { awk -v key="$2" '$1 == key { n = $2 } END { print n + 0 }' "$work/$1.txt" || echo 0; }

# agrees TEXT NAME ARGUMENT... - one check: compare/NAME.py finds no fault. What it
# found is shown.
agrees() {
	local text=$1

	shift
	if compare "$@"; then pass; return; fi
	cat "$work/$1.txt"
	fail "$text: see $work/$1.txt"
}

# sees TEXT NAME KEY ARGUMENT... - one check: compare/NAME.py counts at least one KEY
# in data with a planted fault.
sees() {
	local text=$1 name=$2 key=$3

	shift 3
	python3 "$vm_dir/compare/$name.py" "$@" >"$work/planted.txt" 2>&1 || :
	check "the comparison does not see $text" [ "$(figure planted "$key")" -gt 0 ]
}

# plant HOW FILE NEW - one check: NEW is a copy of FILE with a fault, see compare/plant.py.
plant() { check "the fault '$1' could not be planted" python3 "$vm_dir/compare/plant.py" "$@"; }

# verifies TEXT TRACE - one check: `lifetrace verify` finds TRACE whole and its sums closed.
verifies() {
	check "$1: lifetrace verify finds a fault, see $work/verify-${2##*/}.txt" \
		"$tool" verify "$2" >"$work/verify-${2##*/}.txt"
}

# read_ctf TRACE DIR - what babeltrace2 reads in DIR/trace, an export of TRACE, compared with what
# `lifetrace dump` prints of it. Messages of babeltrace2 are in DIR/babeltrace.err.
read_ctf() {
	local stale=

	# These versions show an empty text as an earlier text of the field.
	case $(babeltrace2 --version | head -n 1) in 'Babeltrace 2.0.'*) stale=stale ;; esac
	# shellcheck disable=SC2086
	"$tool" dump --absolute --json "$1" >"$2/dump.json" && "$tool" info --absolute --json "$1" >"$2/info.json" &&
		babeltrace2 --clock-cycles "$2/trace" 2>"$2/babeltrace.err" |
		python3 "$vm_dir/compare/ctf.py" - "$2/dump.json" "$2/trace/metadata" "$2/info.json" $stale
}

# missing_part SET TABLE [simple] - checks of a recording in parts, SET, of which a part in the
# middle is missing, see compare/gap.py; and that they see a reader which knows nothing of it, one
# which knows nothing of STATE behind it, and what else is missing.
missing_part() {
	local behind gap=$work/gap sure=$work/gap-sure set=$1

	shift
	agrees 'a set without one of its parts says what is not so' \
		gap "$tool" "$set" "$gap" "$@"
	verifies 'all parts but one' "$gap/parts"
	check 'verify does not say which part is missing' \
		grep -q "^GAP   part $(figure gap missing) " "$work/verify-parts.txt"
	cat >"$work/sure" <<-END
		#!/bin/bash
		set -o pipefail
		"$tool" "\$@" | sed 's/,uncertain,/,exact,/'
	END
	chmod +x "$work/sure"
	cat >"$work/unsure" <<-END
		#!/bin/bash
		set -o pipefail
		"$tool" "\$@" | case "\${*: -1}" in
		*/parts) sed -E 's/,(exact|open),/,uncertain,/' ;;
		*) cat ;;
		esac
	END
	chmod +x "$work/unsure"
	sees 'that what lived through the missing part is called uncertain' gap \
		faults_not_as_the_tail "$work/unsure" "$set" "$work/gap-unsure" "$@"
	sees 'that lifetimes over the missing part are called exact' gap faults_certain_over_the_gap \
		"$work/sure" "$set" "$sure" "$@"
	# Where an object of the table was alive at the gap's begin, or behind it.
	[ "$(figure gap parts_uncertain)" -eq 0 ] ||
		check 'the comparison does not see wrong ends' [ "$(figure planted faults_exact)" -gt 0 ]
	# A part, from the largest on, that has a packet between two others.
	while read -r behind; do
		! python3 "$vm_dir/compare/plant.py" packet "$behind" "$work/planted.lt" || break
	done < <(find "$sure/tail" -name '*.lt' -printf '%s %p\n' | sort -rn | sed 's/^[0-9]* //')
	check "the fault 'packet' could not be planted" [ -s "$work/planted.lt" ]
	mv "$work/planted.lt" "$sure/parts/${behind##*/}"
	check 'verify does not see that a packet is missing besides the part' \
		exits 1 "$tool" verify -q "$sure/parts" >"$work/verify-planted.txt"
}
