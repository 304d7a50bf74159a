// SPDX-License-Identifier: GPL-2.0
/*
 * usage: await FILE MS
 *
 * Opens FILE, prints "open", and polls it for MS milliseconds at the most. Prints its text then.
 * Exit status: 0 it became readable, 1 it did not, 2 it could not be opened.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct pollfd p = { .events = POLLIN };
	char text[8192];
	ssize_t n;
	bool came;
	int fd;

	if (argc != 3)
		return 2;
	fd = open(argv[1], O_RDONLY);
	if (fd < 0) {
		perror(argv[1]);
		return 2;
	}
	p.fd = fd;
	puts("open");
	fflush(stdout);
	came = poll(&p, 1, atoi(argv[2])) == 1 && p.revents & POLLIN;
	n = read(fd, text, sizeof(text));
	if (n < 0) {
		perror(argv[1]);
		close(fd);
		return 2;
	}
	fwrite(text, 1, (size_t)n, stdout);
	/* What was read is not reported again. */
	if (came && poll(&p, 1, 0))
		puts("again");
	close(fd);
	return came ? 0 : 1;
}
