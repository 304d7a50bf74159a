// SPDX-License-Identifier: GPL-2.0
/*
 * usage: crash-kernel KERNEL INITRAMFS COMMAND-LINE
 *
 * Has the kernel start another one when it panics, in the memory that crashkernel= reserved: what
 * kexec -p -s does.
 */
#include <fcntl.h>
#include <linux/kexec.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int kernel, initramfs;

	if (argc != 4) {
		fprintf(stderr, "usage: crash-kernel KERNEL INITRAMFS COMMAND-LINE\n");
		return 2;
	}
	kernel = open(argv[1], O_RDONLY);
	initramfs = open(argv[2], O_RDONLY);
	if (kernel < 0 || initramfs < 0) {
		perror("crash-kernel: open");
		return 2;
	}
	if (syscall(SYS_kexec_file_load, kernel, initramfs, strlen(argv[3]) + 1, argv[3],
		    KEXEC_FILE_ON_CRASH)) {
		perror("crash-kernel: kexec_file_load");
		return 1;
	}
	return 0;
}
