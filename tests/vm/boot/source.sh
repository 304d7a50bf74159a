# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Of the kernel's source what a build needs.  Sourced, by those that build one.

# source_unpack TARBALL DIR ARCH... - unpacks Debian's source of 6.1 into DIR/source:
# all Kconfig files, which the configuration reads, but code of these directories
# below arch/ only, and none of the drivers that no test builds.
source_unpack() {
	local tarball=$1 dir=$2 top=linux-source-6.1 name unused

	shift 2
	unused=(--exclude="$top/Documentation/*/*")
	for name in drivers/{gpu,infiniband,media,net/ethernet,net/wireless,staging} sound; do
		unused+=(--exclude="$top/$name/*.[ch]")
	done
	for name in alpha arc arm arm64 csky hexagon ia64 loongarch m68k microblaze mips nios2 \
		openrisc parisc powerpc riscv s390 sh sparc xtensa; do
		[[ " $* " == *" $name "* ]] || unused+=(--exclude="$top/arch/$name/*.[chS]"
			--exclude="$top/arch/$name/*.dts*")
	done
	tar -xJf "$tarball" -C "$dir" "${unused[@]}"
	mv "$dir/$top" "$dir/source"
}
