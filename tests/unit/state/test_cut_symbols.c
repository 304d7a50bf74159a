// SPDX-License-Identifier: GPL-2.0
/*
 * A window has the symbols of the kernel that its packets and its STATE refer to, and those of
 * modules.
 */
#include "format/block.h"
#include "state/cut.h"
#include "goldentest.h"

#define CODE	0xffffffff81000000ULL

static const char symbols[] =
	"ffffffff81000000 T first\n"
	"ffffffff81000100 T early\n"
	"ffffffff81000100 T early_too\n"
	"ffffffff81000200 t unused\n"
	"ffffffff81000280 d $x\n"
	"ffffffff81000300 T lives\n"
	"ffffffff81000400 T before_call\n"
	"ffffffff81000500 T behind_call\n"
	"ffffffff81000600 W unused_too\n"
	"ffffffff81000700 T _stext\n"
	"ffffffff81000800 T _etext\n"
	"ffffffffc0000000 t in_module\t[ext4]\n"
	"no symbol\n";

static void birth(struct tg *g, uint64_t time, uint64_t ptr, uint64_t site)
{
	tg_open(g, 0, time);
	TG_KMALLOC(g, 0, time, .ptr = PTR + ptr, .call_site = CODE + site, .bytes_req = 60,
		   .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
}

static void write_trace(void)
{
	struct tg *g = tg_new(NULL);

	tg_text(g, LT_BLOCK_SYMBOLS, symbols);
	birth(g, 1000, 0, 0x120);
	tg_kfree(g, 0, 1010, PTR, CODE + 0x130);
	tg_close(g, 0, 1020);
	birth(g, 1100, 64, 0x340);
	tg_close(g, 0, 1120);
	birth(g, 1200, 128, 0x500);
	tg_close(g, 0, 1220);
	birth(g, 1300, 192, 0x120);
	tg_finish(g, 2000);
	assert_int_equal(tg_write(g, test_path("symbols.lt"), 0), 0);
	tg_free(g);
}

/* The symbols of a window. */
static void expect_symbols(uint64_t from, uint64_t until, const char *expected)
{
	struct lt_trace *t = lt_trace_open(test_path("symbols.lt"));
	struct lt_writer *w = lt_writer_open(test_path("window.lt"), true);
	struct lt_cut cut = { .from = from, .until = until };
	struct lt_cutter *c = lt_cut_begin(t, &cut, 1);

	assert_non_null(t);
	assert_non_null(w);
	assert_non_null(c);
	assert_int_equal(lt_cut_n_parts(c), 1);
	assert_int_equal(lt_cut_next(c, w), 0);
	lt_cut_end(c);
	assert_int_equal(lt_writer_finish(w), 0);
	assert_int_equal(lt_writer_close(w), 0);
	lt_trace_close(t);
	t = lt_trace_open(test_path("window.lt"));
	assert_non_null(t);
	assert_string_equal(lt_trace_text(t, LT_BLOCK_SYMBOLS, 0), expected);
	lt_trace_close(t);
}

#define LOWEST	"ffffffff81000000 T first\n"
#define EARLY	"ffffffff81000100 T early\nffffffff81000100 T early_too\n"
#define MARK	"ffffffff81000280 d $x\n"
#define LIVES	"ffffffff81000300 T lives\n"
#define CALL	"ffffffff81000400 T before_call\nffffffff81000500 T behind_call\n"
#define REST	"ffffffff81000700 T _stext\nffffffff81000800 T _etext\n" \
		"ffffffffc0000000 t in_module\t[ext4]\nno symbol\n"

static void test_symbols(void **state)
{
	(void)state;
	write_trace();
	expect_symbols(0, 1050, LOWEST EARLY MARK REST);
	expect_symbols(0, 1150, LOWEST EARLY MARK LIVES REST);
	/* What lives was born before it. */
	expect_symbols(1150, 1250, LOWEST MARK LIVES CALL REST);
	expect_symbols(1250, UINT64_MAX, LOWEST EARLY MARK LIVES CALL REST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
