# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # for the scripts that source it
#
# What the analysers share. Sourced by tests/lint, which then sources one of the
# files beside this one; each of them defines
#
#   analyse [ARGUMENT...]	prints messages as FILE:LINE: TEXT, with paths from
#			the top of the tree; the number of files that it looked
#			at goes to descriptor 3; fails if it could not look
#   expects		regular expressions, one a line: each of them has to
#			match a message about a planted file

lint_dir=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
top=$(cd "$lint_dir/../.." && pwd)
work=$top/build/lint
planted=planted/
cache=${XDG_CACHE_HOME:-$HOME/.cache}/lifetrace
cd "$top" || exit 2
. tests/ccache.sh

# need TOOL... - an analyser that is not there has failed.
need() {
	local tool

	for tool; do
		command -v "$tool" >/dev/null || { echo "'$tool' is not installed; run scripts/install-deps" >&2; return 1; }
	done
}

# files PATTERN... - those of the tree that git has or would take.
files() {
	git ls-files -co --exclude-standard -- "$@" | while read -r file; do
		[ ! -f "$file" ] || printf '%s\n' "$file"
	done | sort -u
}

# C of programs, for the machine that builds and for guests.
user_files() {
	files 'user/*.c' 'tests/unit/*.c' 'tests/fuzz/*.c' 'tests/vm/tools/*.c' 'tests/bench/*.c' \
		'Documentation/*.c' | grep -vE '^tests/bench/(rate-)?module/|\.bpf\.c$'
	echo tests/lint.d/planted/user.c
}

# The words that the compiler gets, without those of warnings.
user_flags() {
	make -s -C user flags | tr ' ' '\n' | grep -E '^-(std|D|I)'
	printf '%s\n' "-I$top/tests/unit/support" '-DLT_VERSION="lint"'
}

# aside N COMMAND [ARGUMENT...] - run it with the lines of standard input, N at
# a time, on all CPUs. Analysers say by their status that they found something;
# that they failed is seen by what they did not find in the planted file.
aside() { xargs -P "$(nproc)" -n "$@" 2>&1 || :; }
