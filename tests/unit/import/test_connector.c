// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of the proc connector: recorded ones, losses by the numbers of a CPU, times that go
 * back, programs that threads execute, and bytes that are no such messages.
 */
#include "encodetest.h"
#include "import/connector.h"

#define FORK	1U
#define EXEC	2U
#define SID	0x80U
#define COMM	0x200U
#define EXIT	0x80000000U

/* A subscription that was answered, and sh -c 'exit 3', as Linux 6.18 on x86-64 reported it. */
static const char recorded[] =
	"4c0000000300000017e3020000000000010000000100000017e302004e000000280000000000000001000000"
	"1a42d486ae010000000000000000000000000000000000000000000000000000"
	"4c0000000300000018e3020000000000010000000100000018e3020000000000280000000100000001000000"
	"fdfad586ae010000551e0000551e0000931e0000931e00000000000000000000"
	"4c0000000300000019e3020000000000010000000100000019e3020000000000280000000200000001000000"
	"294dd986ae010000931e0000931e000000000000000000000000000000000000"
	"4c000000030000001ae302000000000001000000010000001ae3020000000000280000000000008001000000"
	"dcf3e186ae010000931e0000931e00000003000011000000551e0000551e0000";

struct fixture {
	struct et t;
	struct lt_import *im;
	struct lt_import_connector c;
};

static void begin(struct fixture *f)
{
	struct lt_import_source source;

	lt_import_connector_source(&source);
	source.machine = et_machine(false);
	et_init(&f->t);
	f->im = lt_import_new(&source, et_take, &f->t);
	lt_import_connector_init(&f->c, f->im);
}

static void end(struct fixture *f)
{
	lt_import_end(f->im);
	et_assert_conserved(&f->t);
}

static void done(struct fixture *f)
{
	lt_import_connector_destroy(&f->c);
	lt_import_free(f->im);
	et_free(&f->t);
}

struct message {
	uint32_t size, type_flags, nl_seq, nl_pid, idx, val, seq, ack;
	uint16_t len, flags;
	uint32_t what, cpu;
	uint64_t time;
	uint32_t data[6];
} __attribute__((packed));

static struct message message(uint32_t cpu, uint32_t seq, uint64_t time, uint32_t what)
{
	return (struct message){
		.size = sizeof(struct message), .type_flags = 3, .idx = 1, .val = 1, .seq = seq,
		.len = 40, .what = what, .cpu = cpu, .time = time,
	};
}

/* @n: of @data that are said */
static void put(struct fixture *f, uint32_t cpu, uint32_t seq, uint64_t time, uint32_t what,
		const uint32_t *data, size_t n)
{
	struct message m = message(cpu, seq, time, what);
	struct lt_why why;

	memcpy(m.data, data, n * sizeof(*data));
	assert_true(lt_import_connector_take(&f->c, &m, sizeof(m), &why));
}

#define PUT(f, cpu, seq, time, what, ...)					\
	put(f, cpu, seq, time, what, (const uint32_t[]){ __VA_ARGS__ },		\
	    sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

static size_t from_hex(const char *hex, uint8_t *bytes)
{
	size_t n = 0;
	unsigned int byte;

	for (; sscanf(hex, "%2x", &byte) == 1; hex += 2)
		bytes[n++] = (uint8_t)byte;
	return n;
}

static void real(void **state)
{
	uint8_t bytes[sizeof(recorded) / 2];
	size_t n = from_hex(recorded, bytes);
	struct lt_record r;
	struct fixture f;
	struct lt_why why;

	(void)state;
	begin(&f);
	f.c.asked = 77;
	assert_int_equal(n, 4 * LT_IMPORT_CONNECTOR_SIZE);
	assert_true(lt_import_connector_take(&f.c, bytes, n, &why));
	assert_true(f.c.answered);
	assert_int_equal(f.c.refused, 0);
	end(&f);
	et_expect(&f.t, LT_EV_TASK_NEW, &r);
	assert_int_equal(et_value(&f.t, &r, "tid"), 0x1e93);
	assert_int_equal(et_value(&f.t, &r, "tgid"), 0x1e93);
	assert_int_equal(et_value(&f.t, &r, "parent"), 0x1e55);
	assert_int_equal(et_value(&f.t, &r, "creator"), 0x1e55);
	et_expect(&f.t, LT_EV_EXEC, &r);
	assert_int_equal(et_value(&f.t, &r, "tid"), 0x1e93);
	et_expect(&f.t, LT_EV_EXIT, &r);
	assert_int_equal(et_value(&f.t, &r, "code"), 3 << 8);
	assert_int_equal(r.time, 0x1ae86e1f3dc);
	assert_int_equal(lt_import_counts(f.im).lost, 0);
	done(&f);
}

/* Another process has asked. */
static void answer_to_others(void **state)
{
	struct message m = message(0, 0, 10, 0);
	struct fixture f;
	struct lt_why why;

	(void)state;
	begin(&f);
	f.c.asked = 77;
	m.ack = 77;
	assert_true(lt_import_connector_take(&f.c, &m, sizeof(m), &why));
	assert_false(f.c.answered);
	m = message(0, 1, 11, 0);
	m.ack = 78;
	m.data[0] = 1;
	assert_true(lt_import_connector_take(&f.c, &m, sizeof(m), &why));
	assert_true(f.c.answered);
	assert_int_equal(f.c.refused, 1);
	done(&f);
}

/* Numbers of each CPU for itself; they begin anywhere, and go on behind the greatest one. */
static void losses(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	PUT(&f, 0, UINT32_MAX - 1, 100, EXIT, 5, 5, 0, 17);
	PUT(&f, 1, 7, 100, EXIT, 6, 6, 0, 17);
	PUT(&f, 0, UINT32_MAX, 110, SID, 5, 5);
	PUT(&f, 0, 0, 120, EXIT, 7, 7, 0, 17);
	assert_int_equal(lt_import_counts(f.im).places, 0);
	PUT(&f, 1, 11, 200, EXIT, 8, 8, 0, 17);
	assert_int_equal(lt_import_counts(f.im).places, 1);
	assert_int_equal(lt_import_counts(f.im).lost, 3);
	/* It goes back: so many cannot be missing. */
	PUT(&f, 1, 5, 210, EXIT, 9, 9, 0, 17);
	assert_int_equal(lt_import_counts(f.im).places, 2);
	assert_int_equal(lt_import_counts(f.im).unnumbered, 1);
	assert_int_equal(lt_import_counts(f.im).late, 0);
	end(&f);
	done(&f);
}

/* A message that was stamped before the one before it is no event that came late. */
static void stamps(void **state)
{
	struct fixture f;
	struct lt_record r;

	(void)state;
	begin(&f);
	PUT(&f, 0, 1, 1000, EXIT, 5, 5, 0, 17);
	PUT(&f, 0, 2, 900, EXIT, 6, 6, 0, 17);
	PUT(&f, 0, 3, 950, EXIT, 7, 7, 0, 17);
	assert_int_equal(f.c.stamped_late, 2);
	assert_int_equal(f.c.late_ns, 100);
	assert_int_equal(lt_import_counts(f.im).late, 0);
	end(&f);
	et_expect(&f.t, LT_EV_EXIT, &r);
	et_expect(&f.t, LT_EV_EXIT, &r);
	assert_int_equal(r.time, 1000);
	done(&f);
}

/* The last thread that is left takes the place of a leader that has exited. */
static void threads(void **state)
{
	struct fixture f;
	struct lt_record r;

	(void)state;
	begin(&f);
	PUT(&f, 0, 1, 100, FORK, 5, 5, 10, 10);
	PUT(&f, 0, 2, 110, FORK, 5, 5, 11, 10);
	PUT(&f, 0, 3, 120, FORK, 5, 5, 12, 10);
	PUT(&f, 0, 4, 130, EXIT, 11, 10, 0, 17);
	PUT(&f, 0, 5, 140, EXIT, 10, 10, 0, 17);
	PUT(&f, 0, 6, 150, EXEC, 10, 10);
	PUT(&f, 0, 7, 160, COMM, 10, 10, 0x656d616e, 0);
	PUT(&f, 0, 8, 170, EXIT, 10, 10, 0x100, 17);
	end(&f);
	et_expect(&f.t, LT_EV_TASK_NEW, &r);
	et_expect(&f.t, LT_EV_TASK_NEW, &r);
	assert_int_equal(et_value(&f.t, &r, "tid"), 11);
	assert_int_equal(et_value(&f.t, &r, "tgid"), 10);
	assert_int_equal(et_value(&f.t, &r, "parent"), 5);
	/* Any thread of the process may have made it. */
	assert_int_equal(et_value(&f.t, &r, "creator"), 0);
	et_expect(&f.t, LT_EV_EXEC, &r);
	assert_int_equal(et_value(&f.t, &r, "tid"), 10);
	assert_int_equal(et_value(&f.t, &r, "start"), 100);
	assert_int_equal(et_value(&f.t, &r, "old_tid"), 12);
	assert_int_equal(et_value(&f.t, &r, "old_start"), 120);
	et_expect(&f.t, LT_EV_RENAME, &r);
	et_assert_text(&r, "comm", "name");
	et_expect(&f.t, LT_EV_EXIT, &r);
	assert_int_equal(et_value(&f.t, &r, "start"), 100);
	assert_int_equal(et_value(&f.t, &r, "code"), 0x100);
	done(&f);
}

/* Where two are left it is not known which one it was. */
static void one_of_two(void **state)
{
	struct fixture f;
	struct lt_record r;

	(void)state;
	begin(&f);
	PUT(&f, 0, 1, 100, FORK, 5, 5, 10, 10);
	PUT(&f, 0, 2, 110, FORK, 5, 5, 11, 10);
	PUT(&f, 0, 3, 120, FORK, 5, 5, 12, 10);
	PUT(&f, 0, 4, 140, EXIT, 10, 10, 0, 17);
	PUT(&f, 0, 5, 150, EXEC, 10, 10);
	end(&f);
	et_expect(&f.t, LT_EV_EXEC, &r);
	assert_int_equal(et_value(&f.t, &r, "tid"), 10);
	assert_int_equal(et_value(&f.t, &r, "old_tid"), 10);
	done(&f);
}

static void refused(struct fixture *f, const void *bytes, size_t n, const char *reason)
{
	struct lt_why why = { "" };
	uint8_t *copy = malloc(n);

	memcpy(copy, bytes, n);
	assert_false(lt_import_connector_take(&f->c, copy, n, &why));
	assert_non_null(strstr(why.text, reason));
	free(copy);
}

static void others(void **state)
{
	struct message good = message(0, 0, 0, EXIT), m;
	struct fixture f;

	(void)state;
	begin(&f);
	for (size_t n = 1; n < sizeof(good); n++)
		refused(&f, &good, n, "of which");
	m = good;
	m.size = 75;
	refused(&f, &m, sizeof(m), "has 59 bytes, expected 60");
	m = good;
	m.type_flags = 2;
	refused(&f, &m, sizeof(m), "of type 2, expected 3");
	m = good;
	m.idx = 9;
	refused(&f, &m, sizeof(m), "connector 9.1, expected 40 of 1.1");
	m = good;
	m.len = 39;
	refused(&f, &m, sizeof(m), "39 bytes of connector");
	m = good;
	m.cpu = 8192;
	refused(&f, &m, sizeof(m), "of CPU 8192");
	assert_int_equal(f.c.messages, 0);
	done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real), cmocka_unit_test(answer_to_others), cmocka_unit_test(losses),
		cmocka_unit_test(stamps), cmocka_unit_test(threads), cmocka_unit_test(one_of_two),
		cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
