// SPDX-License-Identifier: GPL-2.0
/*
 * Whether two outputs of a command are one file.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "cmd/same_output.h"

/* The name of a file without links, whether or not it exists; to be freed. */
static char *full_name(const char *path)
{
	char *full = realpath(path, NULL), *copy, *dir;
	const char *slash = strrchr(path, '/');

	if (full)
		return full;
	copy = slash ? lt_format("%.*s", (int)(slash - path + 1), path) : lt_strdup(".");
	dir = realpath(copy, NULL);
	full = lt_format("%s/%s", dir ? dir : copy, slash ? slash + 1 : path);
	free(copy);
	free(dir);
	return full;
}

/* Beside its name, those that an output has while it is written. */
static const char *const suffixes[] = { "", ".part", ".old" };

bool lt_same_output(const char *trace, const char *csv)
{
	char *csv_name = full_name(csv), *trace_name = full_name(trace);
	bool same = !strcmp(trace, csv);
	struct stat x, y;

	for (size_t i = 0; !same && i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		char *name = lt_format("%s%s", trace_name, suffixes[i]);

		same = !strcmp(name, csv_name) ||
		       (!stat(name, &x) && !stat(csv_name, &y) && x.st_dev == y.st_dev &&
			x.st_ino == y.st_ino);
		free(name);
	}
	free(csv_name);
	free(trace_name);
	return same;
}

static bool has_file(const struct lt_set *set, const struct stat *st)
{
	for (size_t i = 0; i < set->n; i++) {
		if (set->parts[i].device == st->st_dev && set->parts[i].inode == st->st_ino)
			return true;
	}
	return false;
}

bool lt_output_in_set(const char *output, const struct lt_set *set)
{
	char *full = full_name(output);
	bool same = false;
	struct stat st;

	for (size_t i = 0; !same && i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		char *name = lt_format("%s%s", full, suffixes[i]);

		same = !stat(name, &st) && has_file(set, &st);
		free(name);
	}
	free(full);
	return same;
}
