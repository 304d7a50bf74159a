// SPDX-License-Identifier: GPL-2.0
/*
 * The names of cgroups. The module records their ids only; the hierarchy of version 2 is walked
 * before the session and after it, so that the walk is not in the trace; and within it only for a
 * sink that asks for it (lt_record_renew_texts()).
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "out/log.h"
#include "record/internal.h"

#define MAX_CGROUPS	100000U
#define MAX_BYTES	(16U << 20)
#define MAX_DEPTH	64U
#define TYPE_KERNFS	0xfe	/* FILEID_KERNFS, of a handle that is the id */

struct walk {
	FILE *out;
	char path[PATH_MAX];	/* of the directory */
	size_t root;		/* bytes of @path that are the mount point */
	uint64_t found;
	uint64_t left_out;	/* beyond one of the limits */
};

/* The id of a cgroup, which on 64-bit machines is its inode number. 0: not known. */
static uint64_t id_of(const char *path)
{
	struct {
		struct file_handle h;
		uint64_t id;	/* where h.f_handle is */
	} handle = { .h.handle_bytes = sizeof(uint64_t) };
	struct stat st;
	int mount;

	if (!name_to_handle_at(AT_FDCWD, path, &handle.h, &mount, 0) &&
	    handle.h.handle_type == TYPE_KERNFS && handle.h.handle_bytes == sizeof(handle.id))
		return handle.id;
	if (sizeof(st.st_ino) < sizeof(uint64_t) || stat(path, &st))
		return 0;
	return st.st_ino;
}

/* "ID /PATH"; the name is chosen by the user who makes a cgroup. */
static void print_cgroup(struct walk *w)
{
	const char *path = w->path[w->root] ? w->path + w->root : "/";
	uint64_t id = id_of(w->path);

	if (!id)
		return;
	w->found++;
	fprintf(w->out, "%" PRIu64 " ", id);
	for (const char *c = path; *c; c++) {
		if (*c > ' ' && *c < 0x7f && *c != '\\')
			fputc(*c, w->out);
		else
			fprintf(w->out, "\\x%02x", (unsigned char)*c);
	}
	fputc('\n', w->out);
}

static void walk_below(struct walk *w, unsigned int depth)
{
	size_t len = strlen(w->path);
	struct dirent *e;
	DIR *dir;

	if (w->found >= MAX_CGROUPS || depth > MAX_DEPTH || ftell(w->out) > (long)MAX_BYTES) {
		w->left_out++;
		return;
	}
	print_cgroup(w);
	dir = opendir(w->path);
	while (dir && (e = readdir(dir))) {
		if (e->d_type != DT_DIR || !strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (len + strlen(e->d_name) + 2 > sizeof(w->path)) {
			w->left_out++;
			continue;
		}
		w->path[len] = '/';
		strcpy(w->path + len + 1, e->d_name);
		walk_below(w, depth + 1);
		w->path[len] = 0;
	}
	if (dir)
		closedir(dir);
}

/* The first mount of the hierarchy of version 2 whose name needs no escapes. */
static bool find_mount(char *path, size_t size)
{
	char *mounts = lt_read_text_file("/proc/self/mounts", 4 << 20, NULL);
	const char *pos = mounts, *line;
	bool found = false;
	size_t len;

	while (!found && pos && lt_line(&pos, &line, &len)) {
		char device[256], type[64];

		found = lt_word(&line, &len, device, sizeof(device)) &&
			lt_word(&line, &len, path, size) &&
			lt_word(&line, &len, type, sizeof(type)) && !strcmp(type, "cgroup2") &&
			!strchr(path, '\\');
	}
	free(mounts);
	return found;
}

char *lt_record_cgroups(void)
{
	struct walk *w = lt_alloc(sizeof(*w));
	char *text = NULL;
	size_t size;

	if (find_mount(w->path, sizeof(w->path))) {
		w->root = strlen(w->path);
		w->out = open_memstream(&text, &size);
		if (!w->out)
			lt_die("out of memory");
		walk_below(w, 0);
		if (w->left_out)
			fprintf(w->out, "left_out %" PRIu64 "\n", w->left_out);
		fclose(w->out);
	}
	free(w);
	return text;
}
