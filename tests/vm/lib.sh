# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # for the scripts that source it
#
# What every script in tests/vm shares: the cache, its locks, messages, and the Debian
# mirror. Sourced, never run.

vm_dir=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
top_dir=$(dirname "$(dirname "$vm_dir")")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/lifetrace

# Not every user has depmod and modprobe in the path.
PATH=$PATH:/usr/sbin:/sbin

log() { printf 'vm: %s\n' "$*" >&2; }
warn() { printf 'vm: WARNING: %s\n' "$*" >&2; }
die() { printf 'vm: error: %s\n' "$*" >&2; exit 2; }

# need TOOL... - dies with the name of a tool that is not installed.
need() {
	local tool

	for tool; do
		command -v "$tool" >/dev/null ||
			die "'$tool' is not installed; run scripts/install-deps"
	done
}

# busy - how many processes each CPU has to run, up to 6. Limits are for a host that runs about two guests at a
# time. On a busier host a guest is slower, and a slow guest does not hang.
busy() {
	local load busy

	read -r load _ </proc/loadavg
	busy=$((${load%.*} / $(nproc)))
	echo $((busy < 6 ? busy : 6))
}

# tsc_word DIR - the frequency of the counter from which emulated guests of this machine have their time, as a
# word for their kernel: what a guest measures on a busy host may be a multiple, and it then drowns in its ticks.
tsc_word() {
	[ "$(uname -m)" = x86_64 ] || return 0
	need gcc
	gcc -O2 -o "$1/tsc-khz" "$vm_dir/boot/tsc-khz.c"
	echo "tsc_early_khz=$("$1/tsc-khz")"
}

# qemu_where MONITOR - where a guest hangs that cannot show it by itself, before it is killed. The registers come
# from QEMU, the stacks from the guest: with unknown_nmi_panic it prints them on an NMI, and ends. QEMU has its
# monitor on the pipes MONITOR.in and MONITOR.out.
qemu_where() {
	printf '%s\n' 'info registers -a' nmi | timeout 5 tee "$1.in" >/dev/null || :
	timeout 5 cat "$1.out" || :
}

# Kbuild and the apt configuration split paths at white space and cannot quote.
cache_open() {
	case $cache in
	*[[:space:]]*) die "the cache path contains white space: $cache" ;;
	/*) ;;
	*) die "the cache path is not absolute: $cache" ;;
	esac
	mkdir -p "$cache/tmp"
}

# cache_lock NAME - holds an exclusive lock until cache_unlock or exit. Of two runs that
# find the cache cold, the second waits, and then finds it filled.
cache_lock() {
	exec 9>"$cache/$1.lock"
	flock -n 9 || { log "waiting for another run that prepares $1"; flock 9; }
}

# A process started later must not inherit the lock, or it would keep it.
cache_unlock() { exec 9>&-; }

# cache_tmp - sets $tmp to a new directory on the cache's own file system, so that
# complete contents can be moved into place by one rename.
cache_tmp() {
	tmp=$(mktemp -d "$cache/tmp/XXXXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# The mirror is that of this machine's apt. A suite is recognised by its name, since the
# path of a local mirror or proxy can have any form.
debian_suites='buster|bullseye|bookworm|trixie|forky|duke|sid|stable|oldstable|testing|unstable'

# mirror_find REGEX - the first configured repository whose suite matches.
mirror_find() {
	# shellcheck disable=SC2016 # apt expands these, not the shell
	apt-get indextargets --format '$(REPO_URI) $(RELEASE)' |
		awk -v suite="^($1)\$" '$2 ~ suite && !n++ { sub("/+$", "", $1); print $1 }'
}

# mirror - URI of the main archive; LIFETRACE_MIRROR overrides.
mirror() {
	local uri=${LIFETRACE_MIRROR:-}

	[ -n "$uri" ] || uri=$(mirror_find "($debian_suites)(-updates|-backports)?")
	[ -n "$uri" ] || die "apt knows no Debian mirror; set LIFETRACE_MIRROR to one"
	printf '%s\n' "${uri%/}"
}

# mirror_security - URI of the security archive.  Where apt has none configured,
# it is expected beside the main one, under the name that Debian gives it.
mirror_security() {
	local uri=${LIFETRACE_MIRROR_SECURITY:-}

	[ -n "$uri" ] || [ -n "${LIFETRACE_MIRROR:-}" ] ||
		uri=$(mirror_find "($debian_suites)(-security|/updates)")
	if [ -z "$uri" ]; then
		uri=$(mirror) || exit
		case $uri in
		*/debian) uri=$uri-security ;;
		*) die "no security mirror found beside $uri; set LIFETRACE_MIRROR_SECURITY" ;;
		esac
	fi
	printf '%s\n' "${uri%/}"
}
