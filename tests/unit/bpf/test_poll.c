// SPDX-License-Identifier: GPL-2.0
/*
 * What a poll gives, and what it calls lost, by counts of the kernel that are made up here.
 *
 * Copy 0 of a program misses an event; the time until another copy writes it may be long, since the
 * task may be preempted in between.
 */
#include <time.h>

#include "testlib.h"

#ifdef LT_HAVE_LIBBPF

#include "base/now.h"
#include "bpf/internal.h"

#define RING	(128U << 10)	/* bytes */

static uint64_t missed;		/* by copy 0, as the kernel says */

static int fake_fd(const struct bpf_program *p)
{
	return *(const char *)p;
}

static int fake_info(int fd, void *info, __u32 *len)
{
	struct bpf_prog_info *i = info;

	assert_int_equal(*len, sizeof(*i));
	i->recursion_misses = fd == 'a' ? missed : 0;
	return 0;
}

static const struct lt_libbpf lib = {
	.bpf_program__fd = fake_fd, .bpf_obj_get_info_by_fd = fake_info,
};

static const struct lt_bpf_def kmalloc = {
	.event = LT_BPF_KMALLOC, .name = "kmalloc", .class = LT_CLASS_KMALLOC,
};

/* A session with one event, whose copies are "abc", and one CPU with a ring. */
static struct {
	struct lt_bpf b;
	struct lt_bpf_probe probe;
	struct lt_bpf_cpu cpu;
	uint64_t read, until, next, now;
} s;

static int setup(void **state)
{
	struct lt_bpf_channel *c = &s.b.channels[LT_BPF_KMEM];

	(void)state;
	memset(&s, 0, sizeof(s));
	missed = 0;
	s.b.lib = &lib;
	s.b.n_cpus = 1;
	s.b.config.copies = LT_BPF_COPIES;
	s.probe = (struct lt_bpf_probe){ .def = &kmalloc, .ever = true };
	for (unsigned int copy = 0; copy < LT_BPF_COPIES; copy++)
		s.probe.programs[copy] = (struct bpf_program *)(uintptr_t)&"abc"[copy];
	c->channel = LT_CHANNEL_KMEM;
	c->object = (struct bpf_object *)&s;
	c->probes = &s.probe;
	c->n_probes = 1;
	c->ring = (struct lt_bpf_ring){
		.at = (uint8_t *)&s.cpu, .bytes = RING, .read = &s.read, .until = &s.until, .next = &s.next,
		.now = &s.now,
	};
	return 0;
}

/* Copies 0 to 2 run for an event: 64 bytes more. */
static void event(unsigned int copy)
{
	s.cpu.runs[copy][LT_BPF_KMALLOC]++;
	s.cpu.pos += 64;
}

static uint64_t lost(void)
{
	return lt_bpf_skipped(&s.b, LT_CLASS_KMALLOC);
}

/* What a poll gives is what there was at the poll before. */
static void test_quiet(void **state)
{
	(void)state;
	event(0);
	assert_true(lt_bpf_poll(&s.b));
	assert_int_equal(s.until, 0);
	event(0);
	assert_true(lt_bpf_poll(&s.b));
	assert_int_equal(s.until, 64);
	assert_true(lt_bpf_poll(&s.b));
	assert_int_equal(s.until, 128);
	assert_int_equal(lost(), 0);
	/* A record that is not whole holds up its ring. */
	assert_true(lt_bpf_is_held(&s.b, LT_CHANNEL_KMEM, 0));
	s.read = 128;
	assert_false(lt_bpf_is_held(&s.b, LT_CHANNEL_KMEM, 0));
}

static void test_late_copy(void **state)
{
	(void)state;
	missed = 1;
	event(0);
	assert_true(lt_bpf_poll(&s.b));
	for (int i = 0; i < 10; i++) {
		event(0);
		assert_false(lt_bpf_poll(&s.b));
		assert_int_equal(s.until, 0);
		assert_int_equal(lost(), 0);
	}
	event(1);
	assert_true(lt_bpf_poll(&s.b));
	/* Not what came since then: of that, it is not known. */
	assert_int_equal(s.until, 64);
	assert_int_equal(lost(), 0);
	assert_true(lt_bpf_poll(&s.b));
	assert_int_equal(s.until, 12 * 64);
	assert_int_equal(lost(), 0);
}

/* Another event is missed before the first one is written: there always is one, none is lost. */
static void test_one_behind_the_other(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++) {
		missed++;
		lt_bpf_poll(&s.b);
		missed++;
		event(1);
		lt_bpf_poll(&s.b);
		event(2);
		assert_true(lt_bpf_poll(&s.b));
		assert_int_equal(lost(), 0);
	}
}

/* Polls until one gives something; how long that takes, in ms. */
static uint64_t wait_for_poll(void)
{
	uint64_t begin = lt_now_ns();

	while (!lt_bpf_poll(&s.b)) {
		struct timespec ms = { .tv_nsec = 1000000 };

		nanosleep(&ms, NULL);
	}
	return (lt_now_ns() - begin) / 1000000;
}

/* Of an event without a class: what found no room, and what no copy has seen. */
static void test_unclassed(void **state)
{
	static const struct lt_bpf_def gone = {
		.event = LT_BPF_CACHE_GONE, .name = "cache_gone", .class = LT_CLASS_NONE,
		.failed = LT_CLASS_NONE, .lost = LT_CLASS_NONE,
	};

	(void)state;
	missed = 5;
	s.cpu.full[LT_BPF_CACHE_GONE] = 2;
	s.cpu.runs[1][LT_BPF_CACHE_GONE] = 1;
	assert_int_equal(lt_bpf_unclassed(&s.b, "kmalloc"), 0);
	s.probe.def = &gone;
	assert_int_equal(lt_bpf_unclassed(&s.b, "kmalloc"), 0);
	assert_int_equal(lt_bpf_unclassed(&s.b, "cache_gone"), 2 + 4);
}

/*
 * Of one whose losses count as those of another class: of numbers, without which generations and
 * ends of namespaces may be missing.
 */
static void test_lost_numbers(void **state)
{
	static const struct lt_bpf_def given = {
		.event = LT_BPF_GIVEN, .name = "number", .class = LT_CLASS_NONE,
		.failed = LT_CLASS_NONE, .lost = LT_CLASS_WRAP,
	};
	struct lt_class_counts counts[LT_N_CLASSES];

	(void)state;
	s.b.channels[LT_BPF_KMEM].channel = LT_CHANNEL_PID;
	s.b.config.copies = 1;
	s.probe.def = &given;
	s.cpu.runs[0][LT_BPF_GIVEN] = 9;
	s.cpu.full[LT_BPF_GIVEN] = 2;
	missed = 3;
	assert_true(lt_bpf_poll(&s.b));
	assert_true(lt_bpf_poll(&s.b));
	assert_int_equal(lt_bpf_skipped(&s.b, LT_CLASS_WRAP), 3);
	lt_bpf_counts(&s.b, LT_CHANNEL_PID, 0, counts);
	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		assert_int_equal(counts[i].seen, i == LT_CLASS_INDEX(LT_CLASS_WRAP) ? 2 : 0);
		assert_int_equal(counts[i].lost_full, counts[i].seen);
	}
}

static void test_lost(void **state)
{
	(void)state;
	missed = 1;
	event(0);
	assert_true(lt_bpf_poll(&s.b));
	assert_in_range(wait_for_poll(), 500, 60000);
	assert_int_equal(s.until, 64);
	assert_int_equal(lost(), 1);
	/* The next one is waited for again. */
	missed = 2;
	assert_true(lt_bpf_poll(&s.b));
	assert_false(lt_bpf_poll(&s.b));
	event(2);
	assert_true(lt_bpf_poll(&s.b));
	assert_int_equal(lost(), 1);
}

static void test_full_ring(void **state)
{
	(void)state;
	missed = 1;
	s.cpu.pos = RING / 2;
	assert_true(lt_bpf_poll(&s.b));
	assert_false(lt_bpf_poll(&s.b));
	s.cpu.pos += 64;
	assert_true(lt_bpf_poll(&s.b));
	assert_int_equal(s.until, RING / 2);
	assert_int_equal(lost(), 1);
}

/* Of one copy there is none that may yet write; and none runs when all are detached. */
static void test_no_wait(void **state)
{
	(void)state;
	s.b.config.copies = 1;
	missed = 1;
	assert_true(lt_bpf_poll(&s.b));
	assert_true(lt_bpf_poll(&s.b));
	assert_int_equal(lost(), 1);
	setup(NULL);
	missed = 3;
	event(1);
	assert_true(lt_bpf_poll(&s.b));
	s.b.detached = true;
	assert_true(lt_bpf_poll(&s.b));
	assert_int_equal(s.until, 64);
	assert_int_equal(lost(), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_quiet, setup),
		cmocka_unit_test_setup(test_late_copy, setup),
		cmocka_unit_test_setup(test_one_behind_the_other, setup),
		cmocka_unit_test_setup(test_unclassed, setup),
		cmocka_unit_test_setup(test_lost_numbers, setup),
		cmocka_unit_test_setup(test_lost, setup),
		cmocka_unit_test_setup(test_full_ring, setup),
		cmocka_unit_test_setup(test_no_wait, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include "needs_libbpf.h"

#endif /* LT_HAVE_LIBBPF */
