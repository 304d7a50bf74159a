// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers: what their text means, what is refused, and when a condition that lasts fires.
 */
#include "base/buf.h"
#include "flight/marker.h"
#include "flight/trigger.h"
#include "testlib.h"
#include "tracegen.h"

static const struct {
	const char *text;
	enum lt_trigger_kind kind;
	double limit;
} good[] = {
	{ "marker:warm", LT_ON_MARKER, 0 },
	{ "marker:*", LT_ON_MARKER, 0 },
	{ "alloc_failed", LT_ON_FAILED, 0 },
	{ "events>100000/s", LT_ON_EVENTS, 100000 },
	{ "events > 1e6 / s", LT_ON_EVENTS, 1e6 },
	{ "loss>0", LT_ON_LOSS, 0 },
	{ "loss>100/s", LT_ON_LOSS, 100 },
	{ "live_bytes{cache=\"dentry\"}>2MiB", LT_ON_LIVE, 2 << 20 },
	{ "live{site=~\"getname.*\",comm=\"cat\"} >= 1000", LT_ON_LIVE, 1000 },
	{ "live_bytes{cgroup=\"/a.slice\"}>1G", LT_ON_LIVE, 1 << 30 },
	{ "mem_available<200M", LT_ON_AVAILABLE, 200 << 20 },
	{ "slab > 1G", LT_ON_SLAB, 1 << 30 },
	{ "pressure>15%", LT_ON_PRESSURE, 15 },
	{ "oom", LT_ON_OOM, 0 },
	{ "hung_task", LT_ON_HUNG, 0 },
	{ "oops", LT_ON_OOPS, 0 },
};

static const struct {
	const char *text;
	const char *said;
} bad[] = {
	{ "", "there is no trigger ''" },
	{ "marker:", "expected the text of the marker" },
	{ "oops2", "did you mean 'oops'" },
	{ "maker:x", "did you mean 'marker'" },
	{ "event>5/s", "did you mean 'events'" },
	{ "events", "events>100000/s" },
	{ "events<5/s", "events>100000/s" },
	{ "events>5/min", "events>100000/s" },
	{ "loss>x", "loss>100000/s" },
	{ "oom>5", "expected 'oom' alone" },
	{ "pressure>15", "pressure>15%" },
	{ "pressure>100%", "pressure>15%" },
	{ "slab>1Q", "slab>200M" },
	{ "mem_available>1G", "mem_available<200M" },
	{ "live_bytes{cache=\"x\"}<5", "only live_bytes and live" },
	{ "live_bytes>base", "only live_bytes and live" },
	{ "live_bytes>5%", "only live_bytes and live" },
	{ "live / s > 5", "only live_bytes and live" },
	{ "live>5; live>6", "only live_bytes and live" },
	{ "live_bytes{cache=dentry}>5", "double quotes" },
	{ "live_bits>5", "live_bytes" },
};

static void test_text(void **state)
{
	struct lt_triggers t = { .n = 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(lt_trigger_add(&t, good[i].text), 0);
		assert_int_equal(t.list[i].kind, good[i].kind);
		assert_true(t.list[i].limit == good[i].limit);
		assert_string_equal(t.list[i].text, good[i].text);
	}
	assert_string_equal(t.list[0].pattern, "warm");
	assert_true(lt_triggers_have(&t, LT_ON_OOPS));
	lt_triggers_free(&t);
	assert_false(lt_triggers_have(&t, LT_ON_OOPS));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *said;

		test_stderr_begin();
		assert_int_equal(lt_trigger_add(&t, bad[i].text), -1);
		said = test_stderr_end();
		if (!strstr(said, bad[i].said))
			fail_msg("'%s': %s", bad[i].text, said);
	}
	assert_int_equal(t.n, 0);
	for (unsigned int i = 0; i < LT_TRIGGERS; i++)
		assert_int_equal(lt_trigger_add(&t, "oom"), 0);
	assert_int_equal(lt_trigger_add(&t, "oom"), -1);
	lt_triggers_free(&t);
}

static void test_begins(void **state)
{
	static const bool holds[] = { 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1 };
	static const bool ready[] = { 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1 };
	static const bool fires[] = { 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
	uint64_t missed = 0;
	struct lt_triggers t = { .n = 0 };

	(void)state;
	assert_int_equal(lt_trigger_add(&t, "mem_available<100"), 0);
	assert_true(lt_trigger_exceeds(&t.list[0], 99));
	assert_false(lt_trigger_exceeds(&t.list[0], 100));
	for (size_t i = 0; i < sizeof(holds); i++)
		assert_int_equal(lt_trigger_begins(&t.list[0], holds[i], ready[i], &missed),
				 fires[i]);
	assert_int_equal(missed, 2);
	assert_int_equal(lt_trigger_add(&t, "live>=5"), 0);
	assert_true(lt_trigger_exceeds(&t.list[1], 5));
	assert_int_equal(lt_trigger_add(&t, "live>5"), 0);
	assert_false(lt_trigger_exceeds(&t.list[2], 5));
	lt_triggers_free(&t);
}

/* Records as kernels wrote them; the last ones are of programs, or say something else. */
static void test_log(void **state)
{
	static const struct {
		const char *record;
		enum lt_trigger_kind kind;
	} records[] = {
		{ "3,812,9182736,-;Out of memory: Killed process 211 (hog) total-vm:9k\n",
		  LT_ON_OOM },
		{ "3,812,9182736,-;Memory cgroup out of memory: Killed process 211 (hog)",
		  LT_ON_OOM },
		{ "3,9,1,-;INFO: task sync:88 blocked for more than 122 seconds.",
		  LT_ON_HUNG },
		{ "1,9,1,-;BUG: kernel NULL pointer dereference, address: 0", LT_ON_OOPS },
		{ "4,9,1,c;Oops: 0002 [#1] PREEMPT SMP NOPTI", LT_ON_OOPS },
		{ "0,9,1,-;Kernel panic - not syncing: Fatal exception", LT_ON_OOPS },
		{ "4,9,1,-;hog invoked oom-killer: gfp_mask=0xcc0", LT_N_ON },
		{ "11,9,1,-;Out of memory: Killed process 211 (hog)", LT_N_ON },
		{ "12,9,1,-;Oops: 0002", LT_N_ON },
		{ "4,9,1,-;hello blocked for more than you", LT_N_ON },
		{ "4,9,1,-;he said Oops: ", LT_N_ON },
		{ "1,9,1,-;Unable to handle kernel paging request at virtual address 8", LT_ON_OOPS },
		{ "0,9,1,-;Internal error: Oops: 96000006 [#1] SMP", LT_ON_OOPS },
		{ "4,9,1,-;general protection fault, probably for non-canonical address 0x1: 0 [#1]",
		  LT_ON_OOPS },
		/* Programs that have named themselves so, and their files. */
		{ "6,9,1,-;Oops: [123]: segfault at 0 ip 0 sp 0 error 4 in a[400000+1000]", LT_N_ON },
		{ "6,9,1,-;Oops: 0002 [#1][123]: segfault at 0 ip 0 sp 0", LT_N_ON },
		{ "4,9,1,-;kernel BUG at x[77] vsyscall attempted with vsyscall=none", LT_N_ON },
		{ "6,9,1,-;INFO: task x[9]: segfault at 0 in a blocked for more than b[4+1]", LT_N_ON },
		{ "6,9,1,-;Oops:  uses obsolete (PF_INET,SOCK_PACKET)", LT_N_ON },
		{ "", LT_N_ON },
		{ ";Oops: ", LT_N_ON },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		assert_int_equal(lt_trigger_of_log(records[i].record), records[i].kind);
}

static void test_meminfo(void **state)
{
	static const char text[] = "MemTotal:     1000 kB\nMemAvailable:  500 kB\nSlab:    7 kB\n";
	uint64_t n;

	(void)state;
	assert_true(lt_meminfo_bytes(text, "MemAvailable", &n));
	assert_int_equal(n, 500 * 1024);
	assert_true(lt_meminfo_bytes(text, "Slab", &n));
	assert_int_equal(n, 7 * 1024);
	assert_false(lt_meminfo_bytes(text, "Mem", &n));
	assert_false(lt_meminfo_bytes("Slab", "Slab", &n));
}

static void take(void *arg, const char *text, uint64_t clock)
{
	char *all = arg;

	sprintf(all + strlen(all), "%s@%llu ", text, (unsigned long long)clock);
}

static void test_markers(void **state)
{
	struct tg *g = tg_new(&(struct tg_options){ .brief = true });
	struct lt_schema *schema = lt_schema_parse(tg_schema_text(g), "test");
	struct tg_packet *list;
	char found[200] = "";
	struct lt_packet p;
	struct lt_why why;
	uint8_t *data;
	size_t n;

	(void)state;
	TG_KMALLOC(g, 0, 1000, .ptr = 0xffff888000001000, .call_site = 0xffffffff81000100,
		   .bytes_req = 60, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	tg_marker(g, 0, 1500, "one");
	tg_kfree(g, 0, 2000, 0xffff888000001000, 0xffffffff81000200);
	tg_marker(g, 0, 2500, "two words");
	tg_finish(g, 3000);
	list = tg_packets(g, &n);
	data = calloc(1, list[0].size + LT_SLACK);
	memcpy(data, list[0].data, list[0].size);
	assert_int_equal(lt_packet_parse(&p, data, list[0].size, &why), 0);
	lt_packet_markers(&p, schema, take, found);
	assert_string_equal(found, "one@1500 two words@2500 ");
	free(data);
	lt_schema_free(schema);
	tg_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_begins),
		cmocka_unit_test(test_log),
		cmocka_unit_test(test_meminfo),
		cmocka_unit_test(test_markers),
	};

	return cmocka_run_group_tests_name("trigger", tests, NULL, NULL);
}
