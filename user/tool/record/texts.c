// SPDX-License-Identifier: GPL-2.0
/*
 * The blocks of a trace file that are not packets: texts from the module and from /proc.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "format/schema.h"
#include "out/log.h"
#include "record/builds.h"
#include "record/internal.h"
#include "record/slab_counters.h"

#define MAX_KALLSYMS	(256U << 20)

static void one_line(FILE *out, const char *key, const char *path)
{
	char *text = lt_read_text_file(path, 1 << 20, NULL);

	if (text)
		fprintf(out, "%s=%.*s\n", key, (int)strcspn(text, "\n"), text);
	free(text);
}

char *lt_record_own_info(const char *command_line, pid_t command)
{
	struct sysinfo si;
	struct stat st;
	char host[256];
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		lt_die("out of memory");
	fprintf(out, "tool_version=%s\n", LT_VERSION);
	if (!gethostname(host, sizeof(host))) {
		host[sizeof(host) - 1] = 0;
		fprintf(out, "hostname=%s\n", host);
	}
	one_line(out, "boot_id", "/proc/sys/kernel/random/boot_id");
	one_line(out, "cpus_online", "/sys/devices/system/cpu/online");
	if (!sysinfo(&si))
		fprintf(out, "mem_total=%llu\n",
			(unsigned long long)si.totalram * si.mem_unit);
	lt_slab_kmalloc_slots(out);
	fprintf(out, "recorder_tid=%ld\nrecorder_tgid=%ld\n", (long)syscall(SYS_gettid),
		(long)getpid());
	if (!stat("/proc/self/ns/pid", &st))
		fprintf(out, "recorder_pid_ns=%llu\n", (unsigned long long)st.st_ino);
	if (command > 0)
		fprintf(out, "command_tid=%ld\n", (long)command);
	if (command_line) {
		char *line = lt_strdup(command_line);

		for (char *p = line; *p; p++) {
			if (*p == '\n')
				*p = ' ';
		}
		fprintf(out, "command=%s\n", line);
		free(line);
	}
	fclose(out);
	return text;
}

static char *need_text(const struct lt_engine *e, const char *name)
{
	char *text = lt_engine_text(e, name);

	if (!text)
		lt_error("%s/%s: %s", e->dir, name, strerror(errno));
	return text;
}

/* The text INFO; NULL after lt_error(). */
static char *read_info(const struct lt_engine *e, const char *command_line, pid_t command)
{
	char *module = need_text(e, LT_FILE_INFO), *own, *info;
	size_t len;

	if (!module)
		return NULL;
	own = lt_record_own_info(command_line, command);
	len = strlen(module);
	info = lt_format("%s%s%s", module, len && module[len - 1] != '\n' ? "\n" : "", own);
	free(module);
	free(own);
	return info;
}

/* The code symbols; the other symbols are three quarters of the text. */
static char *code_symbols(void)
{
	char *text = lt_read_text_file("/proc/kallsyms", MAX_KALLSYMS, NULL);
	const char *pos = text, *line;
	char *to = text;
	size_t len;

	while (text && lt_line(&pos, &line, &len)) {
		const char *blank = memchr(line, ' ', len);

		if (!blank || blank + 1 >= line + len || !strchr("tTwW", blank[1]))
			continue;
		memmove(to, line, len);
		to += len;
		*to++ = '\n';
	}
	if (text)
		*to = 0;
	return text;
}

/*
 * Called before the session starts: reading the symbols takes so long that small buffers
 * would run full, and walking the cgroups makes events.
 */
void lt_record_read_symbols(struct lt_record_texts *t)
{
	t->modules = lt_read_text_file("/proc/modules", 16 << 20, NULL);
	t->symbols = code_symbols();
	t->builds = lt_record_builds("/sys", t->modules);
	t->cgroups = lt_record_cgroups();
	if (!t->symbols || !strncmp(t->symbols, "0000000000000000 ", 17))
		lt_warn("/proc/kallsyms shows no addresses (kernel.kptr_restrict?): call sites will "
			"be shown as numbers");
}

/* Takes @now if it is another text than the last one. @unwritten: gets its bit then. */
static bool renew(unsigned int *unwritten, unsigned int type, char **last, char *now)
{
	if (!now || (*last && !strcmp(now, *last))) {
		free(now);
		return false;
	}
	free(*last);
	*last = now;
	*unwritten |= 1U << type;
	return true;
}

static bool same_words(const char *a, size_t a_len, const char *b, size_t b_len)
{
	char x[4096], y[4096];

	/* "name size refcount users state 0xaddress" */
	for (unsigned int i = 0; i < 6; i++) {
		if (!lt_word(&a, &a_len, x, sizeof(x)) || !lt_word(&b, &b_len, y, sizeof(y)) ||
		    (i != 2 && i != 3 && strcmp(x, y)))
			return false;
	}
	return true;
}

/* /proc/modules also changes, and often, when only the users of a module have changed. */
static bool same_modules(const char *a, const char *b)
{
	const char *x, *y;
	size_t x_len, y_len;

	while (lt_line(&a, &x, &x_len)) {
		if (!lt_line(&b, &y, &y_len) || !same_words(x, x_len, y, y_len))
			return false;
	}
	return !lt_line(&b, &y, &y_len);
}

/* The sink gets the code of now, and that of modules which are there no more. */
static void give_code(const struct lt_record_texts *t, struct lt_trace *sink)
{
	char *text;

	text = lt_unloaded_symbols(t->unloaded, t->symbols ? t->symbols : "");
	lt_trace_replace_text(sink, LT_BLOCK_SYMBOLS, text);
	free(text);
	text = lt_unloaded_modules(t->unloaded, t->modules);
	lt_trace_replace_text(sink, LT_BLOCK_MODULES, text);
	free(text);
	lt_trace_replace_text(sink, LT_BLOCK_BUILDS, t->builds);
}

static void renew_code(struct lt_record_texts *t, struct lt_record_sink *sink, char *modules)
{
	bool others = sink->trace && !same_modules(t->modules, modules);
	char *symbols = code_symbols();

	if (others) {
		if (sink->begun && !sink->done && sink->to->before_names)
			sink->to->before_names(sink->to);
		/* A text that cannot be read is as it was. */
		t->unloaded = lt_unloaded_add(t->unloaded, t->symbols, t->modules,
					      symbols ? symbols : t->symbols, modules);
	}
	renew(&t->unwritten, LT_BLOCK_SYMBOLS, &t->symbols, symbols);
	renew(&t->unwritten, LT_BLOCK_MODULES, &t->modules, modules);
	renew(&t->unwritten, LT_BLOCK_BUILDS, &t->builds, lt_record_builds("/sys", t->modules));
	if (others)
		give_code(t, sink->trace);
}

static void renew_cgroups(struct lt_record_texts *t, struct lt_trace *sink)
{
	if (renew(&t->unwritten, LT_BLOCK_CGROUPS, &t->cgroups, lt_record_cgroups()) && sink)
		lt_trace_replace_text(sink, LT_BLOCK_CGROUPS, t->cgroups);
}

/* What was loaded or made since, and what came and went. @same: whether modules are as before. */
static void renew_all(struct lt_recording *r, bool (*same)(const char *a, const char *b))
{
	char *modules = lt_read_text_file("/proc/modules", 16 << 20, NULL);

	if (modules && r->texts.modules && !same(r->texts.modules, modules))
		renew_code(&r->texts, &r->sink, modules);
	else
		free(modules);
	renew_cgroups(&r->texts, r->sink.trace);
	lt_record_code(r);
}

static void write_text(unsigned int *unwritten, struct lt_record_file *f, unsigned int type,
		       const char *text)
{
	if (*unwritten & 1U << type)
		lt_record_file_text(f, type, true, text);
	*unwritten &= ~(1U << type);
}

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a, b);
}

void lt_record_changed_texts(struct lt_recording *r)
{
	struct lt_record_texts *t = &r->texts;

	renew_all(r, same_text);
	write_text(&t->unwritten, &r->file, LT_BLOCK_SYMBOLS, t->symbols);
	write_text(&t->unwritten, &r->file, LT_BLOCK_MODULES, t->modules);
	write_text(&t->unwritten, &r->file, LT_BLOCK_BUILDS, t->builds);
	write_text(&t->unwritten, &r->file, LT_BLOCK_CGROUPS, t->cgroups);
}

/*
 * Symbols are read only if there are other modules, since that takes long. The file gets the texts
 * at its end only: each has all symbols, and there would be as many as the recording has minutes.
 */
void lt_record_renew_texts(void *arg)
{
	renew_all(arg, same_modules);
}

/* Packed by columns, which the schema defines, packets compress better. */
static void use_columns(struct lt_writer *w, const char *schema_text)
{
	struct lt_schema *schema = lt_schema_parse(schema_text, "the module");

	if (schema)
		lt_writer_pack(w, schema);
	lt_schema_free(schema);
}

/* Return: as lt_record_text(). */
static int write_first(const struct lt_record_texts *t, struct lt_record_file *f,
		       struct lt_trace *sink)
{
	const struct {
		unsigned int type;
		bool zstd;
		const char *text;
	} texts[] = {
		{ LT_BLOCK_EVENTS, false, t->events }, { LT_BLOCK_SYMBOLS, true, t->symbols },
		{ LT_BLOCK_MODULES, true, t->modules }, { LT_BLOCK_BUILDS, true, t->builds },
		{ LT_BLOCK_CGROUPS, true, t->cgroups }, { LT_BLOCK_FUNCTIONS, true, t->functions },
	};

	/* The trace of the sink was made of these two. */
	if (f->w && (lt_writer_text(f->w, LT_BLOCK_INFO, false, t->info, strlen(t->info)) ||
		     lt_writer_text(f->w, LT_BLOCK_SCHEMA, false, t->schema, strlen(t->schema))))
		return -1;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].text &&
		    lt_record_text(f, sink, texts[i].type, texts[i].zstd, texts[i].text))
			return -1;
	}
	return 0;
}

int lt_record_first_texts(struct lt_recording *r)
{
	const struct lt_engine *e = r->session.engine;
	struct lt_record_texts *t = &r->texts;
	struct lt_record_file *f = &r->file;

	t->info = read_info(e, r->opts->command_line, r->command.pid);
	if (!t->info)
		return -1;
	r->session.flight = strstr(t->info, "\nmode=flight\n");
	t->schema = need_text(e, LT_FILE_SCHEMA);
	t->events = lt_record_watched(t, t->schema ? need_text(e, LT_FILE_EVENTS) : NULL);
	if (!t->events)
		return -1;
	if (f->w && f->w->zstd)
		use_columns(f->w, t->schema);
	if (r->sink.to || f->rotate) {
		r->sink.trace = lt_trace_live(t->info, t->schema);
		if (!r->sink.trace)
			return -1;
	}
	if (!write_first(t, f, r->sink.trace))
		return 0;
	if (f->w && !f->error)
		f->error = f->w->error;
	return -1;
}

/*
 * Written after the last packet; EVENTS does not change during a session. A text that cannot
 * be read or written is reported and left out.
 */
void lt_record_last_texts(struct lt_recording *r)
{
	const struct lt_engine *e = r->session.engine;
	struct lt_record_texts *t = &r->texts;

	lt_record_last_code(r);
	lt_record_changed_texts(r);
	if (r->session.flight) {
		char *caches = need_text(e, LT_FILE_CACHES);

		if (caches)
			lt_record_text(&r->file, r->sink.trace, LT_BLOCK_CACHES, true, caches);
		free(caches);
	}
	lt_record_last_functions(r);
	t->stats = lt_record_left_out(r, need_text(e, LT_FILE_STATS));
	t->stats = lt_record_code_lost(t, t->stats);
	if (t->stats)
		lt_record_text(&r->file, r->sink.trace, LT_BLOCK_STATS, false, t->stats);
}
