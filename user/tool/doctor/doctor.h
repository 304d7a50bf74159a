/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why recording would not work on this machine, and what to do about it.
 */
#ifndef LT_DOCTOR_DOCTOR_H
#define LT_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "engine/module.h"
#include "base/out.h"

enum lt_doctor_level {
	LT_DOCTOR_OK,
	LT_DOCTOR_NOTE,		/* recording works, with a limitation */
	LT_DOCTOR_PROBLEM,	/* nothing can be recorded */
};

/* What the kernel forbids, root included. */
enum lt_lockdown {
	LT_LOCKDOWN_NONE,
	LT_LOCKDOWN_INTEGRITY,		/* writing in debugfs, modules that are not signed */
	LT_LOCKDOWN_CONFIDENTIALITY,	/* tracing, too */
};

/**
 * struct lt_doctor - one examination
 * @root: prefix of /proc, /sys, /lib and /boot; "" except in tests
 * @module_dir: the module's directory was given: where debugfs is mounted does not matter
 * @module: the module's files. The control file is never opened, because opening it makes
 *	this process the owner of the session, and closing it ends the session.
 * @uid: the effective user
 * @release: release of the running kernel
 * @out: receives the findings
 * @lockdown: what the kernel was found to forbid
 * @loaded: the module was found to be loaded
 * @readable: the module's files were found to be readable
 * @recording: a session was found to have its buffers
 * @programs: BPF programs were found to record here
 * @notes: notes printed so far
 * @problems: problems printed so far
 */
struct lt_doctor {
	char root[PATH_MAX];
	bool module_dir;
	struct lt_module module;
	uid_t uid;
	char release[256];
	struct lt_out *out;
	enum lt_lockdown lockdown;
	bool loaded;
	bool readable;
	bool recording;
	bool programs;
	unsigned int notes;
	unsigned int problems;
};

/* @root: NULL: this machine; @module_dir: NULL: the usual directory. */
void lt_doctor_init(struct lt_doctor *d, struct lt_out *out, const char *root,
		    const char *module_dir);

/* Makes all checks and prints their findings; counts them in @d->notes and @d->problems. */
void lt_doctor_run(struct lt_doctor *d);

/**
 * lt_modinfo() - a value of a module's .modinfo section
 * @elf: the bytes of a file, which need not be a valid ELF file
 * @size: number of bytes
 * @key: name, without "="
 * @value: zero-terminated; cut if it is longer than @value_size
 * Return: false if this is not an ELF file or has no such value.
 */
bool lt_modinfo(const void *elf, size_t size, const char *key, char *value,
		size_t value_size);

#endif /* LT_DOCTOR_DOCTOR_H */
