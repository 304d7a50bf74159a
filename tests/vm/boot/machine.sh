# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # for the scripts that source it
#
# The machines that the kernels under test run on, one paragraph each. Sourced
# after lib.sh.

# machine_of KERNEL - the machine that a kernel of this name is for.
machine_of() {
	case $1 in
	s390x | arm64 | armhf | i386 | ppc32) printf '%s\n' "$1" ;;
	arm64-*) printf 'arm64\n' ;;
	*) printf 'x86_64\n' ;;
	esac
}

# machine_describe MACHINE - sets
#
#   karch, cross  ARCH and CROSS_COMPILE of a kernel build; cross is empty where
#                 the host's own tools will do
#   elf           what programs there are: class, byte order and ELF machine
#   program       the QEMU that emulates it, in Debian's package `package`
#   board         QEMU's arguments for board and CPU
#   cpu_suffix    where the accelerator decides what the CPU may be (on x86),
#                 what is said besides
#   console       the guest's name for the first serial port
#   disk          QEMU's device for a disk
#   transport     modules that this disk needs, in the order of loading
#   off           how the guest ends: some boards cannot power off
machine_describe() {
	board=() console=ttyS0 disk=virtio-blk-pci transport='virtio_pci virtio_blk'
	off=poweroff cross='' cpu_suffix=''
	case $1 in
	x86_64)
		karch=x86 elf='64 little 62'
		program=qemu-system-x86_64 package=qemu-system-x86
		;;
	i386)
		# Not microvm: its kernel hangs in the calibration of the TSC on a busy host.
		# 32-bit kernels warn of the CPU "max" as a CPU of AMD: no SMP.
		karch=x86 cross=i686-linux-gnu- elf='32 little 3' cpu_suffix=,vendor=GenuineIntel
		program=qemu-system-i386 package=qemu-system-x86 board=(-M pc)
		;;
	arm64)
		# Not the CPU "max": its pointer authentication takes seven times as long.
		karch=arm64 cross=aarch64-linux-gnu- elf='64 little 183'
		program=qemu-system-aarch64 package=qemu-system-arm board=(-M virt -cpu cortex-a57)
		console=ttyAMA0 disk=virtio-blk-device transport='virtio_mmio virtio_blk'
		;;
	armhf)
		karch=arm cross=arm-linux-gnueabihf- elf='32 little 40'
		program=qemu-system-arm package=qemu-system-arm board=(-M virt -cpu cortex-a15)
		console=ttyAMA0 disk=virtio-blk-device transport='virtio_mmio virtio_blk'
		;;
	s390x)
		karch=s390 cross=s390x-linux-gnu- elf='64 big 22'
		program=qemu-system-s390x package=qemu-system-s390x board=(-M s390-ccw-virtio)
		console=ttysclp0 disk=virtio-blk-ccw transport=virtio_blk
		;;
	ppc32)
		karch=powerpc cross=powerpc-linux-gnu- elf='32 big 20'
		# The 64-bit emulator runs several CPUs in parallel. In the other, which runs
		# them in turn, a CPU acknowledges a change of code only after its slice of
		# time, and a module takes minutes to load.
		program=qemu-system-ppc64 package=qemu-system-ppc board=(-M ppce500 -cpu e500mc)
		transport='' off=reboot
		;;
	*) die "unknown machine '$1'; there are x86_64, i386, arm64, armhf, s390x and ppc32" ;;
	esac
}
