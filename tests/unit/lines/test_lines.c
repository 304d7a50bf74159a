// SPDX-License-Identifier: GPL-2.0
/*
 * Source lines from a small program with debug information (tests/dwarf/fixture.c), by way of a
 * trace of a kernel that was loaded elsewhere; and debug files that are none. tests/lines
 * compares many more lines with other programs. A tool that was built without libdw is tested for
 * saying so.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "lines/debug.h"
#include "lines/lines.h"
#include "out/log.h"
#include "testlib.h"
#include "trace/trace.h"
#include "tracegen.h"
#include "uapi/lifetrace_file.h"

#define KASLR	0x1f200000ULL
#define RELEASE	"6.1.0-test"	/* as tracegen's */

static char fixture[600];	/* path */
static char id[LT_BUILD_HEX];
static uint64_t stext, calls[64];
static size_t n_calls;
static char cache[500];

/* What a program prints about the fixture; to be freed. */
static char *output(const char *fmt)
{
	char *command = lt_format(fmt, fixture), *text;
	FILE *in = popen(command, "r");

	assert_non_null(in);
	text = lt_read_text(fileno(in), 16 << 20, NULL);
	assert_non_null(text);
	assert_int_equal(pclose(in), 0);
	free(command);
	return text;
}

/* The return addresses of calls in the function _stext. */
static void read_calls(void)
{
	char *text = output("objdump -d --no-show-raw-insn %s");
	char *line = strstr(text, "<_stext>:\n"), *rest = NULL;
	bool behind = false;

	assert_non_null(line);
	stext = strtoull(line - 17, NULL, 16);
	for (line = strtok_r(line, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		uint64_t addr = strtoull(line, NULL, 16);

		if (addr && behind && n_calls < 64)
			calls[n_calls++] = addr;
		behind = addr && strstr(line, "\tcall");
		if (strstr(line, ">:") && n_calls)
			break;
	}
	free(text);
	assert_true(n_calls >= 3);
}

static void read_id(void)
{
	char *text = output("readelf -n %s"), *found = strstr(text, "Build ID: ");

	assert_non_null(found);
	sscanf(found, "Build ID: %128[0-9a-f]", id);
	free(text);
}

/* The return address of the call in mod_fn, from the begin of the section and of the function. */
static void read_module(uint64_t *in_section, uint64_t *in_function)
{
	char *text = output("objdump -d --no-show-raw-insn $(dirname %s)/mod.ko");
	char *line = strstr(text, "<mod_fn>:\n");
	uint64_t begin;

	assert_non_null(line);
	begin = strtoull(line - 17, NULL, 16);
	line = strstr(line, "\tcall");
	assert_non_null(line);
	*in_section = strtoull(strchr(line, '\n'), NULL, 16);
	*in_function = *in_section - begin;
	assert_true(*in_section > begin);
	free(text);
}

static int setup(void **state)
{
	ssize_t n = readlink("/proc/self/exe", fixture, sizeof(fixture) - 1);

	(void)state;
	assert_true(n > 0);
	/* BUILD/unit/lines/test_lines */
	for (int i = 0; i < 3; i++)
		*strrchr(fixture, '/') = 0;
	strcat(fixture, "/fixture");
	snprintf(cache, sizeof(cache), "%s", test_path("cache"));
	if (lt_lines_built()) {
		read_id();
		read_calls();
	}
	return 0;
}

/* @builds: the text of the block; NULL: an older trace, without it. */
static struct lt_trace *make_trace(const char *builds)
{
	struct tg *g = tg_new(NULL);
	char *symbols = lt_format("%llx T _stext\n%llx T behind\nffffffffc0001000 t mod_fn\t[mod]\n",
				  (unsigned long long)(stext + KASLR),
				  (unsigned long long)(stext + KASLR + 0x1000));
	struct lt_trace *t;

	tg_text(g, LT_BLOCK_SYMBOLS, symbols);
	tg_text(g, LT_BLOCK_MODULES, "mod 16384 0 - Live 0xffffffffc0000000\n");
	if (builds)
		tg_text(g, LT_BLOCK_BUILDS, builds);
	TG_KMALLOC(g, 0, 1000, .ptr = 0xffff888000001000ULL, .call_site = 0xffffffff81000100ULL,
		   .bytes_req = 60, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	tg_finish(g, 2000);
	assert_int_equal(tg_write(g, test_path("x.lt"), 0), 0);
	tg_free(g);
	t = lt_trace_open(test_path("x.lt"));
	assert_non_null(t);
	free(symbols);
	return t;
}

static struct lt_lines *make_lines(const struct lt_trace *t, const char *path, const char *root)
{
	struct lt_lines_spec spec = {
		.paths = &path, .n_paths = path ? 1 : 0, .cache = cache, .root = root,
	};

	return lt_lines_new(t, &spec);
}

/* Whether lines of the first calls are what fixture.c says. */
static void check_places(struct lt_lines *l)
{
	size_t inlined = 0;

	for (size_t i = 0; i < n_calls; i++) {
		const struct lt_place *p = lt_lines_find(l, calls[i] + KASLR);
		const struct lt_frame *last;

		assert_non_null(p);
		last = &p->frames[p->n - 1];
		assert_string_equal(last->function, "_stext");
		assert_non_null(strstr(last->file, "tests/dwarf/fixture.c"));
		assert_true(last->line > 44 && last->line < 56);
		for (size_t k = 0; k + 1 < p->n; k++) {
			static const char *const names[] = { "innermost", "middle", "outer" };

			assert_string_equal(p->frames[k].function, names[k]);
			assert_true(p->frames[k].line < last->line);
			inlined++;
		}
		/* A second time from memory. */
		assert_ptr_equal(lt_lines_find(l, calls[i] + KASLR), p);
	}
	assert_true(inlined >= 4);
}

/* Sought in the usual places, from a trace with the build id; then from the cache alone. */
static void test_places(void **state)
{
	char *builds, *root, *dir;
	struct lt_trace *t;
	struct lt_lines *l;
	size_t resolved, cached;

	(void)state;
	if (!lt_lines_built())
		return;
	builds = lt_format("kernel %s\n", id);
	root = lt_strdup(test_path("root"));
	dir = lt_format("mkdir -p %s/usr/lib/debug/.build-id/%.2s && "
			"cp %s %s/usr/lib/debug/.build-id/%.2s/%s.debug", root, id, fixture, root,
			id, id + 2);
	assert_int_equal(system(dir), 0);
	t = make_trace(builds);
	l = make_lines(t, NULL, root);
	assert_non_null(l);
	check_places(l);
	assert_null(lt_lines_find(l, 0));
	assert_null(lt_lines_find(l, 0x1234));
	test_stderr_begin();
	lt_lines_finish(l);
	assert_string_equal(test_stderr_end(), "");
	lt_lines_counts(l, &resolved, &cached);
	assert_int_equal(resolved, n_calls);
	assert_int_equal(cached, 0);
	lt_lines_free(l);

	l = make_lines(t, NULL, "/nonexistent");
	check_places(l);
	lt_lines_counts(l, &resolved, &cached);
	assert_int_equal(resolved, 0);
	assert_int_equal(cached, n_calls);
	/* An address that is not in the cache: how to get lines, once. */
	assert_null(lt_lines_find(l, stext + KASLR + 0x2000));
	assert_null(lt_lines_find(l, stext + KASLR + 0x2008));
	assert_null(lt_lines_find(l, 0xffffffffc0001010ULL));
	test_stderr_begin();
	lt_lines_finish(l);
	assert_non_null(strstr(test_stderr_end(), "no source lines of kernel " RELEASE " (build id "));
	lt_lines_free(l);
	lt_trace_close(t);
	free(builds);
	free(root);
	free(dir);
}

/* Of an older trace, a file is used by its name, and that is said. */
static void test_no_build_id(void **state)
{
	struct lt_trace *t;
	struct lt_lines *l;

	(void)state;
	if (!lt_lines_built())
		return;
	t = make_trace(NULL);
	test_stderr_begin();
	l = make_lines(t, fixture, "");
	assert_non_null(l);
	assert_non_null(strstr(test_stderr_end(), "no build id of it"));
	check_places(l);
	lt_lines_free(l);
	lt_trace_close(t);
}

/* Whether a file of --debuginfo is refused, with words. */
static void refused(const struct lt_trace *t, const char *path, const char *words)
{
	const char *said;

	test_stderr_begin();
	assert_null(make_lines(t, path, ""));
	said = test_stderr_end();
	if (!strstr(said, words))
		print_error("%s: expected '%s', found: %s", path, words, said);
	assert_non_null(strstr(said, words));
	/* One line. */
	assert_ptr_equal(strchr(said, '\n') + 1, said + strlen(said));
}

/* A module: by the place of its section, or of its function in an older trace. */
static void test_module(void **state)
{
	const uint64_t text = 0xffffffffc0001000ULL;
	uint64_t in_section, in_function;
	struct lt_trace *t;
	struct lt_lines *l;
	char *path;

	(void)state;
	if (!lt_lines_built())
		return;
	read_module(&in_section, &in_function);
	path = lt_format("%s/mod.ko", fixture);
	strcpy(strstr(path, "/fixture"), "/mod.ko");
	for (int i = 0; i < 2; i++) {
		uint64_t addr = text + (i ? in_function : in_section);
		const struct lt_place *p;

		/* The only symbol of the trace is mod_fn, at the begin of the module's code. */
		t = make_trace(i ? NULL : "kernel 0011\nmodule mod - .text=0xffffffffc0001000\n");
		test_stderr_begin();
		l = make_lines(t, path, "/nonexistent");
		assert_non_null(l);
		p = lt_lines_find(l, addr);
		assert_non_null(strstr(test_stderr_end(), "no build id of it"));
		assert_non_null(p);
		assert_int_equal(p->n, 2);
		assert_string_equal(p->frames[0].function, "twice");
		assert_int_equal(p->frames[0].line, 21);
		assert_string_equal(p->frames[1].function, "mod_fn");
		assert_int_equal(p->frames[1].line, 27);
		lt_lines_free(l);
		lt_trace_close(t);
	}
	free(path);
}

static void test_refused(void **state)
{
	struct lt_trace *t = make_trace("kernel 00112233445566778899\nmodule mod 4455\n");
	char path[600], line[200];
	struct lt_lines *l;
	FILE *f;

	(void)state;
	refused(t, "/nonexistent/file", "No such file");
	snprintf(path, sizeof(path), "%s", test_path("fifo"));
	assert_int_equal(mkfifo(path, 0600), 0);
	refused(t, path, "regular file");
	refused(t, "/dev/null", "regular file");
	snprintf(path, sizeof(path), "%s", test_path("text"));
	f = fopen(path, "w");
	fputs("not an ELF file\n", f);
	fclose(f);
	if (!lt_lines_built()) {
		refused(t, path, "without libdw");
		lt_trace_close(t);
		return;
	}
	refused(t, path, "ELF");
	snprintf(line, sizeof(line), "has the build id %s; expected 00112233445566778899", id);
	refused(t, fixture, line);
	/* A directory without such a file, and one with another build. */
	snprintf(path, sizeof(path), "%s", test_path("tree"));
	assert_int_equal(mkdir(path, 0700), 0);
	strcat(path, "/vmlinux");
	assert_int_equal(symlink(fixture, path), 0);
	l = make_lines(t, test_path("tree"), "/nonexistent");
	assert_non_null(l);
	assert_null(lt_lines_find(l, calls[0] + KASLR));
	test_stderr_begin();
	lt_lines_finish(l);
	assert_non_null(strstr(test_stderr_end(), "expected 00112233445566778899"));
	lt_lines_free(l);
	lt_trace_close(t);
}

/* Looks up all calls in a file that may be damaged. */
static void look(const char *path)
{
	struct lt_debug_frame frames[LT_MAX_FRAMES];
	struct lt_why why;
	struct lt_debug *d = lt_debug_open(path, &why);
	uint64_t addr;

	if (!d)
		return;
	lt_debug_has_lines(d, &why);
	lt_debug_symbol(d, "_stext", &addr);
	lt_debug_section(d, ".text", &addr);
	for (size_t i = 0; i < n_calls; i++) {
		size_t n = lt_debug_resolve(d, calls[i] - 1, frames);

		assert_true(n <= LT_MAX_FRAMES);
		for (size_t k = 0; k < n; k++)
			free(frames[k].file);
	}
	lt_debug_close(d);
}

/* Files that were cut, and in which bytes were changed. */
static void test_damaged(void **state)
{
	uint64_t seed = 88172645463325252ULL;
	char path[600], *data;
	size_t size;
	FILE *in;

	(void)state;
	if (!lt_lines_built())
		return;
	in = fopen(fixture, "r");
	assert_non_null(in);
	data = lt_read_text(fileno(in), 16 << 20, &size);
	fclose(in);
	snprintf(path, sizeof(path), "%s", test_path("damaged"));
	for (size_t i = 0; i < 64; i++) {
		test_put(NULL, path, data, size * i / 64);
		look(path);
	}
	for (size_t i = 0; i < 400; i++) {
		size_t at[8];
		char old[8];

		for (size_t k = 0; k < 8; k++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			/* Debug information and headers are in the second half. */
			at[k] = size / 3 + seed % (size - size / 3);
			old[k] = data[at[k]];
			data[at[k]] = (char)(seed >> 32);
		}
		test_put(NULL, path, data, size);
		look(path);
		for (size_t k = 8; k--;)
			data[at[k]] = old[k];
	}
	test_put(NULL, path, data, size);
	look(path);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_no_build_id),
		cmocka_unit_test(test_module),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_damaged),
	};

	lt_log_to_stderr();
	return cmocka_run_group_tests(tests, setup, NULL);
}
