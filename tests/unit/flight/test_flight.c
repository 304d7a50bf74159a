// SPDX-License-Identifier: GPL-2.0
/*
 * The flight recorder on a directory that looks like the module's: requests, signals, markers, what
 * comes too soon, and who may ask for a snapshot.
 */
#include <sys/socket.h>
#include <sys/un.h>

#include "flighttest.h"
#include "lifetimes/read.h"
#include "print/parts.h"
#include "print/snapshot.h"

static void test_request(void **state)
{
	struct lt_flight_options o = { .interval_ns = 1000000000ULL * 60, .after_ns = 100 * MS };
	const char *said;
	char path[500], *part;

	(void)state;
	make_module(RECORDING, "");
	assert_int_equal(fly(&o, "", "..rbbs.q", 60000, &said), 0);
	snprintf(path, sizeof(path), "%s.000001.lt", prefix);
	assert_non_null(strstr(said, path));
	assert_non_null(strstr(said, "(command why not)"));
	assert_non_null(strstr(said, "snapshots: 1; triggers that caused none: 3"));
	check_file(path, EVENTS);
	part = part_of(path);
	assert_non_null(strstr(part, "\ntrigger=command why not\n"));
	assert_non_null(strstr(part, "\nflight=1\n"));
	assert_non_null(strstr(part, "\ntrigger_clock=999999\n"));
	free(part);
	/* The socket is gone with the recorder; the next one's numbers go on. */
	assert_int_equal(access(control, F_OK), -1);
	make_module(RECORDING, "");
	assert_int_equal(fly(&o, "", "..s...q", 60000, &said), 0);
	snprintf(path, sizeof(path), "%s.000002.lt", prefix);
	assert_non_null(strstr(said, path));
	part = part_of(path);
	assert_non_null(strstr(part, "\ntrigger=signal\n"));
	free(part);
	unlink(path);
}

/* What is asked for while a snapshot is about to be made is answered by that one. */
static void test_missed(void **state)
{
	struct lt_flight_options o = { .after_ns = 4000 * MS, .max_snapshots = 1 };
	char path[500], *part;
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	assert_int_equal(fly(&o, "", "ssr", 20000, &said), 0);
	assert_non_null(strstr(said, "enough was seen"));
	snprintf(path, sizeof(path), "%s.000002.lt", prefix);
	part = part_of(path);
	assert_non_null(strstr(part, "\ntrigger=signal\nalso=signal\nalso=command why not\n"));
	assert_non_null(strstr(part, "\ntriggers_missed=2\n"));
	free(part);
	unlink(path);
}

/* Births from 1000 up to @end, one each 2 ns; every other object is freed 1500 ns later. */
static void put_births(uint64_t end)
{
	struct tg *g = tg_new(&(struct tg_options){ .subbuf_size = 2048, .kmem_only = true });

	for (uint64_t time = 1000, n = 0; time < end; time += 2, n++) {
		TG_KMALLOC(g, 0, time, .ptr = PTR + n * 64, .call_site = 0xffffffff81000100,
			   .bytes_req = 60, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
		if (time >= 2500 && n % 2)
			tg_kfree(g, 1, time + 1, PTR + (n - 750) * 64, 0xffffffff81000200);
	}
	tg_close(g, 0, end);
	tg_close(g, 1, end);
	put_cpu(g, LT_CHANNEL_KMEM, 0, "");
	put_cpu(g, LT_CHANNEL_KMEM, 1, "");
	put_text("stats", "state recording\n");
	put_text("events", "kfree\ttracepoint\twatched\t-\n");
	tg_free(g);
}

struct sums {
	uint64_t cut;
	uint64_t exact_before;
	uint64_t exact;
	uint64_t open;
	uint64_t other;
};

static void add_life(void *arg, const struct lt_lifetime *l)
{
	struct sums *s = arg;

	if (l->certainty == LT_EXACT && l->birth.time < s->cut)
		s->exact_before++;
	else if (l->certainty == LT_EXACT)
		s->exact++;
	else if (l->certainty == LT_OPEN)
		s->open++;
	else
		s->other++;
}

/*
 * The window has moved on when it is written: the file has what was alive, so that lifetimes that
 * began before are exact, and what had ended by then is not in it.
 */
static void test_cut(void **state)
{
	struct lt_flight_options o = { .after_ns = 100 * MS, .max_snapshots = 1, .zstd = true };
	struct lt_lifetime_ops ops = { .ended = add_life };
	struct sums sums = { .cut = 3000 };
	char path[500], *part;
	const char *said;
	struct lt_trace *t;

	(void)state;
	make_module(RECORDING, "");
	put_births(4000);
	put_text("enable", "recording\nflushed 3000\n");
	window_ns = 1000;
	assert_int_equal(fly(&o, "", "efs", 60000, &said), 0);
	window_ns = 1000 * MS;
	assert_non_null(strstr(said, "snapshots: 1"));
	snprintf(path, sizeof(path), "%s", strstr(said, "snapshot: ") + 10);
	path[strcspn(path, " ")] = 0;
	part = part_of(path);
	assert_non_null(strstr(part, "\ncut=3000\n"));
	free(part);
	t = lt_trace_open(path);
	assert_int_equal(lt_trace_begin(t), 3000);
	assert_int_equal(lt_trace_end(t), 4000);
	ops.arg = &sums;
	lt_lifetimes_read(t, &ops);
	lt_trace_close(t);
	/* 250 of 500 frees come behind the cut; of 1500 births 125 were freed before it. */
	assert_int_equal(sums.exact_before, 250);
	assert_int_equal(sums.open, 1125);
	assert_int_equal(sums.exact + sums.other, 0);
	unlink(path);
}

/* What lifetrace info prints of a file. */
static char *info_of(const char *path, bool json)
{
	const char *const file = test_path("info");
	int fd = open(file, O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct lt_trace *t = lt_trace_open(path);
	struct lt_out out = LT_OUT_INIT(fd);
	struct lt_times times;
	char *text;

	assert_non_null(t);
	assert_int_equal(lt_times_init(&times, LT_TIMES_CLOCK, t), 0);
	if (json) {
		struct lt_json j = LT_JSON_INIT(&out);

		lt_json_object(&j, NULL);
		lt_parts_json(&j, t, &times);
		lt_snapshot_json(&j, t, &times);
		lt_json_end(&j);
	} else {
		lt_parts_text(&out, t, &times);
		lt_snapshot_text(&out, t, &times);
	}
	assert_int_equal(lt_out_close(&out), 0);
	lt_trace_close(t);
	close(fd);
	text = lt_read_text_file(file, 1 << 20, NULL);
	assert_non_null(text);
	return text;
}

/*
 * What the session watches is reported by the module, with its time; what was before is not. The
 * file is no part of a longer trace, before or behind which something were missing.
 */
static void test_reported(void **state)
{
	struct lt_flight_options o = { .after_ns = 100 * MS, .max_snapshots = 1 };
	char path[500], *text;
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	put_text("events", "oom_kill\ttracepoint\twatched\t-\noops\tnotifier\twatched\t-\n"
		 "panic\tnotifier\twatched\t-\n");
	put_text("trigger", "count 1\nwoken 1\n1 100 oom_kill 7 before\n");
	assert_int_equal(fly(&o, "oom", ".....k", 20000, &said), 0);
	assert_non_null(strstr(said, "snapshots: 1"));
	snprintf(path, sizeof(path), "%s", strstr(said, "snapshot: ") + 10);
	path[strcspn(path, " ")] = 0;
	text = part_of(path);
	assert_non_null(strstr(text, "\ntrigger=oom: oom_kill 42 hog\nalso=user look at it\n"
			       "trigger_clock=2500\n"));
	assert_null(strstr(text, "oops"));
	free(text);
	text = info_of(path, false);
	assert_non_null(strstr(text, "  trigger           oom: oom_kill 42 hog\n"));
	assert_non_null(strstr(text, "  triggered at [s]  0.000002\n"));
	assert_null(strstr(text, "missing"));
	free(text);
	text = info_of(path, true);
	assert_non_null(strstr(text, "\"snapshot\":{\"trigger\":\"oom: oom_kill 42 hog\","
			       "\"trigger_ns\":2500,"));
	assert_non_null(strstr(text, "\"also\":[\"user look at it\"]}"));
	assert_null(strstr(text, "parts"));
	free(text);
	unlink(path);
}

/* So that one read gives all that a CPU has. */
static void make_packets_large(void)
{
	char path[400], *info, *at, *larger;

	snprintf(path, sizeof(path), "%s/info", module_dir);
	info = lt_read_text_file(path, 1 << 20, NULL);
	at = strstr(info, "\nsubbuf_size=");
	assert_non_null(at);
	*at++ = 0;
	larger = lt_format("%s\nsubbuf_size=8388608%s", info, at + strcspn(at, "\n"));
	put_text("info", larger);
	free(larger);
	free(info);
}

/* Neither too little memory nor a shorter window goes without a word; the file is right. */
static void test_memory(void **state)
{
	struct lt_flight_options o = { .max_snapshots = 1, .memory = 4 << 20 };
	struct lt_lifetime_ops ops = { .ended = add_life };
	const uint64_t end = 1000 + 2 * 300000;
	char path[500], *part;
	struct sums sums = { 0 };
	const char *said;
	struct lt_trace *t;

	(void)state;
	make_module(RECORDING, "");
	make_packets_large();
	put_births(end);
	put_text("enable", "recording\nflushed 600000\n");
	assert_int_equal(fly(&o, "", "EFs", 60000, &said), 0);
	assert_non_null(strstr(said, "need"));
	assert_non_null(strstr(said, "of packets now, not the whole window"));
	snprintf(path, sizeof(path), "%s", strstr(said, "snapshot: ") + 10);
	path[strcspn(path, " ")] = 0;
	part = part_of(path);
	assert_non_null(strstr(part, "\nwindow_short=1\n"));
	assert_non_null(strstr(part, "\ncut="));
	sums.cut = strtoull(strstr(part, "\ncut=") + 5, NULL, 10);
	free(part);
	t = lt_trace_open(path);
	ops.arg = &sums;
	lt_lifetimes_read(t, &ops);
	lt_trace_close(t);
	/* Of the objects with odd numbers all were freed but the last 375. */
	assert_true(sums.exact_before > 0);
	assert_int_equal(sums.other, 0);
	assert_int_equal(sums.open, 150000 + 375);
	unlink(path);
}

/* Losses, rates and what is alive fire once where they last. */
static void test_conditions(void **state)
{
	static const char *const triggers[] = { "mem_available<9999G", "slab>1K" };
	const char *said;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct lt_flight_options o = { .max_snapshots = 2 };

		make_module(RECORDING, "");
		assert_int_equal(fly(&o, triggers[i], "", 3500, &said), 0);
		assert_non_null(strstr(said, "snapshots: 1\n"));
		assert_non_null(strstr(said, triggers[i]));
	}
}

/* The packets of CPU 0 but for the first one come later: with losses, and many events. */
static void put_in_two(void)
{
	struct tg *g = tg_new(&(struct tg_options){ .subbuf_size = 4096, .kmem_only = true });
	struct tg_packet *p;
	size_t n;
	FILE *f;

	tg_kfree(g, 0, 1000, PTR, 0);
	tg_close(g, 0, 1500);
	for (uint64_t i = 0; i < EVENTS; i++)
		tg_kfree(g, 0, 2000 + i, PTR + i, 0);
	tg_lost(g, 0, LT_CLASS_KFREE, TG_FULL, 7);
	tg_finish(g, 2000 + EVENTS);
	p = tg_packets(g, &n);
	assert_true(n > 1);
	put("kmem/cpu0", p[0].data, p[0].size);
	put("kmem/cpu1", "", 0);
	free(later);
	f = open_memstream(&later, &later_size);
	for (size_t i = 1; i < n; i++) {
		if (p[i].cpu == 0)
			fwrite(p[i].data, 1, p[i].size, f);
	}
	fclose(f);
	tg_free(g);
}

/* The recorder has flushed twice, and so has looked once, when the other packets come. */
static void test_rates(void **state)
{
	static const char *const triggers[][2] = {
		{ "loss>0", "(loss>0: 7 events)" }, { "events>100/s", "(events>100/s: " },
	};
	const char *said;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct lt_flight_options o = { .max_snapshots = 1 };

		make_module(RECORDING, "");
		put_in_two();
		assert_int_equal(fly(&o, triggers[i][0], "fl", 60000, &said), 0);
		assert_non_null(strstr(said, "snapshots: 1\n"));
		assert_non_null(strstr(said, triggers[i][1]));
	}
	free(later);
	later = NULL;
}

/* What was lost while the recorder began is seen by its first look. */
static void test_loss_at_begin(void **state)
{
	struct lt_flight_options o = { .max_snapshots = 1 };
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	put_in_two();
	put_later();
	assert_int_equal(fly(&o, "loss>0", "", 10000, &said), 0);
	assert_non_null(strstr(said, "snapshots: 1\n"));
	assert_non_null(strstr(said, "(loss>0: 7 events)"));
	free(later);
	later = NULL;
}

/* The file that is written next counts the two triggers of one that could not be written. */
static void test_missed_in_vain(void **state)
{
	struct lt_flight_options o = { .after_ns = 4000 * MS, .max_snapshots = 1 };
	char path[500], *part;
	const char *said;

	(void)state;
	make_module(RECORDING, "");
	base = "later/f";
	assert_int_equal(fly(&o, "", "sxms", 20000, &said), 0);
	base = "f";
	assert_non_null(strstr(said, "the snapshot was not written"));
	assert_non_null(strstr(said, "snapshots: 1\n"));
	snprintf(path, sizeof(path), "%s", strstr(said, "\nsnapshot: ") + 11);
	path[strcspn(path, " ")] = 0;
	part = part_of(path);
	assert_non_null(strstr(part, "\ntrigger=signal\n"));
	assert_null(strstr(part, "also="));
	assert_non_null(strstr(part, "\ntriggers_missed=2\n"));
	free(part);
	unlink(path);
}

/* Another recorder's socket stays; one that was left behind is replaced. */
static void test_socket(void **state)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct lt_flight_options o = { .max_snapshots = 1 };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	const char *said;

	(void)state;
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", test_path("control"));
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(fd, 1), 0);
	make_module(RECORDING, "");
	assert_int_equal(fly(&o, "", "..s.s.s.s.s.s.s.s", 20000, &said), 0);
	assert_non_null(strstr(said, "SIGUSR2 does"));
	close(fd);
	make_module(RECORDING, "");
	assert_int_equal(fly(&o, "", "..r", 20000, &said), 0);
	assert_null(strstr(said, "SIGUSR2 does"));
	/* A file is not one. */
	tg_save(control, "notes", 5);
	make_module(RECORDING, "");
	assert_int_equal(fly(&o, "", "..s.s.s.s.s.s.s.s", 20000, &said), 0);
	assert_non_null(strstr(said, "SIGUSR2 does"));
	assert_int_equal(unlink(control), 0);
}

/* Somebody has put links at the next names: they stay, and what they lead to. */
static void test_links(void **state)
{
	struct lt_flight_options o = { .max_snapshots = 1 };
	char victim[400], path[500];
	struct stat st;
	const char *said;

	(void)state;
	base = "links";
	snprintf(victim, sizeof(victim), "%s", test_path("victim"));
	tg_save(victim, "years of work", 13);
	make_module(RECORDING, "");
	assert_int_equal(fly(&o, "", "..p.s.s.s.s", 20000, &said), 0);
	snprintf(path, sizeof(path), "%s.000003.lt", test_path(base));
	assert_non_null(strstr(said, path));
	assert_int_equal(stat(victim, &st), 0);
	assert_int_equal(st.st_size, 13);
	base = "f";
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_request),
		cmocka_unit_test(test_missed),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_reported),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_loss_at_begin),
		cmocka_unit_test(test_missed_in_vain),
		cmocka_unit_test(test_socket),
		cmocka_unit_test(test_links),
	};

	begin_tests();
	return cmocka_run_group_tests_name("flight", tests, NULL, NULL);
}
