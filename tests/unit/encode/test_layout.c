// SPDX-License-Identifier: GPL-2.0
/*
 * Records for a trace of another version, whose schema has them shorter, longer or otherwise: the
 * reader's decoder reads them by that schema, or they are refused.
 */
#include "base/str.h"
#include "encode/texts.h"
#include "encodetest.h"

#define SITE		"event 1 24 site - 24 "
#define STACK		"field stack u16 stack 22 "
#define CALLER		"field call_site u32 code 2 "

struct run {
	struct lt_encoder e;
	struct et t;
};

/* Writes @to where the text has @from, once, up to the end of a line if @to ends with one. */
static char *change(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from), *rest;
	struct lt_str s = { .n = 0 };

	assert_non_null(at);
	assert_null(strstr(at + 1, from));
	rest = at + strlen(from);
	if (!*to || to[strlen(to) - 1] == '\n')
		rest = strchr(rest, '\n') + 1;
	lt_str_add(&s, "%.*s%s%s", (int)(at - text), text, to, rest);
	return s.s;
}

/* The text without the lines of an event and its fields. */
static char *without(char *text, const char *event)
{
	char *at = strstr(text, event), *rest;
	struct lt_str s = { .n = 0 };

	assert_non_null(at);
	rest = strchr(at, '\n') + 1;
	while (!strncmp(rest, "field ", 6))
		rest = strchr(rest, '\n') + 1;
	lt_str_add(&s, "%.*s%s", (int)(at - text), text, rest);
	free(text);
	return s.s;
}

/* A trace with the schema of this version, but for two changes in the event "site", of one form. */
static void open_run(struct run *r, bool big, const char *size, const char *from, const char *to)
{
	struct lt_encode_machine machine = et_machine(big);
	struct lt_str text = { .n = 0 };
	char *whole, *event, *field;

	et_init(&r->t);
	lt_encode_schema(&text, 0, NULL, 0);
	whole = without(without(text.s, "event 1 52 site "), "event 1 53 site ");
	event = change(whole, SITE, size);
	field = change(event, from, to);
	lt_schema_free(r->t.schema);
	r->t.schema = lt_schema_parse(field, "the test");
	assert_non_null(r->t.schema);
	machine.schema = r->t.schema;
	lt_encoder_init(&r->e, &machine, LT_CHANNEL_KMEM, 0, LT_ENCODE_MIN_PACKET, et_take, &r->t);
	free(field);
	free(event);
	free(whole);
}

static void close_run(struct run *r)
{
	lt_encoder_destroy(&r->e);
	et_free(&r->t);
}

static void allocate(struct run *r, const struct lt_encode_stack *stack)
{
	lt_encode_object(&r->e, 1000, LT_CTX_TASK, &(struct lt_encode_object){
			 .class = LT_CLASS_KMALLOC, .ptr = PTR + 64, .node = -1, .bytes_req = 60,
			 .bytes_alloc = 64, .gfp = 0xcc0, .call_site = TEXT + 64, .stack = stack });
	lt_encode_end(&r->e, 1000);
}

static void assert_read(struct run *r)
{
	struct lt_record rec, task = { 0 };
	struct lt_event ev;

	assert_int_equal(r->e.refused, 0);
	assert_true(et_next_event(&r->t, &rec, &task));
	lt_decode(et_packet(&r->t), &rec, &ev);
	assert_int_equal(ev.ptr, PTR + 64);
	assert_int_equal(ev.call_site, TEXT + 64);
	assert_int_equal(ev.bytes_req, 60);
	assert_int_equal(ev.bytes_alloc, 64);
	assert_int_equal(ev.gfp, 0xcc0);
	assert_int_equal(ev.node, -1);
	assert_false(et_next_event(&r->t, &rec, &task));
}

static void test_shorter(void **state)
{
	(void)state;
	for (unsigned int big = 0; big < 2; big++) {
		struct run r;

		open_run(&r, big, "event 1 24 site - 22 ", STACK, "");
		allocate(&r, NULL);
		assert_read(&r);
		close_run(&r);
	}
}

/* What the trace has no field for is not left out in silence. */
static void test_no_field(void **state)
{
	const uint64_t frames[] = { TEXT + 64, TEXT + 128 };
	const struct lt_encode_stack stack = { .n = 2, .frames = frames };
	struct run r;

	(void)state;
	open_run(&r, false, "event 1 24 site - 22 ", STACK, "");
	allocate(&r, &stack);
	assert_int_equal(r.e.refused, LT_EV_SITE);
	close_run(&r);
}

static void test_longer(void **state)
{
	struct run r;

	(void)state;
	open_run(&r, false, "event 1 24 site - 28 ", STACK,
		 "field stack u16 stack 22 text\nfield more u32 num 24 text\n");
	allocate(&r, NULL);
	assert_read(&r);
	close_run(&r);
}

static void test_moved(void **state)
{
	struct run r;

	(void)state;
	open_run(&r, false, "event 1 24 site - 28 ", CALLER, "field call_site u32 code 24 text\n");
	allocate(&r, NULL);
	assert_int_equal(r.e.refused, LT_EV_SITE);
	close_run(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shorter), cmocka_unit_test(test_no_field),
		cmocka_unit_test(test_longer), cmocka_unit_test(test_moved),
	};

	return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
