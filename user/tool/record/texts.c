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

/* The lines of INFO that the module does not write: this machine, the command. */
static char *own_info(const struct lt_recording *r)
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
	if (r->opts->command_line) {
		char *line = lt_strdup(r->opts->command_line);

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

static char *need_text(const struct lt_recording *r, const char *name)
{
	char *text = lt_module_text(&r->session.module, name);

	if (!text)
		lt_error("%s/%s: %s", r->session.module.dir, name, strerror(errno));
	return text;
}

static bool read_info(struct lt_recording *r)
{
	char *module = need_text(r, LT_FILE_INFO), *own;
	size_t len;

	if (!module)
		return false;
	own = own_info(r);
	len = strlen(module);
	r->texts.info = lt_format("%s%s%s", module,
				  len && module[len - 1] != '\n' ? "\n" : "", own);
	free(module);
	free(own);
	r->session.flight = strstr(r->texts.info, "\nmode=flight\n");
	return true;
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
void lt_record_read_symbols(struct lt_recording *r)
{
	r->texts.modules = lt_read_text_file("/proc/modules", 16 << 20, NULL);
	r->texts.symbols = code_symbols();
	r->texts.builds = lt_record_builds("/sys", r->texts.modules);
	r->texts.cgroups = lt_record_cgroups();
	if (!r->texts.symbols || !strncmp(r->texts.symbols, "0000000000000000 ", 17))
		lt_warn("/proc/kallsyms shows no addresses (kernel.kptr_restrict?): call sites will "
			"be shown as numbers");
}

/* Takes @now if it is another text than the last one. */
static bool renew(struct lt_recording *r, unsigned int type, char **last, char *now)
{
	if (!now || (*last && !strcmp(now, *last))) {
		free(now);
		return false;
	}
	free(*last);
	*last = now;
	r->texts.unwritten |= 1U << type;
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
static void give_code(struct lt_recording *r)
{
	char *text;

	text = lt_unloaded_symbols(r->texts.unloaded, r->texts.symbols ? r->texts.symbols : "");
	lt_trace_replace_text(r->sink.trace, LT_BLOCK_SYMBOLS, text);
	free(text);
	text = lt_unloaded_modules(r->texts.unloaded, r->texts.modules);
	lt_trace_replace_text(r->sink.trace, LT_BLOCK_MODULES, text);
	free(text);
	lt_trace_replace_text(r->sink.trace, LT_BLOCK_BUILDS, r->texts.builds);
}

static void renew_code(struct lt_recording *r, char *modules)
{
	bool others = r->sink.trace && !same_modules(r->texts.modules, modules);
	char *symbols = code_symbols();

	if (others) {
		if (r->sink.begun && !r->sink.done && r->sink.to->before_names)
			r->sink.to->before_names(r->sink.to);
		/* A text that cannot be read is as it was. */
		r->texts.unloaded = lt_unloaded_add(r->texts.unloaded, r->texts.symbols,
						    r->texts.modules,
						    symbols ? symbols : r->texts.symbols,
						    modules);
	}
	renew(r, LT_BLOCK_SYMBOLS, &r->texts.symbols, symbols);
	renew(r, LT_BLOCK_MODULES, &r->texts.modules, modules);
	renew(r, LT_BLOCK_BUILDS, &r->texts.builds, lt_record_builds("/sys", r->texts.modules));
	if (others)
		give_code(r);
}

static void renew_cgroups(struct lt_recording *r)
{
	if (renew(r, LT_BLOCK_CGROUPS, &r->texts.cgroups, lt_record_cgroups()) && r->sink.trace)
		lt_trace_replace_text(r->sink.trace, LT_BLOCK_CGROUPS, r->texts.cgroups);
}

static void write_text(struct lt_recording *r, unsigned int type, const char *text)
{
	if (r->texts.unwritten & 1U << type)
		lt_record_file_text(r, type, true, text);
	r->texts.unwritten &= ~(1U << type);
}

/* What was loaded or made since, and what came and went. */
void lt_record_changed_texts(struct lt_recording *r)
{
	char *modules = lt_read_text_file("/proc/modules", 16 << 20, NULL);

	if (modules && r->texts.modules && strcmp(modules, r->texts.modules))
		renew_code(r, modules);
	else
		free(modules);
	renew_cgroups(r);
	lt_record_code(r);
	write_text(r, LT_BLOCK_SYMBOLS, r->texts.symbols);
	write_text(r, LT_BLOCK_MODULES, r->texts.modules);
	write_text(r, LT_BLOCK_BUILDS, r->texts.builds);
	write_text(r, LT_BLOCK_CGROUPS, r->texts.cgroups);
}

/*
 * Symbols are read only if there are other modules, since that takes long. The file gets the texts
 * at its end only: each has all symbols, and there would be as many as the recording has minutes.
 */
void lt_record_renew_texts(void *arg)
{
	struct lt_recording *r = arg;
	char *modules = lt_read_text_file("/proc/modules", 16 << 20, NULL);

	if (modules && r->texts.modules && !same_modules(r->texts.modules, modules))
		renew_code(r, modules);
	else
		free(modules);
	renew_cgroups(r);
	lt_record_code(r);
}

/* Packed by columns, which the schema defines, packets compress better. */
static void use_columns(struct lt_recording *r)
{
	struct lt_schema *schema = lt_schema_parse(r->texts.schema, "the module");

	if (schema)
		lt_writer_pack(r->file.w, schema);
	lt_schema_free(schema);
}

int lt_record_first_texts(struct lt_recording *r)
{
	int ret;

	if (!read_info(r))
		return -1;
	r->texts.schema = need_text(r, LT_FILE_SCHEMA);
	r->texts.events = lt_record_watched(r, r->texts.schema ? need_text(r, LT_FILE_EVENTS) :
								 NULL);
	if (!r->texts.events)
		return -1;
	if (r->file.w && r->file.w->zstd)
		use_columns(r);
	if (r->sink.to || r->rotate) {
		r->sink.trace = lt_trace_live(r->texts.info, r->texts.schema);
		if (!r->sink.trace)
			return -1;
	}
	ret = r->file.w && (lt_writer_text(r->file.w, LT_BLOCK_INFO, false, r->texts.info,
					   strlen(r->texts.info)) ||
			    lt_writer_text(r->file.w, LT_BLOCK_SCHEMA, false, r->texts.schema,
					   strlen(r->texts.schema)));
	ret = ret || lt_record_text(r, LT_BLOCK_EVENTS, false, r->texts.events) ||
	      (r->texts.symbols && lt_record_text(r, LT_BLOCK_SYMBOLS, true, r->texts.symbols)) ||
	      (r->texts.modules && lt_record_text(r, LT_BLOCK_MODULES, true, r->texts.modules)) ||
	      lt_record_text(r, LT_BLOCK_BUILDS, true, r->texts.builds) ||
	      (r->texts.cgroups && lt_record_text(r, LT_BLOCK_CGROUPS, true, r->texts.cgroups)) ||
	      (r->texts.functions && lt_record_text(r, LT_BLOCK_FUNCTIONS, true, r->texts.functions));
	if (ret && r->file.w && !r->file.error)
		r->file.error = r->file.w->error;
	return ret ? -1 : 0;
}

/*
 * Written after the last packet; EVENTS does not change during a session. A text that cannot
 * be read or written is reported and left out.
 */
void lt_record_last_texts(struct lt_recording *r)
{
	lt_record_last_code(r);
	lt_record_changed_texts(r);
	if (r->session.flight) {
		char *caches = need_text(r, LT_FILE_CACHES);

		if (caches)
			lt_record_text(r, LT_BLOCK_CACHES, true, caches);
		free(caches);
	}
	lt_record_last_functions(r);
	r->texts.stats = lt_record_left_out(r, need_text(r, LT_FILE_STATS));
	r->texts.stats = lt_record_code_lost(r, r->texts.stats);
	if (r->texts.stats)
		lt_record_text(r, LT_BLOCK_STATS, false, r->texts.stats);
}
