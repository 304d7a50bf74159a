// SPDX-License-Identifier: GPL-2.0
/*
 * Why recording would not work on this machine: the order of the checks, and the checks
 * that do not depend on the module.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "doctor/internal.h"
#include "base/text.h"
#include "out/log.h"

#define DEBUGFS		"/sys/kernel/debug"

static void check_user(struct lt_doctor *d)
{
	if (!d->uid)
		lt_doctor_say(d, LT_DOCTOR_OK, "user", "root");
	else
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "user",
			      "not root, which recording needs: sudo lifetrace; some of the checks "
			      "below cannot be made without root");
}

static void find_module(struct lt_doctor *d)
{
	char state[64];
	struct stat st;

	if (d->module_dir) {
		d->loaded = !stat(d->module.dir, &st);
		if (!d->loaded)
			lt_doctor_say(d, LT_DOCTOR_PROBLEM, "module", "%s: %s", d->module.dir,
				      strerror(errno));
		return;
	}
	d->loaded = lt_doctor_exists(d, "/sys/module/lifetrace");
	if (!d->loaded) {
		lt_doctor_loadable(d);
		return;
	}
	if (lt_doctor_word(d, "/sys/module/lifetrace/initstate", state, sizeof(state)) &&
	    strcmp(state, "live"))
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "module",
			      "loaded, but in state '%s', not 'live': wait; if it stays so, see the "
			      "kernel log (dmesg)", state);
	else
		lt_doctor_say(d, LT_DOCTOR_OK, "module", "loaded");
}

/* Whether a line of @text contains @words. */
static bool has_line(const char *text, const char *words)
{
	const char *line;
	size_t len;

	while (text && lt_line(&text, &line, &len)) {
		if (memmem(line, len, words, strlen(words)))
			return true;
	}
	return false;
}

/* Whether debugfs is mounted where the module's files are expected; reports if not. */
static bool debugfs_mounted(struct lt_doctor *d)
{
	char *mounts = lt_doctor_text(d, "/proc/mounts"), *kinds;
	bool mounted = has_line(mounts, " " DEBUGFS " debugfs ");

	free(mounts);
	if (mounted)
		return true;
	kinds = lt_doctor_text(d, "/proc/filesystems");
	if (kinds && !has_line(kinds, "\tdebugfs"))
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "debugfs",
			      "this kernel has no debugfs: boot without debugfs=off, or a kernel with "
			      "CONFIG_DEBUG_FS=y");
	else
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "debugfs",
			      "not mounted: sudo mount -t debugfs debugfs " DEBUGFS);
	free(kinds);
	return false;
}

static void check_debugfs(struct lt_doctor *d)
{
	const char *dir = d->module.dir;
	DIR *stream;

	if (!d->module_dir && !debugfs_mounted(d))
		return;
	stream = opendir(dir);
	if (stream) {
		closedir(stream);
		d->readable = true;
		lt_doctor_say(d, LT_DOCTOR_OK, "debugfs", "%s can be read", dir);
		if (d->lockdown == LT_LOCKDOWN_INTEGRITY)
			lt_doctor_say(d, LT_DOCTOR_PROBLEM, "debugfs",
				      "the kernel is locked down, so the module cannot be "
				      "controlled there, and a module without " LT_MODULE_DEVICE
				      " is older than this tool: use a module and a tool of one "
				      "release");
	} else if (errno == ENOENT) {
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "debugfs",
			      "%s does not exist, though the module is loaded: load it again "
			      "(sudo rmmod lifetrace); see also the kernel log (dmesg)", dir);
	} else if (d->uid) {
		lt_doctor_say(d, LT_DOCTOR_NOTE, "debugfs", "%s cannot be read: %s; only root can",
			      dir, strerror(errno));
	} else {
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "debugfs",
			      "root cannot read %s: %s; a container or a security module "
			      "forbids it", dir, strerror(errno));
	}
}

/* The device, or else debugfs. Where neither is there the module is of no use. */
static void check_files(struct lt_doctor *d)
{
	char path[DOCTOR_PATH];
	int err = ENOENT;

	if (!d->loaded)
		return;
	lt_doctor_path(d, path, sizeof(path), LT_MODULE_DEVICE);
	if (!d->module_dir)
		err = lt_module_use_device(&d->module, path);
	if (err == ENOENT) {
		check_debugfs(d);
	} else if (!err) {
		d->readable = true;
		lt_doctor_say(d, LT_DOCTOR_OK, "device", "%s can be opened", path);
	} else if (err != EPERM || d->lockdown != LT_LOCKDOWN_CONFIDENTIALITY) {
		lt_doctor_say(d, d->uid ? LT_DOCTOR_NOTE : LT_DOCTOR_PROBLEM, "device",
			      "%s cannot be opened: %s%s", path, strerror(err),
			      d->uid ? "; only root can" :
			      "; a container or a security module forbids it");
	}
}

/*
 * The module's function probes have the flag PERMANENT: while ftrace is off the kernel refuses
 * to attach them, and while they are attached it refuses to switch ftrace off. A kretprobe can
 * be attached while ftrace is off, but is never hit if it is implemented by ftrace.
 */
static void check_ftrace(struct lt_doctor *d)
{
	char word[32];

	if (!lt_doctor_word(d, "/proc/sys/kernel/ftrace_enabled", word, sizeof(word)))
		lt_doctor_say(d, LT_DOCTOR_NOTE, "ftrace",
			      "this kernel has no ftrace: bulk_free, rcu_free and cache_gone are not "
			      "watched");
	else if (!strcmp(word, "0"))
		lt_doctor_say(d, LT_DOCTOR_NOTE, "ftrace",
			      "switched off: bulk_free, rcu_free and cache_gone cannot be attached, "
			      "and bulk_alloc may see nothing: sudo sysctl kernel.ftrace_enabled=1");
	else
		lt_doctor_say(d, LT_DOCTOR_OK, "ftrace", "on");
}

/* In /proc/kallsyms the kernel shows zero instead of an address that it hides. */
static void check_symbols(struct lt_doctor *d)
{
	char path[DOCTOR_PATH], line[1024], restrict_to[32];
	bool zero = true;
	FILE *f;

	f = fopen(lt_doctor_path(d, path, sizeof(path), "/proc/kallsyms"), "re");
	if (!f) {
		lt_doctor_say(d, LT_DOCTOR_NOTE, "symbols",
			      "%s: %s; call sites will be numbers without names", path,
			      strerror(errno));
		return;
	}
	/* Per-CPU symbols may come first, and the addresses of some of them are zero. */
	while (zero && fgets(line, sizeof(line), f))
		zero = line[strspn(line, "0")] == ' ';
	fclose(f);
	lt_doctor_word(d, "/proc/sys/kernel/kptr_restrict", restrict_to, sizeof(restrict_to));
	if (!zero)
		lt_doctor_say(d, LT_DOCTOR_OK, "symbols", "can be read");
	else if (d->uid && strcmp(restrict_to, "2"))
		lt_doctor_say(d, LT_DOCTOR_NOTE, "symbols",
			      "all addresses are zero for users other than root");
	else
		lt_doctor_say(d, LT_DOCTOR_NOTE, "symbols",
			      "all addresses are zero, so call sites will have no names%s",
			      strcmp(restrict_to, "2") ? "" :
			      ": sudo sysctl kernel.kptr_restrict=1");
}

void lt_doctor_init(struct lt_doctor *d, struct lt_out *out, const char *root,
		    const char *module_dir)
{
	char buf[DOCTOR_PATH];
	struct utsname u;

	*d = (struct lt_doctor){ .uid = geteuid(), .out = out, .module_dir = module_dir };
	if (root && strlen(root) + sizeof(LT_MODULE_DIR) + sizeof(LT_MODULE_PARAMETERS) >=
	    sizeof(d->root))
		lt_die("%s: the name is too long", root);
	strcpy(d->root, root ? root : "");
	lt_module_init(&d->module, module_dir);
	if (!module_dir) {
		lt_doctor_path(d, buf, sizeof(buf), LT_MODULE_DIR);
		snprintf(d->module.dir, sizeof(d->module.dir), "%.*s", PATH_MAX - 1, buf);
		lt_doctor_path(d, buf, sizeof(buf), LT_MODULE_PARAMETERS);
		snprintf(d->module.parameters, sizeof(d->module.parameters), "%.*s",
			 PATH_MAX - 1, buf);
	}
	if (!lt_doctor_word(d, "/proc/sys/kernel/osrelease", d->release, sizeof(d->release)) &&
	    !uname(&u))
		snprintf(d->release, sizeof(d->release), "%s", u.release);
}

void lt_doctor_run(struct lt_doctor *d)
{
	check_user(d);
	lt_doctor_kernel(d);
	find_module(d);
	check_files(d);
	lt_doctor_session(d);
	check_ftrace(d);
	check_symbols(d);
	lt_doctor_engines(d);
	lt_module_close(&d->module);
}
