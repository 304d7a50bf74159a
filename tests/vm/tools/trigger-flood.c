// SPDX-License-Identifier: GPL-2.0
/*
 * usage: trigger-flood DIR READERS SECONDS [freeze]
 *
 * Writes triggers to the module's file DIR/trigger, one after the other, while threads read it
 * from its beginning all the time. With "freeze" each finds the buffers overwritten, and must
 * freeze them; the program owns the session then, which ends with it.
 *
 * Prints how many were made (each was written, or found no room for its record), and how many
 * froze nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char path[256];
static atomic_int done;

static int is_frozen(const char *dir)
{
	char text[8192];
	ssize_t n;
	int fd;

	snprintf(text, sizeof(text), "%s/stats", dir);
	fd = open(text, O_RDONLY);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n < 0) {
		perror(dir);
		exit(2);
	}
	close(fd);
	text[n] = 0;
	return strstr(text, "\nfrozen 1\n") != NULL;
}

/* Who has the control file open owns the session. */
static int own(const char *dir)
{
	char control[256];
	int fd;

	snprintf(control, sizeof(control), "%s/enable", dir);
	fd = open(control, O_RDWR);
	if (fd < 0)
		perror(control);
	return fd;
}

static void thaw(int control)
{
	if (write(control, "thaw", 4) != 4) {
		perror("thaw");
		exit(2);
	}
}

static void *read_always(void *arg)
{
	char text[8192];
	int fd = open(path, O_RDONLY);

	while (fd >= 0 && !atomic_load(&done)) {
		if (pread(fd, text, sizeof(text), 0) <= 0)
			break;
	}
	if (!atomic_load(&done)) {
		perror(path);
		exit(2);
	}
	close(fd);
	return arg;
}

int main(int argc, char **argv)
{
	unsigned long made = 0, without = 0;
	pthread_t t;
	time_t end;
	int fd, control = -1;

	if (argc < 4)
		return 2;
	snprintf(path, sizeof(path), "%s/trigger", argv[1]);
	fd = open(path, O_WRONLY);
	for (int i = atoi(argv[2]); i > 0; i--)
		pthread_create(&t, NULL, read_always, NULL);
	if (argc > 4) {
		control = own(argv[1]);
		thaw(control);
	}
	end = time(NULL) + atoi(argv[3]);
	while (time(NULL) < end) {
		if (write(fd, "flood", 5) < 0 && errno != ENOSPC) {
			perror(path);
			return 2;
		}
		made++;
		if (argc > 4) {
			without += !is_frozen(argv[1]);
			thaw(control);
		}
	}
	atomic_store(&done, 1);
	printf("%lu %lu\n", made, without);
	return 0;
}
