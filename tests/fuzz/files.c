// SPDX-License-Identifier: GPL-2.0
/*
 * A target without libFuzzer: runs every named file, and all files of every named directory,
 * once. For valgrind, for coverage, and to investigate a crash.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

static FILE *out;
static size_t n_run;
static bool verbose;

static int run_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t *data = NULL;
	struct stat st;
	size_t size = 0;

	if (fd >= 0 && !fstat(fd, &st)) {
		size = (size_t)st.st_size;
		/* A copy of exactly this size, so that reading beyond it is found. */
		data = malloc(size ? size : 1);
	}
	if (!data || read(fd, data, size) != (ssize_t)size) {
		perror(path);
		free(data);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	close(fd);
	if (verbose)
		fprintf(out, "%s\n", path);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	n_run++;
	return 0;
}

static int run(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	char name[4096];
	int err = 0;

	if (!dir)
		return run_file(path);
	while (!err && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, d->d_name);
		err = run_file(name);
	}
	closedir(dir);
	return err;
}

/* The output of the reader is dropped, except with -v. */
static void silence(void)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null < 0)
		return;
	dup2(null, 1);
	close(null);
}

int main(int argc, char **argv)
{
	int first = 1, err = 0;

	out = fdopen(dup(1), "w");
	if (argc > 1 && !strcmp(argv[1], "-v")) {
		verbose = true;
		first = 2;
		setvbuf(out, NULL, _IOLBF, 0);
	} else {
		silence();
	}
	for (int i = first; i < argc && !err; i++)
		err = run(argv[i]);
	fprintf(out, "%zu inputs\n", n_run);
	fclose(out);
	return err ? 1 : 0;
}
