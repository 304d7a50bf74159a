// SPDX-License-Identifier: GPL-2.0
/*
 * A trace of nothing but what the encoder makes, packets and texts: the reader opens it, finds in
 * it what was said, and each invariant holds. The schema is that of the test generator, which
 * prints it by code of its own.
 */
#include "base/text.h"
#include "encode/texts.h"
#include "encodetest.h"
#include "trace/trace.h"
#include "tracegen.h"
#include "uapi/lifetrace_file.h"
#include "verify/check.h"

static const struct lt_encode_gfp gfp[] = { { 0xcc0, "GFP_KERNEL" }, { 0x40, "__GFP_IO" } };

struct file {
	uint8_t *data;
	size_t size;
};

static void add(struct file *f, unsigned int type, const void *data, size_t size)
{
	tg_append_block(&f->data, &f->size, type, 0, data, size);
}

static void add_text(struct file *f, unsigned int type, struct lt_str *t)
{
	add(f, type, t->s, t->n);
	free(t->s);
	*t = (struct lt_str){ 0 };
}

static int take(void *arg, const struct lt_encode_packet *packet)
{
	add(arg, LT_BLOCK_PACKET, packet->data, packet->size);
	return 0;
}

static void add_head(struct file *f, const struct lt_encode_machine *machine)
{
	const struct lt_file_header h = { .magic = "LIFETRAC", .version_major = LT_FILE_MAJOR };
	const struct lt_encode_info info = {
		.machine = machine, .kernel_release = "6.1.0-bpf", .kernel_version = "#1 SMP",
		.machine_name = "x86_64", .has_linear_base = true, .linear_base = PTR,
		.clock = "mono", .clock_freq = 1000000000, .mode = "stream",
		.channels = 1U << LT_CHANNEL_KMEM | 1U << LT_CHANNEL_PID,
		.packet_size = { [LT_CHANNEL_KMEM] = 262144, [LT_CHANNEL_PID] = 65536 },
		.n_packets = { [LT_CHANNEL_KMEM] = 16, [LT_CHANNEL_PID] = 8 },
		.sample = 1, .flush_ms = 200, .cache_names = true,
	};
	struct lt_str t = { 0 };

	f->size = sizeof(h);
	f->data = malloc(f->size);
	memcpy(f->data, &h, sizeof(h));
	lt_encode_info(&t, &info);
	lt_str_put(&t, "engine=bpf\n");
	add_text(f, LT_BLOCK_INFO, &t);
	lt_encode_schema(&t, 0, gfp, 2);
	add_text(f, LT_BLOCK_SCHEMA, &t);
	lt_encode_event_line(&t, "kfree", "tracepoint", NULL);
	lt_encode_event_line(&t, "bulk_free", "function", "this kernel does not let it be traced");
	add_text(f, LT_BLOCK_EVENTS, &t);
	lt_encode_clock(&t, &(struct lt_encode_clocks){ 1000, 5000, 1000, 1000, 1000, 20 });
	add_text(f, LT_BLOCK_CLOCK, &t);
}

static void add_streams(struct file *f, const struct lt_encode_machine *machine)
{
	const struct lt_encode_task task = { .tid = 7, .tgid = 7, .start = 3, .comm = "sh" };
	struct lt_encoder kmem, pid;
	struct lt_str t = { 0 };

	lt_encoder_init(&kmem, machine, LT_CHANNEL_KMEM, 0, 262144, take, f);
	lt_encoder_init(&pid, machine, LT_CHANNEL_PID, 0, 65536, take, f);
	lt_encode_run(&kmem, &task);
	for (unsigned int i = 0; i < 1000; i++) {
		lt_encode_object(&kmem, 2000 + 2 * i, LT_CTX_TASK, &(struct lt_encode_object){
				 .class = LT_CLASS_KMALLOC, .ptr = PTR + 64, .bytes_req = 60,
				 .bytes_alloc = 64, .gfp = 0xcc0, .node = -1,
				 .call_site = TEXT + 64 });
		lt_encode_object(&kmem, 2001 + 2 * i, LT_CTX_TASK, &(struct lt_encode_object){
				 .class = LT_CLASS_KFREE, .ptr = PTR + 64, .call_site = TEXT + 99 });
	}
	lt_encode_lost(&kmem, LT_CLASS_KFREE, LT_ENCODE_NESTED, 3);
	LT_ENCODE(&pid, 3000, LT_CTX_TASK, EXIT, .tid = 7, .tgid = 7, .start = 3);
	lt_encode_last(&kmem, 9000);
	lt_encode_last(&pid, 9000);
	lt_encode_stats(&t, "idle", 8999);
	lt_encode_stream_stats(&t, &kmem);
	lt_encode_stream_stats(&t, &pid);
	add_text(f, LT_BLOCK_STATS, &t);
	lt_encoder_destroy(&kmem);
	lt_encoder_destroy(&pid);
}

static void test_file(void **state)
{
	const struct lt_encode_machine machine = et_machine(false);
	struct lt_verify_result *v;
	struct file f = { 0 };
	struct lt_trace *t;

	(void)state;
	add_head(&f, &machine);
	add_streams(&f, &machine);
	assert_int_equal(tg_save(test_path("x.lt"), f.data, f.size), 0);
	free(f.data);

	t = lt_trace_open(test_path("x.lt"));
	assert_non_null(t);
	assert_string_equal(lt_trace_info(t, "kernel_release"), "6.1.0-bpf");
	assert_string_equal(lt_trace_info(t, "channels"), "kmem,pid");
	assert_string_equal(lt_trace_info(t, "pid_subbuf_size"), "65536");
	assert_string_equal(lt_trace_info(t, "linear_base"), "0xffff888000000000");
	assert_string_equal(lt_trace_info(t, "engine"), "bpf");
	lt_trace_close(t);

	v = lt_verify(test_path("x.lt"));
	assert_non_null(v);
	for (unsigned int i = 0; i < LT_N_CHECKS; i++) {
		/* The file has no end: its writer adds that. */
		if (i != LT_CHECK_TRAILER && i != LT_CHECK_INDEX)
			assert_int_equal(v->checks[i].failures, 0);
	}
	assert_false(v->checks[LT_CHECK_STATS].absent);
	assert_false(v->checks[LT_CHECK_CONSERVATION].absent);
	lt_verify_result_free(v);
}

/* A line without the names of flags, which are of the kernel. */
static bool next_line(const char **pos, const char **line, size_t *n)
{
	while (lt_line(pos, line, n)) {
		if (strncmp(*line, "gfp ", 4))
			return true;
	}
	return false;
}

static void test_schema(void **state)
{
	const char *a, *b, *x, *y;
	struct tg *g = tg_new(NULL);
	struct lt_str t = { 0 };
	size_t n, m, lines = 0;

	(void)state;
	lt_encode_schema(&t, 0, gfp, 2);
	assert_non_null(strstr(t.s, "\ngfp 0xcc0 GFP_KERNEL\ngfp 0x40 __GFP_IO\n"));
	a = t.s;
	b = tg_schema_text(g);
	while (next_line(&a, &x, &n)) {
		assert_true(next_line(&b, &y, &m));
		assert_int_equal(n, m);
		assert_memory_equal(x, y, n);
		lines++;
	}
	assert_false(next_line(&b, &y, &m));
	assert_true(lines > 500);
	free(t.s);
	t = (struct lt_str){ 0 };
	lt_encode_schema(&t, 1U << LT_CHANNEL_PID, NULL, 0);
	assert_null(strstr(t.s, "channel 1 kmem"));
	assert_non_null(strstr(t.s, "channel 2 pid"));
	free(t.s);
	tg_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file), cmocka_unit_test(test_schema),
	};

	return cmocka_run_group_tests_name("texts", tests, NULL, NULL);
}
