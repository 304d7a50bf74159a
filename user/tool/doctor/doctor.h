/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why tracing would not work on this machine, and what to do.
 */
#ifndef LT_LIB_DOCTOR_H
#define LT_LIB_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "record/module.h"
#include "base/out.h"

enum lt_doctor_level {
	LT_DOCTOR_OK,
	LT_DOCTOR_NOTE,		/* recording works, but something is to be known */
	LT_DOCTOR_PROBLEM,	/* nothing can be recorded */
};

/**
 * struct lt_doctor - one examination
 * @root: what comes before /proc, /sys, /lib and /boot; "" but in tests
 * @module_dir: the module's directory was given; where debugfs is does not matter
 * @module: the module's files; its control file is never opened, because to
 *	open it is to own the session, and to close it ends the session
 * @uid: who asks
 * @release: of the running kernel
 * @out: where the findings go
 * @loaded: found: the module is loaded
 * @readable: found: the module's files can be read
 * @recording: found: a session has its buffers
 * @notes: how many so far
 * @problems: how many so far
 */
struct lt_doctor {
	char root[PATH_MAX];
	bool module_dir;
	struct lt_module module;
	uid_t uid;
	char release[256];
	struct lt_out *out;
	bool loaded;
	bool readable;
	bool recording;
	unsigned int notes;
	unsigned int problems;
};

/* @root and @module_dir may be NULL: this machine, the usual place. */
void lt_doctor_init(struct lt_doctor *d, struct lt_out *out, const char *root,
		    const char *module_dir);

/* All checks, in the order in which things have to work. See @problems. */
void lt_doctor_run(struct lt_doctor *d);

/**
 * lt_modinfo() - a value of a module's .modinfo section
 * @elf: the file's bytes, whatever they are
 * @size: how many
 * @key: name, without "="
 * @value: zero-terminated; cut if it is longer than @value_size
 * Return: false: this is no ELF file, or there is no such value in it.
 */
bool lt_modinfo(const void *elf, size_t size, const char *key, char *value,
		size_t value_size);

#endif /* LT_LIB_DOCTOR_H */
