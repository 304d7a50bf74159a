// SPDX-License-Identifier: GPL-2.0
/*
 * Why recording would not work: how the kernel was built, and whether it is locked
 * down.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "doctor/internal.h"
#include "base/mem.h"
#include "base/text.h"

#define MAX_CONFIG	(16U << 20)

extern char **environ;

/* Options of the kernel that the module needs, and what is missing without each. */
static const struct {
	const char *name;
	enum lt_doctor_level level;
	const char *without;
} options[] = {
	{ "RELAY", LT_DOCTOR_PROBLEM, "the module has no buffers; a kernel with it is needed" },
	{ "DEBUG_FS", LT_DOCTOR_NOTE, "the module has its device alone, no files in debugfs" },
	{ "TRACEPOINTS", LT_DOCTOR_PROBLEM,
	  "nothing can be watched; a kernel with it is needed" },
	{ "KPROBES", LT_DOCTOR_NOTE, "bulk_alloc is not watched" },
	{ "FUNCTION_TRACER", LT_DOCTOR_NOTE,
	  "bulk_free, rcu_free and cache_gone are not watched" },
};

/* Everything that can be read from @fd, zero-terminated, to be freed. NULL: an error, or more
 * than MAX_CONFIG bytes.
 */
static char *read_all(int fd)
{
	char *buf = NULL;
	size_t cap = 0, n = 0;
	ssize_t got;

	for (;;) {
		while (n + 4096 >= cap)
			buf = lt_grow(buf, &cap, cap, 1);
		got = read(fd, buf + n, 4096);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 || n > MAX_CONFIG)
			break;
		n += (size_t)got;
	}
	if (got) {
		free(buf);
		return NULL;
	}
	buf[n] = 0;
	return buf;
}

/* Runs gzip, which every machine has: only this file needs it, so no library is linked. */
static char *read_gzip(const char *path)
{
	static const char *const argv[] = { "gzip", "-dc", NULL };
	posix_spawn_file_actions_t actions;
	int fds[2], err, status;
	char *text = NULL;
	pid_t pid;

	if (access(path, R_OK) || pipe2(fds, O_CLOEXEC))
		return NULL;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, path, O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	err = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	if (!err)
		text = read_all(fds[0]);
	close(fds[0]);
	if (err)
		return NULL;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (text && *text && WIFEXITED(status) && !WEXITSTATUS(status))
		return text;
	free(text);
	return NULL;
}

/* The configuration of the running kernel, to be freed; NULL: not found. */
static char *read_config(struct lt_doctor *d, char *path, size_t size)
{
	static const char *const places[][2] = {
		{ "/boot/config-", "" },
		{ "/lib/modules/", "/config" },
		{ "/lib/modules/", "/build/.config" },
	};
	char name[512], *text;

	text = read_gzip(lt_doctor_path(d, path, size, "/proc/config.gz"));
	for (size_t i = 0; !text && i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(name, sizeof(name), "%s%s%s", places[i][0], d->release, places[i][1]);
		text = lt_read_text_file(lt_doctor_path(d, path, size, name), MAX_CONFIG, NULL);
	}
	return text;
}

static bool is_set(const char *config, const char *name)
{
	const char *line;
	char want[64];
	size_t len;
	int n = snprintf(want, sizeof(want), "CONFIG_%s=", name);

	while (lt_line(&config, &line, &len)) {
		if (len == (size_t)n + 1 && !memcmp(line, want, (size_t)n))
			return line[n] == 'y' || line[n] == 'm';
	}
	return false;
}

static void check_config(struct lt_doctor *d)
{
	char path[DOCTOR_PATH], *config = read_config(d, path, sizeof(path));
	bool all = true;

	if (!config) {
		lt_doctor_say(d, LT_DOCTOR_NOTE, "kernel",
			      "%s; its configuration is neither in /proc/config.gz nor in "
			      "/boot: not checked", d->release);
		return;
	}
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (is_set(config, options[i].name))
			continue;
		all = false;
		lt_doctor_say(d, options[i].level, "kernel", "%s, built without CONFIG_%s: %s",
			      d->release, options[i].name, options[i].without);
	}
	if (all)
		lt_doctor_say(d, LT_DOCTOR_OK, "kernel", "%s, with all options that are needed (%s)",
			      d->release, path);
	free(config);
}

/*
 * A kernel that is locked down for integrity, as under Secure Boot, closes debugfs to writers
 * and takes signed modules only. One that is locked down for confidentiality closes tracefs,
 * and so the module lets nobody read.
 */
static void check_lockdown(struct lt_doctor *d)
{
	char word[128], *mode, *end;

	if (!lt_doctor_word(d, "/sys/kernel/security/lockdown", word, sizeof(word)))
		return;
	mode = strchr(word, '[');
	end = mode ? strchr(mode, ']') : NULL;
	if (!end)
		return;
	*end = 0;
	mode++;
	if (!strcmp(mode, "none")) {
		lt_doctor_say(d, LT_DOCTOR_OK, "lockdown", "none");
	} else if (!strcmp(mode, "integrity")) {
		d->lockdown = LT_LOCKDOWN_INTEGRITY;
		lt_doctor_say(d, LT_DOCTOR_OK, "lockdown",
			      "integrity, which allows recording through " LT_MODULE_DEVICE
			      "; only signed modules can be loaded");
	} else {
		d->lockdown = LT_LOCKDOWN_CONFIDENTIALITY;
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "lockdown",
			      "the kernel is locked down (%s) and forbids tracing, also to root: "
			      "boot with lockdown=integrity on the command line, or without "
			      "lockdown=", mode);
	}
}

void lt_doctor_kernel(struct lt_doctor *d)
{
	check_config(d);
	check_lockdown(d);
}
