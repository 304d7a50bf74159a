// SPDX-License-Identifier: GPL-2.0
/*
 * usage: fill ANON_MIB FILE MIB [FILE MIB]...
 *
 * Takes memory of known kinds: ANON_MIB of its own, and so much in each FILE. Prints "filled" when
 * all of it is there, and keeps it until it is killed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB	(1UL << 20)

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static char *anonymous(size_t size)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	memset(p, 1, size);
	return p;
}

static void write_file(const char *path, unsigned long mib, const char *data)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0)
		die(path);
	while (mib--) {
		if (write(fd, data, MIB) != (ssize_t)MIB)
			die(path);
	}
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned long mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	char *data;

	if (!mib || argc % 2) {
		fprintf(stderr, "usage: fill ANON_MIB FILE MIB [FILE MIB]...\n");
		return 2;
	}
	data = anonymous(mib * MIB);
	for (int i = 2; i < argc; i += 2)
		write_file(argv[i], strtoul(argv[i + 1], NULL, 10), data);
	puts("filled");
	fflush(stdout);
	for (;;)
		pause();
}
