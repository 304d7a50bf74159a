// SPDX-License-Identifier: GPL-2.0
/*
 * Two channels in one file: what is missing in one leaves the other alone, and
 * what is said of it names the channel.
 */
#include "uapi/lifetrace_file.h"
#include "export/ctf/ctf.h"
#include "trace/internal.h"
#include "verify/check.h"
#include "testlib.h"
#include "tracegen.h"

#define PTR	0xffff888000001000ULL
#define SITE	0xffffffff81000100ULL
#define NEVER	UINT64_MAX

static void put_release(struct tg *g, uint32_t cpu, uint64_t time)
{
	TG_PUT(g, TG_PID(cpu), time, RELEASE, .tid = (uint32_t)time, .start = time);
}

/* Two streams of two packets each. */
static struct tg *two(const struct tg_options *o)
{
	struct tg *g = tg_new(o);

	tg_kfree(g, 0, 1000, PTR, SITE);
	put_release(g, 0, 1010);
	tg_close(g, 0, 1100);
	tg_close(g, TG_PID(0), 1110);
	tg_kfree(g, 0, 2000, PTR, SITE);
	put_release(g, 0, 2010);
	return g;
}

/* ------------------------------------------------------------------------
 * Gaps
 */

struct ends {
	uint64_t slab, page, task;
};

/* Reads it all; @t stays open. */
static struct lt_trace *read_all(struct tg *g, unsigned int flags, struct ends *ends)
{
	struct lt_trace *t;
	struct lt_event ev;

	assert_int_equal(tg_write(g, test_path("two.lt"), flags), 0);
	tg_free(g);
	test_stderr_begin();
	t = lt_trace_open(test_path("two.lt"));
	assert_non_null(t);
	while (lt_trace_next(t, &ev) > 0)
		;
	test_stderr_end();
	ends->slab = lt_trace_gap_end(t, LT_SPACE_SLAB);
	ends->page = lt_trace_gap_end(t, LT_SPACE_PAGE);
	ends->task = lt_trace_gap_end(t, LT_SPACE_TASK);
	return t;
}

static void expect_ends(const char *what, struct tg *g, unsigned int flags, struct ends e)
{
	struct ends ends;
	struct lt_trace *t = read_all(g, flags, &ends);

	if (ends.slab != e.slab || ends.page != e.page || ends.task != e.task)
		print_error("%s: slab %llu, page %llu, task %llu\n", what,
			    (unsigned long long)ends.slab, (unsigned long long)ends.page,
			    (unsigned long long)ends.task);
	assert_true(ends.slab == e.slab && ends.page == e.page && ends.task == e.task);
	lt_trace_close(t);
}

/* Takes out the n-th packet. */
static void remove_packet(struct tg *g, size_t i)
{
	size_t n;
	struct tg_packet *p = tg_packets(g, &n);

	free(p[i].data);
	memmove(p + i, p + i + 1, (n - i - 1) * sizeof(*p));
	tg_set_n_packets(g, n - 1);
}

static void test_gaps(void **state)
{
	const struct lt_gap *gaps;
	struct ends ends;
	struct lt_trace *t;
	struct tg *g;

	(void)state;
	g = two(NULL);
	tg_finish(g, 2100);
	expect_ends("nothing", g, 0, (struct ends){ 0, 0, 0 });
	/* Counted losses, before the second packet of one channel. */
	g = tg_new(NULL);
	tg_kfree(g, 0, 1000, PTR, SITE);
	put_release(g, 0, 1010);
	tg_close(g, TG_PID(0), 1110);
	tg_lost(g, TG_PID(0), LT_CLASS_EXIT, TG_FULL, 3);
	put_release(g, 0, 2010);
	tg_kfree(g, 0, 2500, PTR, SITE);
	tg_finish(g, 2600);
	t = read_all(g, 0, &ends);
	assert_int_equal(ends.slab, 0);
	assert_int_equal(ends.page, 0);
	assert_int_equal(ends.task, 2010);
	assert_int_equal(lt_trace_gap_end(t, LT_SPACE_NONE), 2010);
	assert_int_equal(lt_trace_gaps(t, &gaps), 1);
	assert_int_equal(gaps[0].channel, LT_CHANNEL_PID);
	assert_int_equal(gaps[0].lost[LT_CLASS_EXIT % LT_N_CLASSES], 3);
	assert_int_equal(lt_trace_counts(t, LT_CLASS_EXIT).lost_full, 3);
	/* The class with the same place in the other channel has lost nothing. */
	assert_int_equal(lt_trace_counts(t, LT_CLASS_EXIT % LT_N_CLASSES).lost_full, 0);
	lt_trace_close(t);
	g = two(NULL);
	tg_lost(g, 0, LT_CLASS_PAGE_FREE, TG_NMI, 1);
	tg_finish(g, 2100);
	expect_ends("pages lost", g, 0, (struct ends){ 0, 2100, 0 });
	/* Packets: the first two in the file are kmem's and pid's. */
	g = two(NULL);
	tg_finish(g, 2100);
	remove_packet(g, 1);
	expect_ends("first of pid", g, 0, (struct ends){ 0, 0, 2010 });
	g = two(NULL);
	tg_finish(g, 2100);
	remove_packet(g, 0);
	expect_ends("first of kmem", g, 0, (struct ends){ 2000, 2000, 0 });
	g = two(NULL);
	tg_finish(g, 2100);
	remove_packet(g, 3);
	expect_ends("last of pid", g, 0, (struct ends){ 0, 0, NEVER });
	/* A record that was never completed. */
	g = two(NULL);
	tg_raw(g, TG_PID(0), 2020, 0, LT_CLASS_NONE, "", 0);
	tg_finish(g, 2100);
	expect_ends("damaged", g, 0, (struct ends){ 0, 0, 2100 });
}

/* A CPU from which no packet of one channel is in the file. */
static void test_unseen(void **state)
{
	const char *list = "cpus_online=0-1\n";
	struct tg *g;

	(void)state;
	/* By the module's own counters. */
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		g = two(NULL);
		tg_finish(g, 2100);
		tg_text(g, LT_BLOCK_STATS, channel == LT_CHANNEL_PID ?
			"cpu 0 packets 2\ncpu 1 packets 0\ncpu 1 pid_packets 1\n" :
			"cpu 0 pid_packets 2\ncpu 1 pid_packets 0\ncpu 1 packets 1\n");
		expect_ends("stats", g, 0, channel == LT_CHANNEL_PID ?
			    (struct ends){ 0, 0, NEVER } : (struct ends){ NEVER, NEVER, 0 });
	}
	/*
	 * By the list of CPUs: of channels that are recorded. Where kmem's last packet is
	 * there, it is not known when it was stopped.
	 */
	g = tg_new(&(struct tg_options){ .info = list });
	tg_kfree(g, 0, 1000, PTR, SITE);
	tg_kfree(g, 1, 1000, PTR, SITE);
	tg_finish(g, 2100);
	expect_ends("no tasks", g, TG_NO_TRAILER, (struct ends){ NEVER, NEVER, 0 });
	g = tg_new(&(struct tg_options){ .info = list, .kmem_only = true });
	tg_kfree(g, 0, 1000, PTR, SITE);
	tg_kfree(g, 1, 1000, PTR, SITE);
	tg_finish(g, 2100);
	expect_ends("kmem only", g, TG_NO_TRAILER, (struct ends){ NEVER, NEVER, 0 });
	g = tg_new(&(struct tg_options){ .info = list, .tasks = true });
	tg_kfree(g, 0, 1000, PTR, SITE);
	tg_kfree(g, 1, 1000, PTR, SITE);
	put_release(g, 0, 1000);
	tg_finish(g, 2100);
	expect_ends("pid of cpu 1", g, TG_NO_TRAILER, (struct ends){ NEVER, NEVER, NEVER });
	g = tg_new(&(struct tg_options){ .info = list, .tasks = true });
	tg_kfree(g, 0, 1000, PTR, SITE);
	put_release(g, 0, 1000);
	put_release(g, 1, 1000);
	tg_finish(g, 2100);
	expect_ends("kmem of cpu 1", g, TG_NO_TRAILER, (struct ends){ NEVER, NEVER, 0 });
}

/* ------------------------------------------------------------------------
 * Verification
 */

static struct lt_verify_result *verify(struct tg *g, unsigned int flags)
{
	struct lt_verify_result *v;

	assert_int_equal(tg_write(g, test_path("two.lt"), flags), 0);
	tg_free(g);
	v = lt_verify(test_path("two.lt"));
	assert_non_null(v);
	return v;
}

/* Exactly these checks fail, and a note says so. */
static void expect_verdict(struct lt_verify_result *v, const char *failing, const char *note)
{
	char found[256] = "";
	bool noted = !note;

	for (unsigned int i = 0; i < LT_N_CHECKS; i++) {
		if (v->checks[i].failures)
			snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s%s",
				 *found ? " " : "", v->checks[i].name);
	}
	for (size_t i = 0; i < v->n_notes; i++)
		noted |= note && strstr(v->notes[i].text, note);
	if (strcmp(found, failing) || !noted) {
		for (size_t i = 0; i < v->n_notes; i++)
			print_error("note: %s\n", v->notes[i].text);
		print_error("failing: %s; expected: %s, %s\n", found, failing, note ? note : "-");
	}
	assert_string_equal(found, failing);
	assert_true(noted);
	lt_verify_result_free(v);
}

static void test_verify(void **state)
{
	const struct tg_options tasks = { .tasks = true };
	struct lt_verify_result *v;
	struct tg *g;

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		g = two(&(struct tg_options){ .tasks = true, .big_endian = i & 1 });
		tg_lost(g, 0, LT_CLASS_KFREE, TG_FULL, 1);
		tg_lost(g, TG_PID(0), LT_CLASS_RELEASE, TG_NMI, 2);
		tg_filtered(g, TG_PID(1), LT_CLASS_STATE, 5);
		tg_open(g, TG_PID(1), 1000);
		tg_finish(g, 2100);
		v = verify(g, i & 2 ? TG_ZSTD : 0);
		assert_int_equal(v->records, 4);
		assert_int_equal(v->packets, 5);
		assert_string_equal(v->class_names[LT_CLASS_RELEASE], "release");
		expect_verdict(v, "", NULL);
	}
	g = two(&tasks);
	tg_finish(g, 2100);
	remove_packet(g, 1);
	expect_verdict(verify(g, 0), "sequence conservation",
		       "cpu 0 of channel pid: 1 packets are missing before packet 1");
	g = two(&tasks);
	tg_finish(g, 2100);
	remove_packet(g, 3);
	expect_verdict(verify(g, TG_NO_STATS), "last packet",
		       "cpu 0 of channel pid: its last packet, number 0, is not marked");
	g = two(&tasks);
	tg_counts(g, TG_PID(0))[LT_CLASS_EXIT % LT_N_CLASSES].seen++;
	tg_finish(g, 2100);
	expect_verdict(verify(g, 0), "conservation", "cpu 0, exit, packet 1: seen 1");
	g = two(&tasks);
	tg_lost(g, TG_PID(0), LT_CLASS_EXIT, TG_FULL, 1);
	tg_close(g, TG_PID(0), 2050);
	tg_counts(g, TG_PID(0))[LT_CLASS_EXIT % LT_N_CLASSES].lost_full = 0;
	tg_counts(g, TG_PID(0))[LT_CLASS_EXIT % LT_N_CLASSES].seen = 0;
	tg_finish(g, 2100);
	expect_verdict(verify(g, 0), "counters",
		       "cpu 0, exit: a counter of packet 2 is lower than before");
	g = two(&tasks);
	tg_raw(g, TG_PID(0), 2020, LT_EV(LT_CHANNEL_PID, 30), LT_CLASS_NONE, "", 0);
	tg_finish(g, 2100);
	expect_verdict(verify(g, 0), "records", "packet 1 of cpu 0 of channel pid, byte ");
	g = two(&tasks);
	tg_finish(g, 2100);
	tg_text(g, LT_BLOCK_STATS, "cpu 0 packets 2\ncpu 0 pid_packets 7\npid_ns 1 level 0\n"
		"untracked 3\nnumbers 1 2 3\n");
	expect_verdict(verify(g, 0), "stats", "cpu 0 of channel pid: the module made 7 packets");
	g = two(&tasks);
	tg_finish(g, 2100);
	tg_text(g, LT_BLOCK_STATS, "cpu 0 class release seen 3 lost_full 0 lost_nmi 0 lost_nested 0 "
		"lost_nobuf 0 filtered 0\n");
	expect_verdict(verify(g, 0), "stats", "cpu 0, release: the module counted 3 seen");
}

/* ------------------------------------------------------------------------
 * The index
 */

static void test_index(void **state)
{
	struct tg *g = two(&(struct tg_options){ .tasks = true });
	struct tg_packet *p;
	struct lt_trace *t;
	struct ends ends;
	size_t n;

	(void)state;
	tg_finish(g, 2100);
	t = read_all(g, 0, &ends);
	assert_true(t->dir.from_index);
	assert_int_equal(t->dir.packets, 4);
	assert_int_equal(t->streams[lt_stream_number(LT_CHANNEL_PID, 0)]->dir->n, 2);
	assert_int_equal(t->streams[lt_stream_number(LT_CHANNEL_KMEM, 0)]->dir->n, 2);
	lt_trace_close(t);
	/* One that takes a packet for the other channel's. */
	g = two(&(struct tg_options){ .tasks = true });
	tg_finish(g, 2100);
	p = tg_packets(g, &n);
	p[1].channel = LT_CHANNEL_KMEM;
	expect_verdict(verify(g, 0), "index", "the index contradicts itself");
	/* It is not believed: the packets' own headers are asked. */
	g = two(&(struct tg_options){ .tasks = true });
	tg_finish(g, 2100);
	p = tg_packets(g, &n);
	p[1].channel = LT_CHANNEL_KMEM;
	p[1].seq = 9;
	expect_ends("index", g, 0, (struct ends){ 0, 0, 0 });
	/* A channel that this version does not know. */
	g = two(&(struct tg_options){ .tasks = true });
	tg_finish(g, 2100);
	p = tg_packets(g, &n);
	p[1].channel = LT_N_CHANNELS + 1;
	p[1].data[offsetof(struct lt_packet_header, channel)] = LT_N_CHANNELS + 1;
	p[1].cpu = 70;
	t = read_all(g, TG_NO_STATS, &ends);
	assert_true(t->dir.from_index);
	assert_int_equal(t->dir.other_channel, 1);
	assert_int_equal(ends.slab, 0);
	assert_int_equal(ends.task, 2010);
	lt_trace_close(t);
}

/* ------------------------------------------------------------------------
 * CTF
 */

static unsigned int count(const char *text, const char *what)
{
	unsigned int n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static char *metadata(struct lt_trace *t, bool json)
{
	struct lt_ctf_machine m = { .counts = LT_N_CLASSES,
				    .header_size = sizeof(struct lt_packet_header) };
	struct lt_export e = { .trace = t, .schema = t->schema };
	struct lt_out out = LT_OUT_INIT(-1);
	char *text;
	size_t size;
	FILE *f;

	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++)
		m.streams[channel] = lt_trace_has_channel(t, channel);
	if (json) {
		lt_ctf_v2_write(&out, &e, &m);
		lt_out_char(&out, 0);
		return out.buf;
	}
	f = open_memstream(&text, &size);
	lt_ctf_v1_write(f, &e, &m);
	fclose(f);
	return text;
}

#define ONE(CHANNEL, id, NAME, name, CLASS, text)	+ 1
#define N_SHORT	21	/* forms that are not exported, and what announces sites for them */
#define N_KMEM	(0 LT_KMEM_EVENTS(ONE) - N_SHORT)
#define N_PID	(0 LT_PID_EVENTS(ONE))
/* The event of a packet's counters, which an export adds to each stream. */
#define N_ADDED	1

static void test_ctf(void **state)
{
	struct ends ends;
	struct lt_trace *t;
	char *text;

	(void)state;
	t = read_all(two(NULL), 0, &ends);
	text = metadata(t, false);
	assert_int_equal(count(text, "stream {\n\tid = 1;"), 1);
	assert_int_equal(count(text, "stream {\n\tid = 2;"), 1);
	assert_int_equal(count(text, "\tstream_id = 1;\n"), N_KMEM + N_ADDED);
	assert_int_equal(count(text, "\tstream_id = 2;\n"), N_PID + N_ADDED);
	assert_int_equal(count(text, "\tname = \"release\";\n\tid = 15;\n\tstream_id = 2;"), 1);
	assert_int_equal(count(text, "encoding = UTF8; } file[4096];"), 2);
	free(text);
	text = metadata(t, true);
	assert_int_equal(count(text, "\"type\":\"data-stream-class\",\"id\":1,\"name\":\"kmem\""), 1);
	assert_int_equal(count(text, "\"type\":\"data-stream-class\",\"id\":2,\"name\":\"pid\""), 1);
	assert_int_equal(count(text, "\"data-stream-class-id\":1,\"id\":"), N_KMEM + N_ADDED);
	assert_int_equal(count(text, "\"data-stream-class-id\":2,\"id\":"), N_PID + N_ADDED);
	assert_int_equal(count(text, "\"data-stream-class-id\":2,\"id\":15,\"name\":\"release\""), 1);
	free(text);
	lt_trace_close(t);
	/* Without the channel there is no stream of it. */
	t = read_all(tg_new(&(struct tg_options){ .kmem_only = true }), 0, &ends);
	text = metadata(t, false);
	assert_int_equal(count(text, "stream {\n"), 1);
	assert_int_equal(count(text, "stream_id = 2"), 0);
	free(text);
	lt_trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gaps), cmocka_unit_test(test_unseen),
		cmocka_unit_test(test_verify), cmocka_unit_test(test_index),
		cmocka_unit_test(test_ctf),
	};

	return cmocka_run_group_tests_name("channels-file", tests, NULL, NULL);
}
