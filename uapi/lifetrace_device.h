/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * lifetrace: the character device, /dev/lifetrace.
 *
 * Read, it lists the names of the files that can be opened through it, one a line. They are
 * those below debugfs (see lifetrace_file.h), packet files as CHANNEL/cpuN, and behave
 * like them:
 *
 *	struct lt_device_open open = { .name = LT_FILE_STATS };
 *	int stats = ioctl(device, LT_DEVICE_OPEN, &open);
 *
 * A kernel that is locked down (integrity, as under Secure Boot) closes debugfs, but not
 * this device.
 */
#ifndef LIFETRACE_DEVICE_H
#define LIFETRACE_DEVICE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define LT_DEVICE_NAME		"lifetrace"	/* below /dev */

struct lt_device_open {
	char name[64];	/* ends with a zero */
};

/*
 * Opens a file, for what its mode allows. Return: a descriptor, with O_CLOEXEC; or an error
 * of open(). A file that can be written needs a device that is open for writing (EACCES).
 */
#define LT_DEVICE_OPEN		_IOW('L', 0x40, struct lt_device_open)

#endif /* LIFETRACE_DEVICE_H */
