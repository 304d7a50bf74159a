# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A compiler cache may be set up to write other paths into objects and messages than those of the
# files (base_dir), or those of another tree (no hash_dir). Suites look files up by these paths. Sourced
# by what compiles for them.

export CCACHE_BASEDIR='' CCACHE_HASHDIR=true
unset CCACHE_NOHASHDIR

# What a compiler cache keeps of a kernel module is then found by paths, and has them in its debug
# information. So modules are built at a path that all checkouts share.

# in_mount_namespace COMMAND... - in a mount namespace of its own; without root privileges, in a user
# namespace that lends them.
in_mount_namespace() {
	if [ "$(id -u)" -eq 0 ]; then unshare -m "$@"; else unshare -mr "$@"; fi
}

# at_shared_path DIRECTORY PATH COMMAND... - where DIRECTORY is at PATH, too, for this command alone.
# "M=@" among its words becomes M=PATH; M=DIRECTORY on machines on which nothing may be mounted.
at_shared_path() {
	local directory=$1 path=$2 at=$1 words=() word

	shift 2
	! in_mount_namespace true 2>/dev/null || at=$path
	for word; do
		if [ "$word" = M=@ ]; then words+=("M=$at"); else words+=("$word"); fi
	done
	if [ "$at" = "$directory" ]; then
		"${words[@]}"
		return
	fi
	mkdir -p "$path"
	# shellcheck disable=SC2016 # expanded inside
	in_mount_namespace bash -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' - \
		"$directory" "$path" "${words[@]}"
}
