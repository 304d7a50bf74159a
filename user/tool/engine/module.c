// SPDX-License-Identifier: GPL-2.0
/*
 * The module's files, by its device or under debugfs, and its parameters.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "uapi/lifetrace_device.h"
#include "uapi/lifetrace_file.h"
#include "base/mem.h"
#include "base/text.h"
#include "out/log.h"
#include "engine/module.h"

#define MAX_TEXT	(64U << 20)

void lt_module_init(struct lt_module *m, const char *dir)
{
	m->control = -1;
	m->device = -1;
	snprintf(m->dir, sizeof(m->dir), "%s", dir ? dir : LT_MODULE_DIR);
	if (!dir)
		strcpy(m->parameters, LT_MODULE_PARAMETERS);
	else if ((size_t)snprintf(m->parameters, sizeof(m->parameters), "%s/parameters", dir) >=
		 sizeof(m->parameters))
		lt_die("%s: the name is too long", dir);
}

void lt_module_close(struct lt_module *m)
{
	if (m->control >= 0)
		close(m->control);
	if (m->device >= 0)
		close(m->device);
	m->control = -1;
	m->device = -1;
}

void lt_module_files(const char *modules, const char *release, glob_t *g)
{
	static const char *const places[] = { "updates*/", "updates*/*/", "extra/" };

	glob(LT_MODULE_LOCAL, 0, NULL, g);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *pattern = lt_format("%s/%s/%slifetrace.ko*", modules, release, places[i]);

		glob(pattern, GLOB_APPEND, NULL, g);
		free(pattern);
	}
}

int lt_module_use_device(struct lt_module *m, const char *path)
{
	m->device = open(path, O_RDWR | O_CLOEXEC);
	if (m->device < 0)
		return errno;
	snprintf(m->dir, sizeof(m->dir), "%s", path);
	return 0;
}

/* The device decides by the file's mode what it can be used for. */
int lt_module_open(const struct lt_module *m, const char *name, int flags)
{
	struct lt_device_open open_name = { 0 };
	char path[PATH_MAX + 64];

	if (m->device >= 0) {
		snprintf(open_name.name, sizeof(open_name.name), "%s", name);
		return ioctl(m->device, LT_DEVICE_OPEN, &open_name);
	}
	snprintf(path, sizeof(path), "%s/%s", m->dir, name);
	return open(path, flags | O_CLOEXEC);
}

/* Whether one of the links in a directory /proc/PID/fd is the control file. */
static bool holds_control(const struct lt_module *m, const char *fd_dir)
{
	static const char device[] = "anon_inode:[" LT_DEVICE_NAME ":" LT_FILE_ENABLE "]";
	char want[PATH_MAX + 64], link[PATH_MAX];
	DIR *fds = opendir(fd_dir);
	bool found = false;
	struct dirent *f;

	snprintf(want, sizeof(want), "%s/%s", m->device >= 0 ? LT_MODULE_DIR : m->dir,
		 LT_FILE_ENABLE);
	while (fds && !found && (f = readdir(fds))) {
		ssize_t n = readlinkat(dirfd(fds), f->d_name, link, sizeof(link) - 1);

		if (n <= 0)
			continue;
		link[n] = 0;
		found = !strcmp(link, want) || !strcmp(link, device);
	}
	if (fds)
		closedir(fds);
	return found;
}

void lt_module_owner(const struct lt_module *m, char *buf, size_t size)
{
	DIR *proc = opendir("/proc");
	struct dirent *p;
	char path[512];

	snprintf(buf, size, "another process");
	while (proc && (p = readdir(proc))) {
		char *comm;

		if (p->d_name[0] < '1' || p->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/fd", p->d_name);
		if (!holds_control(m, path))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", p->d_name);
		comm = lt_read_text_file(path, 4096, NULL);
		if (comm)
			comm[strcspn(comm, "\n")] = 0;
		snprintf(buf, size, "%s (pid %s)", comm ? comm : "?", p->d_name);
		free(comm);
	}
	if (proc)
		closedir(proc);
}

static void report_not_owned(const struct lt_module *m)
{
	char owner[128];

	switch (errno) {
	case EBUSY:
		lt_module_owner(m, owner, sizeof(owner));
		lt_error("another recording is running: %s owns the session; stop it first, there "
			 "is one session at a time", owner);
		break;
	case EACCES:
	case EPERM:
		lt_error("%s/%s: %s; recording needs root (sudo), and a kernel that is not locked "
			 "down: see 'lifetrace doctor'", m->dir, LT_FILE_ENABLE, strerror(errno));
		break;
	case ENOENT:
	case ENOTDIR:
		lt_error("%s/%s: does not exist; is the module loaded (modprobe lifetrace)? "
			 "'lifetrace doctor' checks that", m->dir, LT_FILE_ENABLE);
		break;
	default:
		lt_error("%s/%s: %s", m->dir, LT_FILE_ENABLE, strerror(errno));
	}
}

int lt_module_own(struct lt_module *m)
{
	/* A module of an older release has no device, and a directory was asked for as such. */
	if (!strcmp(m->dir, LT_MODULE_DIR) && lt_module_use_device(m, LT_MODULE_DEVICE) == EPERM) {
		lt_error("%s: the kernel is locked down (lockdown=confidentiality) and forbids "
			 "tracing, also to root: see 'lifetrace doctor'", LT_MODULE_DEVICE);
		return -1;
	}
	m->control = lt_module_open(m, LT_FILE_ENABLE, O_RDWR);
	if (m->control >= 0)
		return 0;
	report_not_owned(m);
	return -1;
}

char *lt_module_text(const struct lt_module *m, const char *name)
{
	int fd = lt_module_open(m, name, O_RDONLY), err;
	char *text;

	if (fd < 0)
		return NULL;
	text = lt_read_text(fd, MAX_TEXT, NULL);
	err = errno;
	close(fd);
	errno = err;
	return text;
}

char *lt_module_list(const struct lt_module *m)
{
	/* A descriptor of its own would do, but this one is at hand: threads do not list. */
	if (lseek(m->device, 0, SEEK_SET) < 0)
		return NULL;
	return lt_read_text(m->device, MAX_TEXT, NULL);
}

int lt_module_command(struct lt_module *m, const char *word)
{
	ssize_t n;

	do {
		n = pwrite(m->control, word, strlen(word), 0);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? errno : 0;
}

/* Reads the control file: the state, and after a flush the line "flushed CLOCK". */
static bool read_control(const struct lt_module *m, char *buf, size_t size)
{
	ssize_t n = pread(m->control, buf, size - 1, 0);

	if (n < 0)
		return false;
	buf[n] = 0;
	return true;
}

bool lt_module_recording(const struct lt_module *m)
{
	char buf[128];

	return read_control(m, buf, sizeof(buf)) && !strncmp(buf, "recording", 9);
}

int lt_module_flush(struct lt_module *m, uint64_t *clock)
{
	int err = lt_module_command(m, "flush");
	char buf[128], *at;

	if (err)
		return err;
	if (!read_control(m, buf, sizeof(buf)))
		return errno;
	at = strstr(buf, "\nflushed ");
	if (!at)
		return EPROTO;
	at += strlen("\nflushed ");
	at[strcspn(at, "\n")] = 0;
	return lt_number(at, 10, clock) ? 0 : EPROTO;
}

bool lt_module_may_set(const struct lt_module *m, const char *name)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", m->parameters, name);
	return !faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) || errno != EACCES;
}

int lt_module_set(const struct lt_module *m, const char *name, const char *value)
{
	char path[PATH_MAX + 64];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/%s", m->parameters, name);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		err = errno;
	if (fd >= 0)
		close(fd);
	if (!err)
		return 0;
	lt_error("%s: could not be set to '%s': %s", path, value, strerror(err));
	return -1;
}

int lt_module_write(const struct lt_module *m, const char *name, const char *text)
{
	int fd = lt_module_open(m, name, O_WRONLY), err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}
