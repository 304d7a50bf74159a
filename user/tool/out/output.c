// SPDX-License-Identifier: GPL-2.0
/*
 * Output files that the user names.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/owner.h"
#include "out/output.h"

#define MAX_LINKS	40
#define SUFFIX		".part"

/**
 * struct part - a file or directory that does not have its name yet
 * @next: entries are used again, and never freed: a signal handler goes through them
 * @fd: of a file of lt_output_open(); else -1
 * @path: the name that it is to have, behind all links
 * @replaces: there is one of that name
 * @owner: the process that made it. A child of fork() leaves it alone.
 * @is_dir: it is a directory, of files only
 * @name: the name that it has
 * @live: it is there
 */
struct part {
	struct part *next;
	int fd;
	char *path;
	bool replaces;
	bool is_dir;
	pid_t owner;
	char *name;
	volatile sig_atomic_t live;
};

static struct part *volatile parts;

/* ------------------------------------------------------------------------
 * The end of the process
 */

/* As getdents64() gives them. */
struct entry {
	uint64_t ino;
	int64_t off;
	uint16_t len;
	uint8_t type;
	char name[];
};

/* Of files only. Calls nothing but what a signal handler may: no opendir(). */
static void remove_directory(const char *path)
{
	union {
		struct entry first;
		char bytes[8192];
	} buf;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	long n;

	while (fd >= 0 && (n = syscall(SYS_getdents64, fd, &buf, sizeof(buf))) > 0) {
		for (long at = 0; at < n;) {
			const struct entry *e = (const struct entry *)(buf.bytes + at);

			unlinkat(fd, e->name, 0);
			at += e->len;
		}
	}
	if (fd >= 0)
		close(fd);
	rmdir(path);
}

static void remove_part(const struct part *p)
{
	if (p->is_dir)
		remove_directory(p->name);
	else
		unlink(p->name);
}

/* Calls nothing but what a signal handler may. */
static void remove_parts(void)
{
	pid_t pid = getpid();

	for (const struct part *p = parts; p; p = p->next) {
		if (p->live && p->owner == pid)
			remove_part(p);
	}
}

static void on_signal(int sig)
{
	remove_parts();
	/* The handler is reset and the signal not blocked: it ends the process now. */
	raise(sig);
}

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ };

/* From before a part is made until it is in the list. */
static void hold_signals(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&set, signals[i]);
	pthread_sigmask(SIG_BLOCK, &set, before);
}

static void release_signals(const sigset_t *before)
{
	int err = errno;

	pthread_sigmask(SIG_SETMASK, before, NULL);
	errno = err;
}

static void watch_end(void)
{
	static bool watches;
	struct sigaction act = { .sa_handler = on_signal,
				 .sa_flags = (int)SA_RESETHAND | SA_NODEFER };
	struct sigaction old;

	if (watches)
		return;
	watches = true;
	atexit(remove_parts);
	/* Who has arranged that a signal is ignored keeps that. */
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &act, NULL);
	}
}

/* ------------------------------------------------------------------------
 * Names
 */

static bool is_trace(const char *path)
{
	char magic[8];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool yes;

	if (fd < 0)
		return false;
	yes = pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	      !memcmp(magic, LT_FILE_MAGIC, sizeof(magic));
	close(fd);
	return yes;
}

/*
 * The name behind all symbolic links, also of a file that is not there; to be freed. NULL: errno.
 */
static char *behind_links(const char *path)
{
	char *name = lt_strdup(path);

	for (int i = 0; i < MAX_LINKS; i++) {
		char target[PATH_MAX], *next;
		const char *slash = strrchr(name, '/');
		ssize_t n = readlink(name, target, sizeof(target) - 1);

		if (n < 0)
			return name;
		target[n] = 0;
		next = *target == '/' || !slash ? lt_strdup(target) :
			lt_format("%.*s%s", (int)(slash - name + 1), name, target);
		free(name);
		name = next;
	}
	free(name);
	errno = ELOOP;
	return NULL;
}

/* What is there is more than a file: it is written as it is. */
static bool is_special(const char *path, const struct stat *st)
{
	return !S_ISREG(st->st_mode) || !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6);
}

static struct part *find_part(int fd, const char *name)
{
	for (struct part *p = parts; p; p = p->next) {
		if (p->live && (name ? !strcmp(p->name, name) : p->fd == fd))
			return p;
	}
	return NULL;
}

/* What a signal is to remove from now on. Takes @name. */
static struct part *add_part(char *name)
{
	struct part *p = parts;

	while (p && p->live)
		p = p->next;
	if (!p) {
		p = lt_alloc(sizeof(*p));
		p->next = parts;
		parts = p;
	}
	watch_end();
	p->fd = -1;
	p->path = NULL;
	p->replaces = false;
	p->is_dir = false;
	p->owner = getpid();
	p->name = name;
	p->live = 1;
	return p;
}

static void end_part(struct part *p)
{
	p->live = 0;
	free(p->name);
	free(p->path);
	p->name = p->path = NULL;
}

void lt_output_watch(const char *name)
{
	add_part(lt_strdup(name));
}

void lt_output_unwatch(const char *name)
{
	struct part *p = find_part(-1, name);

	if (p)
		end_part(p);
}

/* ------------------------------------------------------------------------
 * Files
 */

static int report(const char *path)
{
	lt_error("%s: cannot open for writing: %s", path, strerror(errno));
	return -1;
}

/* @was: the file that is there; NULL: none. */
static void set_owner_and_mode(int fd, const struct stat *was, mode_t mode)
{
	mode_t mask;

	if (!was) {
		mask = umask(0);
		umask(mask);
		fchmod(fd, mode & ~mask);
		lt_owner_give(fd);
		return;
	}
	/* Not the other way round: a mode for another owner, or group, is not for this one. */
	if (fchown(fd, was->st_uid, was->st_gid))
		fchmod(fd, was->st_mode & 0700);
	else
		fchmod(fd, was->st_mode & 0777);
}

static bool cannot_make_here(void)
{
	return errno == EACCES || errno == EPERM || errno == EROFS;
}

/* Takes @path. Return: a descriptor; -1: errno, and @path is the caller's. */
static int make_part(char *path, const struct stat *was, mode_t mode)
{
	char *name = lt_format("%s.XXXXXX" SUFFIX, path);
	struct part *p = NULL;
	sigset_t before;
	int fd;

	hold_signals(&before);
	fd = mkostemps(name, (int)strlen(SUFFIX), O_CLOEXEC);
	if (fd >= 0)
		p = add_part(name);
	release_signals(&before);
	if (fd < 0) {
		int err = errno;

		free(name);
		errno = err;
		return -1;
	}
	p->fd = fd;
	p->path = path;
	p->replaces = was;
	set_owner_and_mode(fd, was, mode);
	return fd;
}

static int open_file(const char *named, char *path, const struct stat *was, mode_t mode)
{
	int fd;

	if (was && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS)) {
		free(path);
		return report(named);
	}
	fd = make_part(path, was, mode);
	if (fd >= 0)
		return fd;
	if (was && cannot_make_here())
		fd = open(path, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		report(named);
	free(path);
	return fd;
}

/* Nothing is cut off before it is certain that this is what was found: names change. */
static int open_special(const char *named, const struct stat *was)
{
	int fd = open(named, O_WRONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		goto failed;
	if (st.st_dev != was->st_dev || st.st_ino != was->st_ino) {
		errno = EAGAIN;
		goto failed;
	}
	if (!S_ISREG(st.st_mode) || !ftruncate(fd, 0))
		return fd;
failed:
	report(named);
	if (fd >= 0)
		close(fd);
	return -1;
}

static int open_output(const char *named, mode_t mode)
{
	struct stat st;
	char *path;

	if (!strcmp(named, "-"))
		return STDOUT_FILENO;
	if (lt_owner_refuses(named, false))
		return -1;
	if (!stat(named, &st)) {
		if (is_special(named, &st))
			return open_special(named, &st);
		if (is_trace(named)) {
			lt_error("%s: is a trace, which would be lost; choose another file for the "
				 "output", named);
			return -1;
		}
		path = realpath(named, NULL);
		return path ? open_file(named, path, &st, mode) : report(named);
	}
	if (errno != ENOENT)
		return report(named);
	path = behind_links(named);
	return path ? open_file(named, path, NULL, mode) : report(named);
}

int lt_output_open(const char *path)
{
	return open_output(path, 0600);
}

int lt_output_open_public(const char *path)
{
	return open_output(path, 0666);
}

/* The data first: a disk may take the name before them, and what had the name is gone then. */
static int give_name(const struct part *p)
{
	if (p->replaces && fsync(p->fd) && errno != EINVAL)
		return -1;
	return rename(p->name, p->path);
}

int lt_output_close(int fd, bool whole)
{
	struct part *p = fd < 0 ? NULL : find_part(fd, NULL);
	int err = 0;

	if (fd < 0 || fd == STDOUT_FILENO || fd == STDERR_FILENO)
		return 0;
	if (p && whole)
		err = give_name(p) ? errno : 0;
	if (p && (!whole || err))
		remove_part(p);
	if (close(fd) && !err)
		err = errno;
	if (err && whole)
		lt_error("%s: cannot write: %s", p ? p->path : "output", strerror(err));
	if (p)
		end_part(p);
	return err ? -1 : 0;
}

/* ------------------------------------------------------------------------
 * Directories
 */

bool lt_output_is_empty_dir(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *entry;
	bool empty = true;

	if (!d)
		return false;
	while (empty && (entry = readdir(d)))
		empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
	closedir(d);
	return empty;
}

const char *lt_output_make_dir(const char *named)
{
	char *path = realpath(named, NULL), *name;
	struct stat was;
	bool is_there = path && !stat(path, &was);
	struct part *p = NULL;
	sigset_t before;

	if (!path)
		path = behind_links(named);
	if (!path)
		return NULL;
	name = lt_format("%.*s.XXXXXX",
			 (int)(strlen(path) - (strlen(path) > 1 && path[strlen(path) - 1] == '/')),
			 path);
	hold_signals(&before);
	if (mkdtemp(name)) {
		p = add_part(name);
		p->is_dir = true;
	}
	release_signals(&before);
	if (!p) {
		int err = errno;

		free(name);
		free(path);
		errno = err;
		return NULL;
	}
	lt_owner_give_dir(name);
	if (is_there)
		chmod(name, was.st_mode & 0777);
	p->path = path;
	return name;
}

int lt_output_close_dir(const char *name, bool whole)
{
	struct part *p = find_part(-1, name);
	int err = 0;

	/* An empty directory gives way; any other does not. */
	if (whole && rename(p->name, p->path)) {
		err = -1;
		lt_error("%s: cannot be named so: %s", p->path, strerror(errno));
	}
	if (!whole || err)
		remove_part(p);
	end_part(p);
	return err;
}
