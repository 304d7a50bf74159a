# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # what lib.sh and its user set
#
# Packages of any Debian suite, downloaded and unpacked without touching the
# machine: apt runs with its own sources, lists and package database below one
# directory.  Needs no root.  Sourced after lib.sh.

# What apt_open asks the mirror for: machines, the first of them the one that a
# package belongs to that says nothing; and deb, or deb and deb-src.
apt_machines=amd64
apt_types=deb

# apt_open DIR SUITE... - a private apt state in DIR that knows these suites.
# A suite named *-security is looked for in the security archive.
apt_open() {
	local dir=$1 key=/usr/share/keyrings/debian-archive-keyring.gpg
	local main security suite uri type

	shift
	need apt-get dpkg-deb
	[ -r "$key" ] || die "no Debian archive key ($key); run scripts/install-deps"
	main=$(mirror) && security=$(mirror_security) || exit

	mkdir -p "$dir"
	for suite; do
		uri=$main
		[[ $suite != *-security ]] || uri=$security
		for type in $apt_types; do
			printf '%s [signed-by=%s] %s %s main\n' "$type" "$key" "$uri" "$suite"
		done
	done >"$dir/sources.list"
	apt_update "$dir" "$*"
}

# apt_open_at DIR KEY URI SUITE... - one that knows suites of another archive, which signs
# with KEY.
apt_open_at() {
	local dir=$1 key=$2 uri=$3 suite

	shift 3
	mkdir -p "$dir"
	for suite; do
		printf 'deb [signed-by=%s] %s %s main\n' "$key" "$uri" "$suite"
	done >"$dir/sources.list"
	apt_update "$dir" "$*"
}

# apt_update DIR NAMES - reads the package lists of $DIR/sources.list.
apt_update() {
	local dir=$1

	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	: >"$dir/status"
	apt_options=(
		-qq
		-o "Dir::Etc::sourcelist=$dir/sources.list"
		-o Dir::Etc::sourceparts=/dev/null
		-o Dir::Etc::preferences=/dev/null
		-o Dir::Etc::preferencesparts=/dev/null
		-o "Dir::State=$dir"
		-o "Dir::State::lists=$dir/lists"
		-o "Dir::State::status=$dir/status"
		-o "Dir::Cache=$dir/cache"
		-o "APT::Architecture=${apt_machines%% *}"
		-o "APT::Architectures=${apt_machines// /,}"
		-o APT::Install-Recommends=false
		-o APT::Sandbox::User=root
		-o Acquire::Languages=none
		-o Acquire::Retries=3
		# One suite that cannot be read is an error, not a shorter list.
		-o APT::Update::Error-Mode=any
		# An archived release is still signed, but no longer re-signed.
		-o Acquire::Check-Valid-Until=false
	)
	apt_private update >&2 || die "apt could not read the package lists of: $2"
}

apt_private() { apt-get "${apt_options[@]}" "$@"; }

# apt_closure [OPTION...] PACKAGE... - what installing these would install, one
# PACKAGE=VERSION a line.
apt_closure() {
	apt_private -s install "$@" |
		sed -n 's/^Inst \([^ ]*\) \(\[[^]]*\] \)\?(\([^ ]*\) .*/\1=\3/p'
}

# apt_unpack ROOT PACKAGE=VERSION... - download and unpack, configure nothing.
# Packages are unpacked one by one and deleted, to need less room.
apt_unpack() {
	local root=$1 debs deb

	shift
	[ $# -gt 0 ] || die 'apt named no package to download'
	debs=$(mktemp -d "$cache/tmp/debs.XXXXXX")
	mkdir -p "$root"
	if ! (cd "$debs" && apt_private download "$@" >&2); then
		rm -rf "$debs"
		return 1
	fi
	for deb in "$debs"/*.deb; do
		dpkg-deb -x "$deb" "$root" || { rm -rf "$debs"; return 1; }
		rm "$deb"
	done
	rmdir "$debs"
}
