# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154,SC2034 # lib.sh; for the scripts that source it
#
# The module and those of the tests, built in one go for a kernel: shared by
# the analysers module and clang.

# kernel_tree NAME KERNEL - a copy of all modules in build/lint/NAME, the tests' below
# the same paths as in the source, so that messages name those.
kernel_tree() {
	local tree=$work/$1 new=$work/$1.new

	rm -rf "$new"
	mkdir -p "$new"
	cp -r --parents Kbuild VERSION module uapi tests/vm/modules "$new"
	# test-packets puts the module's code beside its own, too.
	cp -r module uapi "$new/tests/vm/modules/lt_packets/"
	mkdir "$new/planted"
	cp "$lint_dir/planted/kernel.c" "$new/planted/"
	echo 'obj-m := kernel.o' >"$new/planted/Kbuild"
	cat >>"$new/Kbuild" <<-'EOF'
		obj-m += tests/vm/modules/lt_truth/ tests/vm/modules/lt_packets/ planted/
	EOF
	# What is measured is measured on one kernel.
	if [ "$2" = 6.1 ]; then
		cp -r --parents tests/bench/module tests/bench/rate-module "$new"
		echo 'obj-m += tests/bench/module/ tests/bench/rate-module/' >>"$new/Kbuild"
	fi
	rm -rf "$tree"
	mv "$new" "$tree"
}

# kernel_build TREE KERNEL ARGUMENT... - prints the messages about our files.
# What headers of the kernel are warned of is not ours to mend.
kernel_build() {
	local tree=$1 kernel=$2 out=$work/$1-$2.out kunit=()

	shift 2
	# The suites are for the version of the kernel that runs them; Debian's
	# lacks what they would be linked to, which is no finding.
	[ "$kernel" != 6.1 ] || kunit=(LT_KUNIT=m KBUILD_MODPOST_WARN=1)
	tests/vm/boot/build-module "$kernel" "$work/$tree" -- \
		'LT_TOP=$(KBUILD_EXTMOD)' "${kunit[@]}" "$@" >"$out" 2>&1 ||
		{ tail -n 20 "$out" >&2; return 1; }
	sed -E "s#($work/$tree|$top/build/kernel-$kernel/build-lint-$tree-checked)/##; s#tests/vm/modules/lt_packets/((module|uapi)/)#\1#" "$out" |
		grep -E '(warning|error|WARNING|ERROR):' |
		grep -E '^(module|uapi|tests|planted)/|^(WARNING|ERROR): modpost' |
		grep -vE 'modpost: .*"_*kunit_' | sort -u
	find "$top/build/kernel-$kernel/build-lint-$tree-checked" -name '*.o' ! -name '*.mod.o' | wc -l >&3
}

# kernel_fresh TREE KERNEL - what is up to date would not be warned of again.
kernel_fresh() { rm -rf "$top/build/kernel-$2/build-lint-$1-checked"; }

# newer_root KERNEL - succeeds if the kernel is built with a newer release's tools.
newer_root() { [ -n "$(tests/vm/boot/kernel "$1" | sed -n 's/^TOOLROOT=//p')" ]; }

# newer_tools - the directory that holds clang and sparse for such kernels, in
# which paths are as in the root directory of a machine.
newer_tools() {
	local root=$cache/tools-trixie-lint

	[ -d "$root" ] || (
		. tests/vm/lib.sh
		. tests/vm/boot/apt.sh
		cache_open
		cache_lock tools-trixie-lint
		[ ! -d "$root" ] || exit 0
		cache_tmp
		log "fetching clang and sparse of trixie"
		apt_open "$tmp/apt" trixie trixie-security
		# Not what the root for gcc has, and nothing of perl, which they do
		# not need for this.
		mapfile -t packages < <(apt_closure clang-19 lld-19 llvm-19 sparse |
			grep -E '^(clang-19|lld-19|llvm-19|libllvm19|libclang-(common-19-dev|cpp19)|sparse|lib(edit2|bsd0|md0|ffi8|xml2|z3-4|pfm4|curl4t64|sqlite3-0|nghttp[23].*|idn2-0|rtmp1|ssh2.*|psl5.*|gssapi.*|krb5.*|k5.*|com-err2|keyutils1|ldap2|sasl2-2|brotli1|unistring5|gnutls.*|hogweed.*|nettle.*|p11.*|tasn1.*))=')
		apt_unpack "$tmp/root" "${packages[@]}"
		mv "$tmp/root" "$root"
	) || return
	printf '%s\n' "$root"
}
