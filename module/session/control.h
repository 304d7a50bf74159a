/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_CONTROL_H
#define LT_CONTROL_H

#include <linux/fs.h>

/**
 * struct lt_control_file - a file of the module, but for the packet files
 * @name: LT_FILE_*; NULL: the end of the table
 * @mode: what it can be opened for: 0400, 0200 or both
 * @fops: use nothing of the inode. @release may be called where @open has failed
 */
struct lt_control_file {
	const char *name;
	umode_t mode;
	const struct file_operations *fops;
};

extern const struct lt_control_file lt_control_files[];

/* trigger.c */
extern const struct file_operations lt_trigger_fops;

/* panic.c */
extern const struct file_operations lt_panic_fops;

/* control.c */
int lt_control_init(void);
void lt_control_exit(void);

/* device.c */
int lt_device_init(void);
void lt_device_exit(void);

#endif /* LT_CONTROL_H */
