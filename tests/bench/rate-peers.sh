# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # set by lib.sh, and for the scripts that source this
#
# Other tracers for the guests of tests/bench, from Debian's archive: unpacked in
# the cache, with those of their libraries that this machine has not, and never
# installed.  Sourced after tests/vm/lib.sh and tests/vm/boot/apt.sh.

# peer PACKAGE - sets $peer_root to where it is unpacked.  With a real package
# database apt answers what is missing here.
peer() {
	local packages

	peer_root=$cache/peers/$1
	[ ! -d "$peer_root" ] || return 0
	cache_open
	cache_lock peers
	if [ ! -d "$peer_root" ]; then
		(
			cache_tmp
			apt_open "$tmp/apt" bookworm bookworm-security
			[ ! -r /var/lib/dpkg/status ] || cp /var/lib/dpkg/status "$tmp/apt/status"
			packages=$(apt_closure --reinstall "$1")
			log "fetching $1"
			# shellcheck disable=SC2086 # one word a package
			apt_unpack "$tmp/root" $packages
			rm -rf "$tmp"/root/usr/share/{doc,man,locale}
			mkdir -p "$cache/peers"
			mv "$tmp/root" "$peer_root"
		) || { cache_unlock; return 1; }
	fi
	cache_unlock
}

# peers_stage PACKAGE... - sets $peer_files, the program of each, for tests/vm/boot/run,
# and $peer_libraries, to be LD_LIBRARY_PATH for tests/vm/boot/run and, as the libraries
# keep their paths, in the guest.
peers_stage() {
	local package

	peer_files=() peer_libraries=
	for package; do
		peer "$package" || return 1
		peer_files+=("$peer_root/usr/bin/${package#linux-}")
		peer_libraries+=${peer_libraries:+:}$peer_root/usr/lib/x86_64-linux-gnu
	done
}
