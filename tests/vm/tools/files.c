// SPDX-License-Identifier: GPL-2.0
/*
 * Small files, read and written whole.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die(path);
	close(fd);
}

void write_number(const char *path, long n)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", n);
	write_text(path, text);
}

long read_number(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		die(path);
	close(fd);
	return strtol(text, NULL, 10);
}
