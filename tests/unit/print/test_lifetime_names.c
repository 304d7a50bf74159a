// SPDX-License-Identifier: GPL-2.0
/*
 * What a row says of the time of its lifetime: names that tasks had then, and nothing that
 * was not recorded. Other columns may follow those that are compared.
 */
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000100000ULL
#define SITE	0xffffffff81000100ULL

/* What a command prints of a trace, which is freed; to be freed. */
static char *output(lt_cmd_fn *cmd, const char *option, struct tg *g)
{
	char out[256], file[256];
	char *argv[] = { (char *)"lifetrace", (char *)(uintptr_t)option, file, NULL };
	int saved = dup(STDOUT_FILENO);

	snprintf(out, sizeof(out), "%s", test_path("out"));
	snprintf(file, sizeof(file), "%s", test_path("names.lt"));
	assert_int_equal(tg_write(g, file, 0), 0);
	tg_free(g);
	fflush(stdout);
	assert_non_null(freopen(out, "w", stdout));
	assert_int_equal(cmd(3, argv), 0);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	return lt_read_text_file(out, 1 << 20, NULL);
}

/* An exec and a rename, of kmem and of pid, change no name of the time before. */
static void test_comm(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .tasks = true });
	char *text;

	(void)state;
	TG_TASK(g, 0, 1000, .tid = 17, .tgid = 17, .start = 500, .comm = "shell");
	TG_KMALLOC(g, 0, 1010, .ptr = PTR, .call_site = SITE, .bytes_req = 8, .bytes_alloc = 8,
		   .gfp = 0xcc0, .node = -1);
	TG_KMALLOC(g, 0, 1020, .ptr = PTR + 64, .call_site = SITE, .bytes_req = 8, .bytes_alloc = 8,
		   .gfp = 0xcc0, .node = -1);
	tg_kfree(g, 0, 1030, PTR + 64, SITE);
	TG_TASK(g, 0, 1040, .tid = 17, .tgid = 17, .start = 500, .comm = "make");
	TG_KMALLOC(g, 0, 1050, .ptr = PTR + 128, .call_site = SITE, .bytes_req = 8,
		   .bytes_alloc = 8, .gfp = 0xcc0, .node = -1);
	TG_PUT(g, TG_PID(0), 1060, RENAME, .tid = 17, .start = 500, .comm = "renamed");
	tg_kfree(g, 0, 1070, PTR, SITE);
	tg_kfree(g, 0, 1080, PTR + 128, SITE);
	tg_finish(g, 2000);
	text = output(lt_cmd_lifetimes, "--csv", g);
	assert_non_null(strstr(text, ",17,17,500,shell,0,task,0xffffffff81000100,17,17,500,shell,,"));
	assert_non_null(strstr(text, ",17,17,500,shell,0,task,0xffffffff81000100,17,17,500,renamed,,"));
	assert_non_null(strstr(text, ",17,17,500,make,0,task,0xffffffff81000100,17,17,500,renamed,,"));
	free(text);
}

/* Pages have no node; an object that was asked for on any node has -1. */
static void test_node(void **state)
{
	struct tg *g = tg_new(NULL);
	char *text;

	(void)state;
	TG_KMALLOC(g, 0, 1010, .ptr = PTR, .call_site = SITE, .bytes_req = 8, .bytes_alloc = 8,
		   .gfp = 0xcc0, .node = -1);
	tg_page_alloc(g, 0, 1020, 0x100, 0xcc0, 0, 0);
	tg_finish(g, 2000);
	text = output(lt_cmd_lifetimes, "--csv", g);
	assert_non_null(strstr(text, ",8,8,GFP_KERNEL,-1,,"));
	assert_non_null(strstr(text, ",4096,4096,GFP_KERNEL,,0,"));
	free(text);
}

/* In the order of the packets, a cache may be announced in another stream that comes later. */
static void test_raw_order(void **state)
{
	struct tg *g = tg_new(NULL);
	char *text;

	(void)state;
	TG_CACHE_ALLOC(g, 0, 1020, .ptr = PTR, .call_site = SITE, .gfp = 0xcc0, .cache = 3,
		       .node = -1);
	TG_CACHE(g, 1, 1010, .id = 3, .ptr = 0xffff888000200000ULL, .object_size = 192, .size = 192,
		 .name = "dentry");
	tg_finish(g, 2000);
	text = output(lt_cmd_dump, "--raw-order", g);
	assert_non_null(strstr(text, "cache=3(dentry)"));
	free(text);
}

/* Flags are named in the order of the file, whatever their bits. */
static void test_gfp(void **state)
{
	struct tg *model = tg_new(NULL);
	const char *base = tg_schema_text(model), *names = strstr(base, "gfp 0xcc0");
	char *schema, *text;
	struct tg *g;

	(void)state;
	assert_non_null(names);
	assert_true(asprintf(&schema, "%.*sgfp 0x40 IO\ngfp 0x10000 FIRST\ngfp 0x10000 SECOND\n"
			     "gfp 0xcc0 KERNEL\ngfp 0x80 FS\n",
			     (int)(names - base), base) > 0);
	g = tg_new(&(struct tg_options){ .schema = schema });
	TG_KMALLOC(g, 0, 1010, .ptr = PTR, .call_site = SITE, .bytes_req = 8, .bytes_alloc = 8,
		   .gfp = 0x10cc0, .node = -1);
	tg_finish(g, 2000);
	text = output(lt_cmd_lifetimes, "--csv", g);
	assert_non_null(strstr(text, ",IO|FIRST|FS|0xc00,"));
	free(text);
	free(schema);
	tg_free(model);
}

/* Each lifetime that is not exact says why; a loss, where and when. */
static void test_why(void **state)
{
	static const struct {
		const char *option, *row;
	} cases[] = {
		{ "--csv", ",uncertain,kfree,,,0,task,0xffffffff81000100,,,,,0,task,"
		  "0xffffffff81000100,,,,,lost on cpu 1 at 0.000000100 s," },
		{ "--csv", ",exact,kfree,,,0,task,0xffffffff81000100,,,,,0,task,0xffffffff81000100,"
		  ",,,,," },
		{ "--csv", ",not watched: page_free," },
		{ "--csv", ",free not seen," },
		{ "--json", "\"why\":\"birth not seen\",\"bytes_last\":null" },
		{ "--why=not_watched", "  not watched: page_free\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tg *g = tg_new(NULL);
		char *text;

		tg_text(g, LT_BLOCK_EVENTS, "page_free\ttracepoint\tnot watched\tnot chosen\n");
		tg_kfree(g, 0, 1000, PTR + 4096, SITE);
		TG_KMALLOC(g, 0, 1010, .ptr = PTR, .call_site = SITE, .bytes_req = 8,
			   .bytes_alloc = 8, .gfp = 0xcc0, .node = -1);
		TG_KMALLOC(g, 1, 1020, .ptr = PTR + 64, .call_site = SITE, .bytes_req = 8,
			   .bytes_alloc = 8, .gfp = 0xcc0, .node = -1);
		tg_close(g, 1, 1100);
		tg_lost(g, 1, LT_CLASS_KFREE, TG_FULL, 7);
		tg_open(g, 1, 1200);
		tg_kfree(g, 0, 1300, PTR, SITE);
		tg_page_alloc(g, 0, 1310, 0x100, 0xcc0, 0, 0);
		TG_KMALLOC(g, 0, 1320, .ptr = PTR, .call_site = SITE, .bytes_req = 8,
			   .bytes_alloc = 8, .gfp = 0xcc0, .node = -1);
		tg_kfree(g, 0, 1330, PTR, SITE);
		TG_KMALLOC(g, 0, 1340, .ptr = PTR + 128, .call_site = SITE, .bytes_req = 8,
			   .bytes_alloc = 8, .gfp = 0xcc0, .node = -1);
		TG_KMALLOC(g, 0, 5000, .ptr = PTR + 128, .call_site = SITE, .bytes_req = 16,
			   .bytes_alloc = 16, .gfp = 0xcc0, .node = -1);
		tg_finish(g, 9000);
		text = output(lt_cmd_lifetimes, cases[i].option, g);
		if (!strstr(text, cases[i].row))
			fail_msg("%s: no '%s' in: %s", cases[i].option, cases[i].row, text);
		assert_int_equal(strstr(text, "lost") != NULL, i < 5);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_comm), cmocka_unit_test(test_node),
		cmocka_unit_test(test_raw_order), cmocka_unit_test(test_gfp),
		cmocka_unit_test(test_why),
	};

	return cmocka_run_group_tests_name("lifetime-names", tests, NULL, NULL);
}
