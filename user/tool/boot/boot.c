// SPDX-License-Identifier: GPL-2.0
/*
 * Recording a boot from the initramfs on: installs, removes and finds the files that make a
 * machine do so, of initramfs-tools, of dracut and of systemd.
 */
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "out/log.h"
#include "boot/internal.h"

#define MAX_TEXT	(1U << 20)
#define MAX_LIST	(64U << 20)	/* of all modules of a kernel, with what they depend on */

/* All files hold this line, by which they are known. */
#define OURS		"Installed by 'lifetrace boot enable'"

#define UNIT		"/etc/systemd/system/lifetrace-boot.service"
#define WANTS		"/etc/systemd/system/sysinit.target.wants/lifetrace-boot.service"

/* A part: what makes an initramfs, or runs at boot. It is here if @needs exists. */
enum part { INITRAMFS_TOOLS, DRACUT, SYSTEMD, N_PARTS };

static const struct {
	const char *name;
	const char *needs;
} parts[] = {
	[INITRAMFS_TOOLS] = { "initramfs-tools", "/usr/share/initramfs-tools/hook-functions" },
	[DRACUT] = { "dracut", "/usr/lib/dracut/modules.d" },
	[SYSTEMD] = { "systemd", "/usr/lib/systemd/system" },
};

static const struct file {
	enum part part;
	const char *path;
	const char *text;
	mode_t mode;
} files[] = {
	{ INITRAMFS_TOOLS, "/etc/initramfs-tools/hooks/lifetrace", lt_boot_initramfs_hook, 0755 },
	{ INITRAMFS_TOOLS, "/etc/initramfs-tools/scripts/init-top/lifetrace",
	  lt_boot_initramfs_script, 0755 },
	{ DRACUT, "/usr/lib/dracut/modules.d/90lifetrace/module-setup.sh",
	  lt_boot_dracut_module, 0755 },
	{ DRACUT, "/usr/lib/dracut/modules.d/90lifetrace/lifetrace.sh", lt_boot_dracut_hook, 0755 },
	{ SYSTEMD, UNIT, lt_boot_service, 0644 },
};

#define N_FILES	(sizeof(files) / sizeof(files[0]))

static bool exists(const struct lt_boot *b, const char *path)
{
	char *name = lt_boot_below(b, path);
	struct stat st;
	bool found = !lstat(name, &st);

	free(name);
	return found;
}

static bool is_here(const struct lt_boot *b, enum part part)
{
	return exists(b, parts[part].needs);
}

/* ------------------------------------------------------------------------
 * One file
 */

/* The text of a file with its words replaced; to be freed. */
static char *text_of(const struct lt_boot *b, const struct file *f)
{
	char *text = lt_strdup(f->text), *seconds = lt_format("%" PRIu64, b->seconds);
	const char *const words[][2] = {
		{ "@PROGRAM@", b->program }, { "@DURATION@", seconds }, { "@OUTPUT@", b->trace },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char *at, *more;

		while ((at = strstr(text, words[i][0]))) {
			more = lt_format("%.*s%s%s", (int)(at - text), text, words[i][1],
					 at + strlen(words[i][0]));
			free(text);
			text = more;
		}
	}
	free(seconds);
	return text;
}

enum found { ABSENT, PRESENT, OTHERS };

/* OTHERS: what is there was not made by this program, or cannot be read. */
static enum found look_for(const struct lt_boot *b, const struct file *f)
{
	char *name = lt_boot_below(b, f->path), *text = lt_read_text_file(name, MAX_TEXT, NULL);
	enum found found = text && strstr(text, OURS) ? PRESENT :
			   text || errno != ENOENT ? OTHERS : ABSENT;

	free(text);
	free(name);
	return found;
}

static int install(const struct lt_boot *b, const struct file *f)
{
	char *text = text_of(b, f);
	int err = lt_boot_install(b, f->path, f->mode, text, strlen(text));

	free(text);
	return err;
}

/* As `systemctl enable` does it, which cannot be asked before there is a systemd. */
static int want_unit(const struct lt_boot *b)
{
	char *name = lt_boot_below(b, WANTS);
	int err = 0;

	if (lt_boot_make_directories(name) || (symlink(UNIT, name) && errno != EEXIST)) {
		lt_error("%s: %s%s", name, strerror(errno), errno == EACCES ? " (sudo?)" : "");
		err = -1;
	}
	free(name);
	return err;
}

/* ------------------------------------------------------------------------
 * The initramfs
 */

/* Return: the exit status of a program, -1: it could not be run. */
static int run(const char *const *argv)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Return: whether an initramfs in /boot was written since then. */
static bool is_newer(const struct lt_boot *b, time_t since)
{
	char *pattern = lt_boot_below(b, "/boot/initr*");
	struct stat st;
	bool newer = false;
	glob_t g = { 0 };

	glob(pattern, 0, NULL, &g);
	for (size_t i = 0; i < g.gl_pathc; i++)
		newer |= !stat(g.gl_pathv[i], &st) && st.st_mtime >= since;
	globfree(&g);
	free(pattern);
	return newer;
}

/*
 * Makes the initramfs of all kernels again. Where there are both generators, dracut is there
 * as a tool beside the one that the distribution's kernels call.
 */
static int update(const struct lt_boot *b)
{
	static const char *const by_tools[] = { "update-initramfs", "-u", "-k", "all", NULL };
	static const char *const by_dracut[] = { "dracut", "--force", "--regenerate-all", NULL };
	const char *const *argv = is_here(b, INITRAMFS_TOOLS) ? by_tools : by_dracut;
	char command[128] = "";
	time_t since = time(NULL);
	int status;

	for (size_t i = 0; argv[i]; i++)
		snprintf(command + strlen(command), sizeof(command) - strlen(command), "%s%s",
			 i ? " " : "", argv[i]);
	if (!b->update) {
		lt_boot_say(b, "to do", command);
		return 0;
	}
	lt_boot_say(b, "running", command);
	lt_out_flush(b->out);
	status = run(argv);
	if (!status) {
		if (!is_newer(b, since))
			lt_boot_say(b, "note", "that wrote no /boot/initr*: look whether your initramfs is "
			    "elsewhere, or make it by hand");
		return 0;
	}
	lt_error("'%s' failed (exit status %d): the initramfs is as it was; see the messages above, "
		 "then run it again", command, status);
	return -1;
}

/* ------------------------------------------------------------------------
 * What is asked for
 */

/*
 * The module in a kernel's list of modules (modules.builtin, modules.dep), where a line begins
 * with a path. Return: the path, to be freed; NULL: it is not there.
 */
static char *find_module(const char *list)
{
	static const char module[] = "/lifetrace.ko";
	const size_t length = sizeof(module) - 1;
	char *text = lt_read_text_file(list, MAX_LIST, NULL), *path = NULL;
	const char *rest = text, *line;
	size_t n;

	while (!path && text && lt_line(&rest, &line, &n)) {
		const char *colon = memchr(line, ':', n), *slash;

		/* In modules.dep, what the module depends on follows. */
		n = colon ? (size_t)(colon - line) : n;
		slash = memrchr(line, '/', n);
		if (!slash || (size_t)(line + n - slash) < length || strncmp(slash, module, length))
			continue;
		/* A compressed one has another suffix. */
		if (slash + length == line + n || slash[length] == '.')
			path = lt_strndup(line, n);
	}
	free(text);
	return path;
}

/* Return: whether a kernel has it, by the directory of the kernel's modules, which ends in '/'. */
static bool has_module(const struct lt_boot *b, const char *dir, bool print)
{
	char *builtin = lt_format("%smodules.builtin", dir), *dep = lt_format("%smodules.dep", dir);
	char *part = find_module(builtin), *path = find_module(dep), *text = NULL;
	const char *seen = dir + strlen(b->root);
	bool found;

	if (part)
		text = lt_format("is a part of the kernel of %s", seen);
	else if (path)
		text = *path == '/' ? lt_strdup(path) : lt_format("%s%s", seen, path);
	/* What was deleted stays in the list until depmod runs. */
	found = part || (path && exists(b, text));
	if (found && print)
		lt_boot_say(b, "module", text);
	free(text);
	free(path);
	free(part);
	free(dep);
	free(builtin);
	return found;
}

/* Kernels that have the module, or that it is a part of, one line each. Return: how many. */
static size_t modules(const struct lt_boot *b, bool print)
{
	char *pattern = lt_boot_below(b, "/lib/modules/*/");
	glob_t g = { 0 };
	size_t n = 0;

	glob(pattern, 0, NULL, &g);
	for (size_t i = 0; i < g.gl_pathc; i++)
		n += has_module(b, g.gl_pathv[i], print);
	globfree(&g);
	free(pattern);
	return n;
}

static int check(const struct lt_boot *b)
{
	if (!is_here(b, INITRAMFS_TOOLS) && !is_here(b, DRACUT)) {
		lt_error("neither initramfs-tools nor dracut is installed here, and no other "
			 "generator of initramfs is known (expected %s or %s)",
			 parts[INITRAMFS_TOOLS].needs, parts[DRACUT].needs);
		return -1;
	}
	if (!is_here(b, SYSTEMD)) {
		lt_error("there is no systemd here (expected %s): nobody would take the recording "
			 "over", parts[SYSTEMD].needs);
		return -1;
	}
	if (!modules(b, false)) {
		lt_error("the module is installed for no kernel (expected lifetrace.ko in "
			 "/lib/modules/*/modules.dep or modules.builtin): 'make install' or "
			 "'make dkms-install', and depmod where that was not run");
		return -1;
	}
	for (const struct file *f = files; f < files + N_FILES; f++) {
		if (is_here(b, f->part) && look_for(b, f) == OTHERS) {
			lt_error("%s: there is a file of another origin, or it cannot be read: move it "
				 "away", f->path);
			return -1;
		}
	}
	return lt_boot_calls_check(b);
}

int lt_boot_enable(const struct lt_boot *b)
{
	if (check(b))
		return -1;
	for (const struct file *f = files; f < files + N_FILES; f++) {
		if (is_here(b, f->part) && install(b, f))
			return -1;
	}
	return lt_boot_calls_install(b) || want_unit(b) || update(b) ? -1 : 0;
}

int lt_boot_disable(const struct lt_boot *b)
{
	bool any = false;
	int err = 0;

	for (const struct file *f = files; f < files + N_FILES; f++) {
		if (look_for(b, f) == OTHERS)
			lt_boot_say(b, "left", f->path);
		else
			err |= lt_boot_drop(b, f->path, &any);
	}
	err |= lt_boot_calls_drop(b, NULL, &any);
	if (any)
		err |= lt_boot_drop(b, WANTS, &any);
	if (!any && !err)
		lt_boot_say(b, "nothing", "is installed");
	return err || (any && update(b)) ? -1 : 0;
}

bool lt_boot_status(const struct lt_boot *b)
{
	bool enabled = true, generator = false;

	for (unsigned int part = 0; part < N_PARTS; part++) {
		bool all = true;

		for (const struct file *f = files; f < files + N_FILES; f++)
			all &= f->part != part || look_for(b, f) == PRESENT;
		lt_boot_say(b, parts[part].name, !is_here(b, part) ? "is not on this machine" :
		    all ? "its files are installed" : "its files are not installed");
		if (part != SYSTEMD)
			generator |= all && is_here(b, part);
		else
			enabled = all && exists(b, WANTS);
	}
	lt_boot_calls_status(b);
	if (!modules(b, true)) {
		lt_boot_say(b, "module", "is installed for no kernel");
		return false;
	}
	return enabled && generator;
}
