// SPDX-License-Identifier: GPL-2.0
/*
 * The functions whose calls are recorded: what a user typed is compiled for this kernel, and
 * handed to the module before the session starts; or written to a file, for a boot.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "fetch/fetch.h"
#include "record/internal.h"

static struct lt_fetch *kernel(void)
{
	unsigned int lacks;
	struct lt_why why;
	struct lt_fetch *f = lt_fetch_running(&lacks, &why);

	if (!f) {
		lt_error("--call: %s", why.text);
		return NULL;
	}
	if (lacks & LT_FETCH_LACKS_SYMBOLS) {
		lt_error("--call: /proc/kallsyms cannot be read, so the addresses of functions are not known");
		lt_fetch_free(f);
		return NULL;
	}
	if (lacks & LT_FETCH_LACKS_TYPES)
		lt_warn("--call: /sys/kernel/btf/vmlinux cannot be read: of a function of the kernel that is "
			"named alone the time is recorded, without arguments and result; "
			"name these as in 'vfs_read($arg1:x64) = ret:s64'");
	return f;
}

/*
 * What a spec came to. A function that is refused among others of a pattern is a note; a spec of
 * which nothing is left is an error.
 */
static int check_spec(const struct lt_fetch_set *set, const char *spec, uint32_t number)
{
	const struct lt_fetch_function *refused = NULL;
	size_t n = 0, n_refused = 0;

	for (size_t i = 0; i < set->n; i++) {
		const struct lt_fetch_function *fn = &set->functions[i];

		if (fn->spec != number)
			continue;
		n++;
		if (!fn->refused)
			continue;
		if (!refused)
			refused = fn;
		n_refused++;
	}
	if (n_refused && n_refused == n) {
		lt_error("--call '%.100s': %s: %s%s%s%s", spec, refused->name,
			 lt_fetch_reason_text(refused->reason), *refused->detail ? ": " : "",
			 refused->detail, n > 1 ? "; so are all others that it names" : "");
		return -1;
	}
	if (n_refused)
		lt_warn("--call '%.100s': %zu of %zu functions are not recorded; 'lifetrace calls --list --why' "
			"has the reasons", spec, n_refused, n);
	return 0;
}

static bool hand_over(const struct lt_engine *e, const void *bytes, size_t size)
{
	int fd = lt_engine_open(e, LT_FILE_CALLS, O_WRONLY | O_CLOEXEC);
	ssize_t done;
	int err;

	done = fd < 0 ? -1 : write(fd, bytes, size);
	err = errno;
	if (fd >= 0)
		close(fd);
	if (done == (ssize_t)size)
		return true;
	lt_error("%s/%s: %s", e->dir, LT_FILE_CALLS,
		 done >= 0 ? "it was not taken over whole" :
		 err == ENOENT ? "this module, or this kernel, cannot record calls of functions" :
		 strerror(err));
	return false;
}

static bool check_specs(const struct lt_fetch_set *set, const struct lt_record_options *o)
{
	for (size_t i = 0; i < o->n_functions; i++) {
		if (check_spec(set, o->functions[i], (uint32_t)i))
			return false;
	}
	return true;
}

/* Return: what was asked for, compiled for the kernel; NULL after lt_error(). */
static struct lt_fetch_set *compile(struct lt_fetch *f, const struct lt_record_options *o)
{
	struct lt_fetch_set *set;
	struct lt_why why;
	size_t bad;

	if (!lt_fetch_modules(f, o->functions, o->n_functions, "", &why)) {
		lt_error("--call: %s", why.text);
		return NULL;
	}
	set = lt_fetch_compile(f, o->functions, o->n_functions, &bad, &why);
	if (!set) {
		lt_error("--call '%.200s': %s", o->functions[bad], why.text);
		return NULL;
	}
	if (check_specs(set, o))
		return set;
	lt_fetch_set_free(set);
	return NULL;
}

static int use(struct lt_record_texts *t, const struct lt_engine *e,
	       const struct lt_record_options *o, const struct lt_fetch_set *set)
{
	struct lt_why why;
	uint8_t *bytes;
	size_t size;
	bool good;

	bytes = lt_fetch_set_bytes(set, o->function_min_ns, o->function_depth, &size,
				   &why);
	if (!bytes) {
		lt_error("--call: %s", why.text);
		return -1;
	}
	good = hand_over(e, bytes, size);
	free(bytes);
	if (!good)
		return -1;
	t->functions = lt_fetch_set_text(set);
	t->n_functions = set->n_taken;
	return 0;
}

/* The module has what describes the functions of a session that began when it was loaded. */
static int take_over(struct lt_record_texts *t, const struct lt_engine *e)
{
	static const char word[] = "function\t";
	const char *pos, *line;
	size_t len;

	t->functions = lt_engine_text(e, LT_FILE_FUNCTIONS);
	/* A module of an earlier version has no such file, and no such functions. */
	if (!t->functions && errno != ENOENT) {
		lt_error("%s/%s: %s", e->dir, LT_FILE_FUNCTIONS, strerror(errno));
		return -1;
	}
	if (t->functions && !*t->functions) {
		free(t->functions);
		t->functions = NULL;
	}
	pos = t->functions;
	while (pos && lt_line(&pos, &line, &len))
		t->n_functions += len > strlen(word) && !strncmp(line, word, strlen(word));
	return 0;
}

int lt_record_functions(struct lt_record_texts *t, const struct lt_record_session *session,
			const struct lt_record_options *o)
{
	struct lt_fetch_set *set;
	struct lt_fetch *f;
	int err;

	if (session->attached && o->n_functions) {
		lt_error("a session is already recording (lifetrace.enable=1): its functions cannot be "
			 "changed; leave --call out");
		return -1;
	}
	if (session->attached)
		return take_over(t, session->engine);
	if (!o->n_functions)
		return 0;
	f = kernel();
	if (!f)
		return -1;
	set = compile(f, o);
	err = set ? use(t, session->engine, o, set) : -1;
	lt_fetch_set_free(set);
	lt_fetch_free(f);
	return err;
}

void *lt_record_functions_of_boot(const struct lt_record_options *o, size_t *size)
{
	struct lt_fetch_boot b = {
		.min_duration = o->function_min_ns, .depth = o->function_depth,
	};
	struct lt_fetch *f = kernel();
	struct lt_fetch_set *set = f ? compile(f, o) : NULL;
	struct utsname name;
	struct lt_why why;
	void *file = NULL;

	if (set) {
		uname(&name);
		snprintf(b.release, sizeof(b.release), "%s", name.release);
		snprintf(b.build, sizeof(b.build), "%s", name.version);
		file = lt_fetch_boot_make(set, &b, size, &why);
		if (!file)
			lt_error("--call: %s", why.text);
	}
	lt_fetch_set_free(set);
	lt_fetch_free(f);
	return file;
}

void lt_record_functions_started(const struct lt_record_texts *t,
				 const struct lt_record_session *session)
{
	struct lt_call_set none = { .magic = LT_CALL_MAGIC, .version = LT_CALL_VERSION };

	if (t->functions && !session->attached)
		hand_over(session->engine, &none, sizeof(none));
}

char *lt_record_function_counts(const struct lt_recording *r)
{
	char *counts;

	if (!r->texts.functions)
		return NULL;
	counts = lt_engine_text(r->session.engine, LT_FILE_CALLS);
	if (!counts)
		lt_error("%s/%s: %s", r->session.engine->dir, LT_FILE_CALLS, strerror(errno));
	return counts;
}

void lt_record_last_functions(struct lt_recording *r)
{
	char *counts = lt_record_function_counts(r);

	if (counts)
		lt_record_text(&r->file, r->sink.trace, LT_BLOCK_FUNCTIONS, true, counts);
	free(counts);
}
