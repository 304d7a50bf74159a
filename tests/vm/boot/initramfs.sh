# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # what lib.sh and its user set
#
# Builds the image of a guest. Everything is collected in one directory, $stage, and
# packed uncompressed: a guest under emulation unpacks slower than QEMU loads. Sourced
# by tests/vm/boot/run after lib.sh.

# stage_base MODULES JOB [BUSYBOX] - busybox, /init, the kernel's modules, the
# job. BUSYBOX is that of another machine.
stage_base() {
	local dir

	for dir in bin lib lib64; do
		mkdir -p "$stage/usr/$dir"
		ln -s "usr/$dir" "$stage/$dir"
	done
	ln -s usr/bin "$stage/sbin"
	ln -s bin "$stage/usr/sbin"
	mkdir -p "$stage"/{dev,etc/vm,job,mnt,out,proc,root,run,sys,tmp,var}
	ln -s ../run "$stage/var/run"
	ln -s ../tmp "$stage/var/tmp"
	ln -s /proc/mounts "$stage/etc/mtab"
	printf '%s\n' root:x:0:0:root:/tmp:/bin/sh tester:x:1000:1000::/tmp:/bin/sh \
		nobody:x:65534:65534::/:/bin/sh >"$stage/etc/passwd"
	printf '%s\n' root:x:0: tester:x:1000: nogroup:x:65534: >"$stage/etc/group"

	# One process makes the links of all applets. They name the path of the busybox
	# that runs here, which is its path in the guest, too. /init makes the links of
	# another machine's busybox.
	cp "${3:-$(command -v busybox)}" "$stage/usr/bin/busybox"
	[ -n "${3-}" ] || busybox --install -s "$stage/usr/bin" 2>/dev/null || :
	cp -r "$1/lib/modules" "$stage/usr/lib/"
	install -m 755 "$vm_dir/boot/guest-init" "$stage/init"
	install -m 755 "$vm_dir/boot/guest-save-out" "$stage/usr/bin/save-out"
	install -m 755 "$2" "$stage/etc/vm/job"
}

# stage_into DIR - makes a directory of the guest and prints where it is in the stage; a
# relative one is below the job's directory. A link that was staged before must not lead
# out of the stage, into this machine's own files.
stage_into() {
	local dir=$stage/$1

	[[ $1 == /* ]] || dir=$stage/job/$1
	dir=$(readlink -m "$dir")
	case $dir/ in
	"$stage"/*) mkdir -p "$dir" ;;
	*) die "a link leads $1 out of the guest, to $dir" ;;
	esac
	printf '%s\n' "$dir"
}

# Never through a link that stands where the copy is to be.
stage_copy() { cp --remove-destination --preserve=mode,timestamps "$@"; }

# stage_file FILE | SRC:DEST
stage_file() {
	local source=${1%%:*} target=${1##*/} dir

	[ "$source" = "$1" ] || target=${1#*:}
	[ -f "$source" ] || die "no file $source"
	case $target in
	*/) target+=${source##*/} ;;
	*/*) ;;
	*) target=./$target ;;
	esac
	dir=$(stage_into "${target%/*}/") || exit
	stage_copy -L "$source" "$dir/${target##*/}"
}

# stage_tree SRC:DEST - a directory with all that is in it.
stage_tree() {
	local target

	case $1 in *:*) ;; *) die "--host-tree wants SRC:DEST, not $1" ;; esac
	[ -d "${1%%:*}" ] || die "no directory ${1%%:*}"
	target=$(stage_into "${1#*:}") || exit
	stage_copy -r --no-dereference "${1%%:*}/." "$target/"
}

# The first gcc on the path that is no compiler cache's link.
driver() {
	local path

	while read -r path; do
		[[ $(readlink -f "$path") == */ccache ]] || { echo "$path"; return; }
	done < <(type -ap gcc)
	die 'there is no gcc on the path but links of ccache'
}

# stage_gcc - enough of this machine's toolchain to compile and link C there:
# the driver, what it starts, and the headers and start files of libc.
stage_gcc() {
	local path package version gcc

	need gcc dpkg-query
	gcc=$(driver) || exit
	version=$(gcc -dumpversion | cut -d . -f 1)
	for path in "$gcc" "$(gcc -print-prog-name=cc1)" \
		"$(gcc -print-prog-name=collect2)" "$(gcc -print-file-name=liblto_plugin.so)" \
		"$(command -v "$(gcc -print-prog-name=as)")" \
		"$(command -v "$(gcc -print-prog-name=ld)")"; do
		stage_copy -L "$path" "$(stage_into "${path%/*}")/"
	done
	ln -sf gcc "$stage/usr/bin/cc"
	# Newer drivers name them with the machine's prefix, but look for the plain names, too.
	for path in as ld; do
		[ -e "$stage/usr/bin/$path" ] ||
			ln -s "$(basename "$(gcc -print-prog-name=$path)")" "$stage/usr/bin/$path"
	done

	# Of the libraries, those that every link names; a static one besides
	# these would only fill the guest's memory. Which packages there are differs
	# between releases.
	for package in libc6-dev linux-libc-dev libcrypt-dev "libgcc-$version-dev"; do
		dpkg-query -L "$package" 2>/dev/null || :
	done >"$tmp/packages"
	grep -E -e '/include/.*\.h$' -e '/crt[^/]*\.o$|/[SgM]crt1\.o$' \
		-e '/lib(gcc|gcc_eh|c_nonshared|pthread|dl|rt|m|util)\.a$' \
		-e '/lib(c|m|gcc_s|atomic)(_asneeded)?\.so$' -e '/libatomic[^/]*\.a$' \
		"$tmp/packages" >"$tmp/toolchain" || :
	grep -q '/stdio\.h$' "$tmp/toolchain" && grep -q '/crt1\.o$' "$tmp/toolchain" ||
		die "the files of gcc $version and libc6-dev were not found in dpkg's lists;" \
			"is gcc that of this Debian release?"
	(cd / && sed 's#^/##' "$tmp/toolchain" | cpio -pdmuL --quiet "$stage") ||
		die 'the toolchain could not be copied'
	# Linker scripts name these libraries; perhaps no program in the guest does yet.
	for path in libc.so.6 libm.so.6 libmvec.so.1 libgcc_s.so.1 libatomic.so.1 ld-linux-x86-64.so.2; do
		path=$(gcc -print-file-name="$path")
		[ -e "$path" ] || continue
		path=$(readlink -f "$(dirname "$path")")/${path##*/}
		stage_copy -L "$path" "$(stage_into "${path%/*}")/"
	done
}

# stage_pack IMAGE ELF - where programs are of the kind ELF, see machine.sh
stage_pack() {
	# shellcheck disable=SC2086 # three words
	"$vm_dir/boot/elf-closure" "$stage" $2 || exit 2
	(cd "$stage" && find . | cpio -o -H newc -R 0:0 --quiet) >"$1" ||
		die 'the initramfs could not be packed'
}
