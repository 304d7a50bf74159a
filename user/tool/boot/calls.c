// SPDX-License-Identifier: GPL-2.0
/*
 * The files that have the functions whose calls are recorded of a boot, one for each kernel: the
 * kernel looks for them where it has its firmware.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "boot/internal.h"
#include "fetch/fetch.h"
#include "out/log.h"

#define FIRMWARE	"/lib/firmware"
#define MAX_FILE	(256U << 20)

/* What root looks at is nobody else's matter. */
#define MODE		0600

static char *path_for(const char *release)
{
	return lt_format(FIRMWARE "/%s/" LT_CALL_BOOT_FILE, release);
}

/* Return: the file, to be freed; NULL: there is none, or another one. @others: is set then. */
static char *read_ours(const char *name, size_t *size, bool *others)
{
	char *file = lt_read_text_file(name, MAX_FILE, size);

	*others = file ? !lt_fetch_is_boot(file, *size) : errno != ENOENT && errno != ENOTDIR;
	if (!*others)
		return file;
	free(file);
	return NULL;
}

int lt_boot_calls_check(const struct lt_boot *b)
{
	char *path, *name;
	bool others;
	size_t size;

	if (!b->calls)
		return 0;
	path = path_for(b->release);
	name = lt_boot_below(b, path);
	free(read_ours(name, &size, &others));
	if (others)
		lt_error("%s: there is a file of another origin, or it cannot be read: move it away",
			 path);
	free(name);
	free(path);
	return others ? -1 : 0;
}

int lt_boot_calls_drop(const struct lt_boot *b, const char *but, bool *any)
{
	char *pattern = lt_boot_below(b, FIRMWARE "/*/" LT_CALL_BOOT_FILE);
	glob_t g = { 0 };
	int err = 0;

	glob(pattern, 0, NULL, &g);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		const char *path = g.gl_pathv[i] + strlen(b->root);
		bool others;
		size_t size;

		if (but && !strcmp(path, but))
			continue;
		free(read_ours(g.gl_pathv[i], &size, &others));
		if (others) {
			lt_boot_say(b, "left", path);
			continue;
		}
		err |= lt_boot_drop(b, path, any);
		/* It was made for this file, unless there is something else. */
		*strrchr(g.gl_pathv[i], '/') = 0;
		rmdir(g.gl_pathv[i]);
	}
	globfree(&g);
	free(pattern);
	return err;
}

int lt_boot_calls_install(const struct lt_boot *b)
{
	char *path = b->calls ? path_for(b->release) : NULL;
	bool any = false;
	int err = lt_boot_calls_drop(b, path, &any);

	if (path && !err)
		err = lt_boot_install(b, path, MODE, b->calls, b->calls_size);
	free(path);
	return err;
}

/* What a file has, for a user. */
static void say_file(const struct lt_boot *b, const char *name)
{
	const char *path = name + strlen(b->root), *of = "";
	struct lt_fetch_boot boot;
	struct utsname kernel;
	struct lt_why why;
	char *file, *text;
	bool others;
	size_t size;

	file = read_ours(name, &size, &others);
	if (!file) {
		text = lt_format("%s: is of another origin, or cannot be read", path);
	} else if (!lt_fetch_boot_read(file, size, &boot, &why)) {
		text = lt_format("%s: %s: enable it again", path, why.text);
	} else {
		uname(&kernel);
		if (!strcmp(kernel.release, boot.release) && strcmp(kernel.version, boot.build))
			of = ", of another build of this kernel: enable it again";
		text = lt_format("%s: %u function%s%s", path, boot.functions,
				 boot.functions == 1 ? "" : "s", of);
	}
	lt_boot_say(b, "calls", text);
	free(text);
	free(file);
}

void lt_boot_calls_status(const struct lt_boot *b)
{
	char *pattern = lt_boot_below(b, FIRMWARE "/*/" LT_CALL_BOOT_FILE);
	glob_t g = { 0 };

	glob(pattern, 0, NULL, &g);
	for (size_t i = 0; i < g.gl_pathc; i++)
		say_file(b, g.gl_pathv[i]);
	globfree(&g);
	free(pattern);
}
