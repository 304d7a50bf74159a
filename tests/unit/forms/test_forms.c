// SPDX-License-Identifier: GPL-2.0
/*
 * Rows in every form. tests/answers has what a user gets read by sqlite3 and by Python.
 */
#include <fcntl.h>
#include <unistd.h>

#include "base/json.h"
#include "forms/columns.h"
#include "forms/screen.h"
#include "testlib.h"

struct row {
	const char *name;	/* NULL: not known */
	size_t len;
	uint64_t bytes;
	uint64_t address;
	double rate;
	bool over;
};

#define ROW(C, G)	\
	G(name, "name", "call site", TEXT, A, if (r->name) lt_value_text(v, r->name, r->len), "its name")	\
	C(bytes, "size_bytes", "size", BYTES, A, true, r->bytes, "its size")	\
	C(address, "address", "address", HEX, A, true, r->address, "where it is")	\
	C(rate, "rate_per_s", "per s", RATE, A, true, r->rate, "how often")	\
	C(good, "good", "good", BOOL, A, true, r->bytes > 1, "whether it is good")	\
	C(change, "change", "change", CHANGE, A, true, r->rate, "how much more")	\
	G(life, "life_ns", "life", NS, A, lt_value_u(v, r->over ? LT_VALUE_OVER_NS : LT_VALUE_NS, 7),	\
	  "how long it lived")	\
	C(file, "file", "file", TEXT, A | LT_COLUMN_IF_LINES, true, "f.c", "source file")	\
	C(label, "label", "label", TEXT, S, true, "x", "for people")

#define GETTER(id, name, head, TYPE, marks, known, value, meaning)	\
	LT_ROW_GETTER(id, struct row, r, void, ctx, TYPE, known, value)
#define FILLER(id, name, head, TYPE, marks, call, meaning)	\
	LT_ROW_FILLER(id, struct row, r, void, ctx, v, call)

ROW(GETTER, FILLER)
static const struct lt_column thing_columns[] = { ROW(LT_SCREEN_COLUMN, LT_SCREEN_FILLED) };
static LT_SCREEN_KIND(thing, "thing", "label,size_bytes", "a thing");

static const struct row rows[] = {
	{ .name = "a", .len = 1, .bytes = 4096, .address = UINT64_MAX, .rate = 1.5 },
	{ .name = "it's \"q\",\t\\\n\xff\0z", .len = 15, .bytes = 1, .rate = -0.25, .over = true },
	{ .bytes = UINT64_MAX },
};

/* What a form makes of the rows. */
static const char *made(enum lt_format format, const char *names, size_t *len)
{
	static char text[8192];
	int fd = open(test_path("out"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct lt_out out = LT_OUT_INIT(fd);
	struct lt_table t = { .out = &out, .format = format };
	ssize_t n;

	assert_true(fd >= 0);
	lt_table_columns(&t, &lt_rows_of_thing, 0, names);
	lt_table_begin(&t);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		lt_table_row(&t, &rows[i]);
	lt_table_note(&t, "a note");
	lt_table_end(&t);
	assert_int_equal(lt_out_close(&out), 0);
	n = pread(fd, text, sizeof(text) - 1, 0);
	assert_true(n > 0);
	text[n] = 0;
	close(fd);
	if (len)
		*len = (size_t)n;
	return text;
}

/* Also where nothing resolves values. */
static void test_secret(void **state)
{
	static const struct lt_column column = {
		.name = "address", .header = "", .type = LT_VALUE_HEX,
		.marks = LT_COLUMN_LINES | LT_COLUMN_SECRET, .get = get_address,
	};
	static const struct lt_row_kind kind = { .name = "secret", .columns = &column, .n = 1 };
	struct lt_row_ctx ctx = { .addresses = false };
	struct lt_out out = LT_OUT_INIT(-1);
	struct lt_table t = { .out = &out, .format = LT_FORMAT_CSV, .ctx = &ctx };

	(void)state;
	lt_table_columns(&t, &kind, 0, NULL);
	lt_table_begin(&t);
	lt_table_row(&t, &rows[0]);
	ctx.addresses = true;
	lt_table_row(&t, &rows[0]);
	lt_table_end(&t);
	lt_out_char(&out, 0);
	assert_string_equal(out.buf, "address\n\n0xffffffffffffffff\n");
	free(out.buf);
}

static void test_csv(void **state)
{
	(void)state;
	assert_string_equal(made(LT_FORMAT_CSV, NULL, NULL),
			    "name,size_bytes,address,rate_per_s,good,change,life_ns\n"
			    "a,4096,0xffffffffffffffff,1.500,1,1.5,7\n"
			    "\"it's \"\"q\"\",\\x09\\\\\\x0a\\xff\\x00z\",1,0x0,-0.250,0,-0.25,\n"
			    ",18446744073709551615,0x0,0.000,1,0,7\n");
}

static void test_json(void **state)
{
	(void)state;
	assert_string_equal(made(LT_FORMAT_JSON, "address,name,good,life", NULL),
			    "{\"address\":\"0xffffffffffffffff\",\"name\":\"a\",\"good\":true,"
			    "\"life_ns\":7}\n"
			    "{\"address\":\"0x0\",\"name\":\"it's \\\"q\\\",\\u0009\\\\\\\\\\u000a"
			    "\\\\xff\\u0000z\",\"good\":false,\"life_ns\":null}\n"
			    "{\"address\":\"0x0\",\"name\":null,\"good\":true,\"life_ns\":7}\n");
}

/* Rows as an array of an object, and as lines beside it. */
static void test_array(void **state)
{
	for (int lines = 0; lines < 2; lines++) {
		int fd = open(test_path("out"), O_RDWR | O_CREAT | O_TRUNC, 0600);
		struct lt_out out = LT_OUT_INIT(fd);
		struct lt_json j = LT_JSON_INIT(&out);
		struct lt_table t = {
			.out = &out, .format = lines ? LT_FORMAT_JSONL : LT_FORMAT_JSON, .json = &j,
			.leave_out = true,
		};
		char text[256] = "";

		(void)state;
		lt_table_columns(&t, &lt_rows_of_thing, 0, "name,good");
		if (!lines) {
			lt_json_object(&j, NULL);
			lt_json_array(&j, "rows");
		}
		lt_table_begin(&t);
		lt_table_row(&t, &rows[0]);
		lt_table_row(&t, &rows[2]);
		lt_table_end(&t);
		if (!lines)
			lt_json_line(&j);
		assert_int_equal(lt_out_close(&out), 0);
		assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
		assert_string_equal(text, lines ?
				    "{\"name\":\"a\",\"good\":true}\n{\"good\":true}\n" :
				    "{\"rows\":[\n{\"name\":\"a\",\"good\":true},\n{\"good\":true}]}\n");
		close(fd);
	}
}

/* For people the texts of a list stand in one line. */
static void test_list(void **state)
{
	struct lt_value v = { 0 };
	char cell[LT_VALUE_CELL];

	(void)state;
	lt_value_str(&v, LT_VALUE_LIST, "inner\nouter\x1b");
	lt_value_human(&v, cell);
	assert_string_equal(cell, "inner < outer\\x1b");
}

static void test_sql(void **state)
{
	(void)state;
	assert_string_equal(made(LT_FORMAT_SQL, "name,size,rate,address", NULL),
			    "BEGIN;\n"
			    "CREATE TABLE \"thing\" (\"name\" TEXT, \"size_bytes\" BIGINT, "
			    "\"rate_per_s\" DOUBLE PRECISION, \"address\" TEXT);\n"
			    "INSERT INTO \"thing\" VALUES ('a', 4096, 1.500, '0xffffffffffffffff');\n"
			    "INSERT INTO \"thing\" VALUES ('it''s \"q\",\\x09\\\\\\x0a\\xff\\x00z', 1, "
			    "-0.250, '0x0');\n"
			    "INSERT INTO \"thing\" VALUES (NULL, 9223372036854775807, 0.000, '0x0');\n"
			    "COMMIT;\n");
}

static void test_tsv(void **state)
{
	static const char expected[] = "name\tlife_ns\na\t7\nit's \"q\",\\t\\\\\\n\xff\0z\t\\N\n\\N\t7\n";
	size_t len;
	const char *text = made(LT_FORMAT_TSV, "name,life", &len);

	(void)state;
	assert_int_equal(len, sizeof(expected) - 1);
	assert_memory_equal(text, expected, len);
}

static void test_parquet(void **state)
{
	size_t len;
	const char *file = made(LT_FORMAT_PARQUET, NULL, &len);

	(void)state;
	assert_memory_equal(file, "PAR1", 4);
	assert_memory_equal(file + len - 4, "PAR1", 4);
}

static void test_text(void **state)
{
	(void)state;
	assert_string_equal(made(LT_FORMAT_TEXT, NULL, NULL),
			    "label      size\nx       4.0 KiB\nx           1 B\n"
			    "x      16.0 EiB\n  a note\n");
	assert_string_equal(made(LT_FORMAT_TEXT, "good,life,change", NULL),
			    "good    life  change\n yes    7 ns   +1.50\n  no  > 7 ns   -0.25\n"
			    " yes    7 ns       0\n  a note\n");
}

static void test_choice(void **state)
{
	(void)state;
	assert_true(lt_columns_check(&lt_rows_of_thing, 0, "size,name"));
	assert_true(lt_columns_check(&lt_rows_of_thing, LT_COLUMN_IF_LINES, "file"));
	test_stderr_begin();
	assert_false(lt_columns_check(&lt_rows_of_thing, 0, "size,nam"));
	assert_non_null(strstr(test_stderr_end(), "there is no column 'nam'; did you mean 'name'?"));
	test_stderr_begin();
	assert_false(lt_columns_check(&lt_rows_of_thing, 0, "file"));
	assert_non_null(strstr(test_stderr_end(), "a column 'file' only with --lines"));
	test_stderr_begin();
	assert_false(lt_columns_check(&lt_rows_of_thing, 0, "size,size_bytes"));
	assert_non_null(strstr(test_stderr_end(), "'size_bytes' stands there twice"));
	test_stderr_begin();
	assert_false(lt_columns_check(&lt_rows_of_thing, 0, ""));
	assert_non_null(strstr(test_stderr_end(), "there is no column ''"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_secret), cmocka_unit_test(test_csv), cmocka_unit_test(test_json), cmocka_unit_test(test_array),
		cmocka_unit_test(test_list), cmocka_unit_test(test_sql), cmocka_unit_test(test_tsv), cmocka_unit_test(test_parquet),
		cmocka_unit_test(test_text), cmocka_unit_test(test_choice),
	};

	return cmocka_run_group_tests_name("forms", tests, NULL, NULL);
}
