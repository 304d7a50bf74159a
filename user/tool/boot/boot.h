/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recording a boot from the initramfs on: the files that make a machine do so.
 */
#ifndef LT_BOOT_BOOT_H
#define LT_BOOT_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

/**
 * struct lt_boot - what is asked for
 * @root: prefix of all paths; "" except in tests
 * @program: absolute path of the tool, for the unit of systemd
 * @trace: absolute path of the trace that the unit writes
 * @seconds: how long it records
 * @update: make the initramfs again
 * @calls: the functions whose calls are recorded, as the module's file LT_CALL_BOOT_FILE of the
 *	kernel @release has them; NULL: none
 * @calls_size: bytes of it
 * @out: receives what was done, a line for each step
 */
struct lt_boot {
	const char *root;
	const char *program;
	const char *trace;
	uint64_t seconds;
	bool update;
	const void *calls;
	size_t calls_size;
	const char *release;
	struct lt_out *out;
};

/*
 * Where a boot is recorded to, unless asked otherwise. The unit has systemd make this directory.
 */
#define LT_BOOT_TRACE	"/var/lib/lifetrace/boot.lt"

/**
 * lt_boot_enable() - install the files, and make the initramfs again
 *
 * Nothing is written if a file of another origin is in the way, there is no generator of
 * initramfs that is known, or no kernel has the module, as a file or as a part of it.
 *
 * Return: 0, or -1 after lt_error().
 */
int lt_boot_enable(const struct lt_boot *b);

/* Removes the files. Return: 0, also if there are none; -1 after lt_error(). */
int lt_boot_disable(const struct lt_boot *b);

/* Prints what is installed. Return: whether all is. */
bool lt_boot_status(const struct lt_boot *b);

/* files.c, made of share/boot: what the files hold. Words between @ are replaced. */
extern const char lt_boot_initramfs_hook[], lt_boot_initramfs_script[], lt_boot_dracut_module[],
	lt_boot_dracut_hook[], lt_boot_service[];

#endif /* LT_BOOT_BOOT_H */
