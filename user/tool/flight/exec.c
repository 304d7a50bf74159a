// SPDX-License-Identifier: GPL-2.0
/*
 * The command that runs after each snapshot (--exec).
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/now.h"
#include "flight/internal.h"
#include "out/log.h"

#define WAIT_NS	(100 * (long)NSEC_PER_MSEC)

extern char **environ;

/* Another recorder has started this one: shells take the last of two equal names. */
static bool is_about_snapshot(const char *line)
{
	return !strncmp(line, "LIFETRACE_SNAPSHOT=", 19) ||
	       !strncmp(line, "LIFETRACE_TRIGGER=", 18);
}

/* The environment of this process, and two more lines; to be freed with those, the first ones. */
static char **make_environment(const struct lt_flight *f)
{
	size_t n = 0, k = 2;
	char **env;

	while (environ[n])
		n++;
	env = lt_alloc_array(n + 3, sizeof(*env));
	env[0] = lt_format("LIFETRACE_SNAPSHOT=%s", f->path);
	env[1] = lt_format("LIFETRACE_TRIGGER=%s", f->cause);
	for (size_t i = 0; i < n; i++) {
		if (!is_about_snapshot(environ[i]))
			env[k++] = environ[i];
	}
	return env;
}

/*
 * The value that the recorder was started with. A service manager that has protected the recorder
 * did not mean to protect the command.
 */
static const char *oom_score_adj(const struct lt_flight *f)
{
	return *f->oom_score_adj && strcmp(f->oom_score_adj, "-1000") ? f->oom_score_adj : "0";
}

/* Without the recorder's protection and priority, and with the signals that it blocks. */
static int spawn(const char *script, char **env, pid_t *pid)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)(uintptr_t)script, NULL };
	posix_spawnattr_t attr;
	sigset_t none, all;
	int err;

	sigemptyset(&none);
	sigemptyset(&all);
	sigaddset(&all, SIGPIPE);
	sigaddset(&all, SIGXFSZ);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	err = posix_spawn(pid, "/bin/sh", NULL, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	return err;
}

void lt_flight_exec(struct lt_flight *f)
{
	char *script, **env;
	size_t i = 0;
	int err;

	while (i < LT_FLIGHT_EXECS && f->execs[i])
		i++;
	if (i == LT_FLIGHT_EXECS) {
		lt_warn("--exec: %d commands are still running; none was started for %s",
			LT_FLIGHT_EXECS, f->path);
		return;
	}
	script = lt_format("echo %s >/proc/$$/oom_score_adj 2>/dev/null\n%s\n%s",
			   oom_score_adj(f),
			   f->r->session.raised_priority ? "renice 0 $$ >/dev/null 2>&1" : "",
			   f->opts->exec);
	env = make_environment(f);
	err = spawn(script, env, &f->execs[i]);
	if (err) {
		f->execs[i] = 0;
		lt_warn("--exec: could not be started: %s", strerror(err));
	}
	free(env[0]);
	free(env[1]);
	free(env);
	free(script);
}

void lt_flight_reap_execs(struct lt_flight *f)
{
	for (size_t i = 0; i < LT_FLIGHT_EXECS; i++) {
		int status;

		if (!f->execs[i] || waitpid(f->execs[i], &status, WNOHANG) != f->execs[i])
			continue;
		f->execs[i] = 0;
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			lt_warn("--exec: the command has ended with %s %d",
				WIFSIGNALED(status) ? "signal" : "exit status",
				WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	}
}

static bool is_running(const struct lt_flight *f)
{
	for (size_t i = 0; i < LT_FLIGHT_EXECS; i++) {
		if (f->execs[i])
			return true;
	}
	return false;
}

/*
 * SIGCHLD may have gone to another thread, so that it is not waited for alone. Return: whether a
 * signal that stops a recording has come.
 */
static bool wait_for_signal(uint64_t ns)
{
	struct timespec wait = { .tv_nsec = ns < WAIT_NS ? (long)ns : WAIT_NS };
	sigset_t set;
	int sig;

	lt_record_stop_set(&set);
	sig = sigtimedwait(&set, NULL, &wait);
	return sig > 0 && sig != SIGCHLD;
}

void lt_flight_end_execs(struct lt_flight *f, uint64_t limit_ns, bool quiet)
{
	uint64_t now = lt_now_ns(), end = now + limit_ns;
	bool signalled = false;

	lt_flight_reap_execs(f);
	if (is_running(f) && !quiet)
		fprintf(stderr, "waiting for the command of --exec; ^C ends the wait\n");
	while (is_running(f) && !signalled && now < end) {
		signalled = wait_for_signal(end - now);
		lt_flight_reap_execs(f);
		now = lt_now_ns();
	}
	for (size_t i = 0; i < LT_FLIGHT_EXECS; i++) {
		if (f->execs[i])
			lt_warn("--exec: the command (pid %d) has not ended; the recorder ends "
				"without it", (int)f->execs[i]);
	}
}
