// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The running kernel: where it has its types, its symbols, and what can be traced.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "fetch/fetch.h"
#include "fetch/spec.h"

#define TYPES		"/sys/kernel/btf"
#define KERNEL_TYPES	TYPES "/vmlinux"

/*
 * A file that cannot be read is a lack; one that is wrong is an error. The kernel may refuse to
 * open a file that access(2) would let root read: it may be locked down.
 */
static bool is_there(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* Return: false, after saying which file is wrong. */
static bool is_wrong(const char *path, const struct lt_why *one, struct lt_why *why)
{
	lt_why_set(why, "%.80s: %.100s", path, one->text);
	return false;
}

static bool add_modules(struct lt_fetch *f, struct lt_why *why)
{
	DIR *dir = opendir(TYPES);
	struct dirent *d;
	bool good = true;

	if (!dir)
		return true;
	while (good && (d = readdir(dir))) {
		char path[sizeof(TYPES) + sizeof(d->d_name) + 1];
		struct lt_why one;

		if (*d->d_name == '.' || !strcmp(d->d_name, "vmlinux"))
			continue;
		snprintf(path, sizeof(path), TYPES "/%s", d->d_name);
		/* A module may go while this is read. */
		if (!lt_fetch_types(f, d->d_name, path, &one) && is_there(path))
			good = is_wrong(path, &one, why);
	}
	closedir(dir);
	return good;
}

static bool read_all(struct lt_fetch *f, unsigned int *lacks, struct lt_why *why)
{
	static const char *const traceable[] = {
		"/sys/kernel/tracing/available_filter_functions",
		"/sys/kernel/debug/tracing/available_filter_functions",
	};
	size_t i;

	if (!is_there(KERNEL_TYPES))
		*lacks |= LT_FETCH_LACKS_TYPES;
	else if (!lt_fetch_types(f, NULL, KERNEL_TYPES, why) || !add_modules(f, why))
		return false;
	if (!is_there("/proc/kallsyms"))
		*lacks |= LT_FETCH_LACKS_SYMBOLS;
	else if (!lt_fetch_symbols(f, "/proc/kallsyms", why))
		return false;
	for (i = 0; i < 2 && !is_there(traceable[i]); i++)
		;
	if (i == 2)
		*lacks |= LT_FETCH_LACKS_TRACEABLE;
	else
		return lt_fetch_traceable(f, traceable[i], why);
	return true;
}

struct lt_fetch *lt_fetch_running(unsigned int *lacks, struct lt_why *why)
{
	struct utsname name;
	struct lt_fetch *f;

	*lacks = 0;
	uname(&name);
	f = lt_fetch_new(name.machine);
	if (!f) {
		lt_why_set(why, "the calling convention of %s is not known", name.machine);
		return NULL;
	}
	if (!read_all(f, lacks, why)) {
		lt_fetch_free(f);
		return NULL;
	}
	return f;
}

/* Whether a line of modules.dep, "PATH.ko[.xz]: ...", is about a module. */
static bool is_file_of(const char *line, size_t len, const char *module)
{
	const char *name = line, *c;

	for (c = line; c < line + len && *c != ':'; c++) {
		if (*c == '/')
			name = c + 1;
	}
	for (c = name; c < line + len && *module; c++) {
		if (*c != *module && !(*c == '-' && *module == '_'))
			return false;
		module++;
	}
	return !*module && (size_t)(line + len - c) >= 3 && !strncmp(c, ".ko", 3);
}

/* The file of a module, below lib/modules, to be freed; NULL: there is none. */
static char *find_file(const char *dir, const char *module)
{
	char *path = lt_format("%s/modules.dep", dir), *text, *found = NULL;
	const char *pos, *line;
	size_t len;

	text = lt_read_text_file(path, 64U << 20, NULL);
	free(path);
	pos = text;
	while (text && !found && lt_line(&pos, &line, &len)) {
		if (is_file_of(line, len, module))
			found = lt_format("%s/%.*s", dir, (int)strcspn(line, ":\n"), line);
	}
	free(text);
	return found;
}

static bool is_compressed(const char *path)
{
	return strcmp(path + strlen(path) - 3, ".ko");
}

static bool add_absent(struct lt_fetch *f, const char *module, const char *path, struct lt_why *why)
{
	struct lt_why one;

	if (is_compressed(path)) {
		lt_why_set(why, "%s is not loaded, and %.120s is compressed: load it first", module,
			   path);
		return false;
	}
	return lt_fetch_module(f, module, path, &one) || is_wrong(path, &one, why);
}

/*
 * A loaded module whose types the kernel has not kept, as kernels before 5.11 and those without
 * types do. The types of its file are used if the file is the one that was loaded.
 */
static bool add_loaded(struct lt_fetch *f, const char *module, const char *path, const char *root,
		       struct lt_why *why)
{
	char *note = lt_format("%s/sys/module/%s/notes/.note.gnu.build-id", root, module);
	struct lt_why one;
	bool good = true;
	size_t size = 0;
	char *id = lt_read_text_file(note, 4096, &size);

	if (id && !is_compressed(path) &&
	    !lt_fetch_loaded_module(f, module, path, (uint8_t *)id, size, &one))
		good = is_wrong(path, &one, why);
	free(id);
	free(note);
	return good;
}

/* A module that a spec names, of which the running kernel does not have all. */
static bool add_file(struct lt_fetch *f, const char *module, const char *root, const char *dir,
		     struct lt_why *why)
{
	bool loaded = lt_fetch_has_module(f, module), good;
	char *path;

	if (loaded && !lt_fetch_wants_types(f, module))
		return true;
	path = find_file(dir, module);
	if (!path)
		return true;
	good = loaded ? add_loaded(f, module, path, root, why) : add_absent(f, module, path, why);
	free(path);
	return good;
}

bool lt_fetch_modules(struct lt_fetch *f, const char *const *specs, size_t n, const char *root,
		      struct lt_why *why)
{
	struct utsname name;
	bool good = true;
	char *dir;

	uname(&name);
	dir = lt_format("%s/lib/modules/%s", root, name.release);
	for (size_t i = 0; good && i < n; i++) {
		struct lt_why ignored;
		struct lt_spec *s = lt_spec_parse(specs[i], &ignored);

		if (s && *s->module && !strpbrk(s->module, "*?[") && strcmp(s->module, "vmlinux"))
			good = add_file(f, s->module, root, dir, why);
		lt_spec_free(s);
	}
	free(dir);
	return good;
}
