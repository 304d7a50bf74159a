# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # what kernel sets, and uses
#
# What compiles modules for a kernel. Sourced by tests/vm/boot/kernel.

# compiler_choose - of $compiler and $tools, what this machine can use: where it has not
# the compiler that a kernel was made with, the build tools of Debian 12 in a root
# directory of their own; for another machine, its cross compiler, of any version.
compiler_choose() {
	[ -z "$tools" ] || return 0
	! command -v "$compiler" >/dev/null || return 0
	if [ -n "$cross" ]; then
		compiler=${cross}gcc
		need "$compiler"
	else
		tools=bookworm
	fi
}

# compiler_packages - the build tools of the release $tools.
compiler_packages() {
	apt_closure base-files make "$compiler" libc6-dev kmod dwarves dash \
		coreutils sed grep gawk bash findutils diffutils ccache "$1"
}

# compiler_fetch - a root directory with the build tools of $tools, unpacked but never
# configured. One serves every kernel of that release.
compiler_fetch() {
	local packages suites=("$tools") elf=libelf1t64

	cache_open
	cache_lock "build-tools-$tools"
	[ ! -d "$cache/build-tools-$tools" ] || return 0
	cache_tmp
	case $tools in
	bookworm) suites+=(bookworm-security) elf=libelf1 ;;
	trixie) suites+=(trixie-security) ;;
	esac
	log "fetching the build tools of $tools"
	apt_machines=amd64
	apt_open "$tmp/apt" "${suites[@]}"
	packages=$(compiler_packages "$elf")
	# base-files first: it holds the links that merge / with /usr
	# shellcheck disable=SC2046 # one word a package
	if ! apt_unpack "$tmp/tools" $(grep '^base-files=' <<<"$packages") ||
		! apt_unpack "$tmp/tools" $(grep -v '^base-files=' <<<"$packages"); then
		die "the build tools of $tools could not be downloaded"
	fi
	ln -sf gawk "$tmp/tools/usr/bin/awk"
	mkdir -p "$tmp/tools/usr/lib/ccache"
	ln -s ../../bin/ccache "$tmp/tools/usr/lib/ccache/$compiler"
	mv "$tmp/tools" "$cache/build-tools-$tools"
}

# compiler_answer - the keys CC and TOOLROOT, behind those of the cached kernel.
compiler_answer() {
	if [ -n "$tools" ] && [ ! -d "$cache/build-tools-$tools" ]; then
		(compiler_fetch)
	fi
	printf 'CC=%s\nTOOLROOT=%s\n' "$compiler" "${tools:+$cache/build-tools-$tools}"
}
