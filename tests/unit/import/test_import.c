// SPDX-License-Identifier: GPL-2.0
/*
 * Events of other tools as a trace: identities of tasks, calls that are joined, caches, losses.
 */
#include "encodetest.h"
#include "import/import.h"

struct fixture {
	struct et t;
	struct lt_import *im;
};

static const struct lt_import_source source = {
	.tool = "trace-cmd", .release = "6.1.0", .machine_name = "x86_64", .host = "h",
	.clock = "mono", .kinds = (1U << LT_N_IMPORT) - 2, .alloc_has_node = true,
};

static void begin(struct fixture *f, bool named)
{
	struct lt_import_source s = source;

	s.machine = et_machine(false);
	s.alloc_has_name = named;
	et_init(&f->t);
	f->im = lt_import_new(&s, et_take, &f->t);
}

static void end(struct fixture *f)
{
	lt_import_end(f->im);
	et_assert_conserved(&f->t);
}

static void done(struct fixture *f)
{
	lt_import_free(f->im);
	et_free(&f->t);
}

#define EVENT(f, ...)	lt_import_event((f)->im,	\
	&(struct lt_import_event){ .group_dead = -1, __VA_ARGS__ })

/* A number that is used again is another task, also where its birth is missing. */
static void identities(void **state)
{
	struct fixture f;
	struct lt_record r;

	(void)state;
	begin(&f, true);
	EVENT(&f, .kind = LT_IMPORT_NEWTASK, .time = 100, .pid = 7, .tid = 8, .flags_known = true,
	      .clone_flags = 0x10000, .name = "thread");
	EVENT(&f, .kind = LT_IMPORT_NEWTASK, .time = 110, .pid = 8, .tid = 9, .flags_known = true,
	      .name = "child");
	EVENT(&f, .kind = LT_IMPORT_FORK, .time = 111, .pid = 8, .tid = 9, .old_tid = 8);
	EVENT(&f, .kind = LT_IMPORT_EXIT, .time = 120, .pid = 9, .tid = 9);
	EVENT(&f, .kind = LT_IMPORT_NEWTASK, .time = 130, .pid = 7, .tid = 9, .flags_known = true);
	EVENT(&f, .kind = LT_IMPORT_EXIT, .time = 140, .pid = 9, .tid = 9);
	EVENT(&f, .kind = LT_IMPORT_EXEC, .time = 150, .pid = 8, .tid = 7, .old_tid = 8, .path = "/p");
	end(&f);
	et_expect(&f.t, LT_EV_TASK_NEW, &r);
	assert_int_equal(et_value(&f.t, &r, "tid"), 8);
	assert_int_equal(et_value(&f.t, &r, "start"), 100);
	/* The process of its creator is not known. */
	assert_int_equal(et_value(&f.t, &r, "tgid"), 0);
	assert_int_equal(et_value(&f.t, &r, "creator"), 7);
	assert_int_equal(et_value(&f.t, &r, "creator_start"), 0);
	et_expect(&f.t, LT_EV_TASK_NEW, &r);
	assert_int_equal(et_value(&f.t, &r, "tid"), 9);
	assert_int_equal(et_value(&f.t, &r, "tgid"), 9);
	assert_int_equal(et_value(&f.t, &r, "creator"), 8);
	assert_int_equal(et_value(&f.t, &r, "creator_start"), 100);
	et_expect(&f.t, LT_EV_EXIT, &r);
	assert_int_equal(et_value(&f.t, &r, "start"), 110);
	et_expect(&f.t, LT_EV_TASK_NEW, &r);
	assert_int_equal(et_value(&f.t, &r, "start"), 130);
	et_expect(&f.t, LT_EV_EXIT, &r);
	assert_int_equal(et_value(&f.t, &r, "start"), 130);
	et_expect(&f.t, LT_EV_EXEC, &r);
	assert_int_equal(et_value(&f.t, &r, "tid"), 7);
	assert_int_equal(et_value(&f.t, &r, "old_tid"), 8);
	assert_int_equal(et_value(&f.t, &r, "old_start"), 100);
	et_assert_text(&r, "file", "/p");
	done(&f);
}

static void missing_birth(void **state)
{
	struct fixture f;
	struct lt_record r;

	(void)state;
	begin(&f, true);
	EVENT(&f, .kind = LT_IMPORT_EXIT, .time = 10, .pid = 5, .tid = 5);
	/* So many exits later it is forgotten. */
	for (int i = 0; i < 5000; i++)
		EVENT(&f, .kind = LT_IMPORT_EXIT, .time = 20, .pid = 1000 + i, .tid = 1000 + i);
	EVENT(&f, .kind = LT_IMPORT_EXIT, .time = 30, .pid = 5, .tid = 5);
	EVENT(&f, .kind = LT_IMPORT_EXIT, .time = 40, .tid = 5000000);
	end(&f);
	et_expect(&f.t, LT_EV_EXIT, &r);
	assert_int_equal(et_value(&f.t, &r, "start"), 0);
	for (int i = 0; i < 5000; i++)
		et_expect(&f.t, LT_EV_EXIT, &r);
	et_expect(&f.t, LT_EV_EXIT, &r);
	assert_int_equal(et_value(&f.t, &r, "tid"), 5);
	assert_int_equal(et_value(&f.t, &r, "start"), 30);
	assert_int_equal(lt_import_counts(f.im).unusable, 1);
	done(&f);
}

/* The number of a task that has exited, used again at once; and one born twice, without an exit. */
static void numbers_again(void **state)
{
	struct fixture f;
	struct lt_record r;

	(void)state;
	begin(&f, true);
	EVENT(&f, .kind = LT_IMPORT_EXEC, .time = 10, .pid = 5, .tid = 5, .old_tid = 5, .path = "/a");
	EVENT(&f, .kind = LT_IMPORT_EXIT, .time = 20, .pid = 5, .tid = 5);
	EVENT(&f, .kind = LT_IMPORT_EXEC, .time = 30, .pid = 5, .tid = 5, .old_tid = 5, .path = "/b");
	EVENT(&f, .kind = LT_IMPORT_SYS_EXIT, .time = 35, .pid = 5, .nr = 59);
	EVENT(&f, .kind = LT_IMPORT_EXIT, .time = 40, .pid = 5, .tid = 5);
	EVENT(&f, .kind = LT_IMPORT_FORK, .time = 50, .pid = 7, .tid = 8, .old_tid = 7);
	EVENT(&f, .kind = LT_IMPORT_FORK, .time = 60, .pid = 7, .tid = 8, .old_tid = 7);
	end(&f);
	et_expect(&f.t, LT_EV_EXEC, &r);
	assert_int_equal(et_value(&f.t, &r, "start"), 0);
	et_expect(&f.t, LT_EV_EXIT, &r);
	et_expect(&f.t, LT_EV_EXEC, &r);
	assert_int_equal(et_value(&f.t, &r, "start"), 30);
	et_expect(&f.t, LT_EV_EXIT, &r);
	assert_int_equal(et_value(&f.t, &r, "start"), 30);
	et_expect(&f.t, LT_EV_TASK_NEW, &r);
	assert_int_equal(et_value(&f.t, &r, "start"), 50);
	et_expect(&f.t, LT_EV_TASK_NEW, &r);
	assert_int_equal(et_value(&f.t, &r, "start"), 60);
	et_expect(&f.t, LT_EV_SYS_0, &r);
	/* It is not the first return of a new task: its birth is missing. */
	assert_int_equal(et_value(&f.t, &r, "flags"), LT_SYS_BEFORE | LT_SYS_NO_ARGS);
	done(&f);
}

/* A thread that executes a program: its call is that of the leader, once. */
static void call_of_exec(void **state)
{
	struct fixture f;
	struct lt_record r;

	(void)state;
	begin(&f, true);
	EVENT(&f, .kind = LT_IMPORT_SYS_ENTER, .time = 10, .pid = 8, .nr = 59);
	EVENT(&f, .kind = LT_IMPORT_EXIT, .time = 20, .pid = 7, .tid = 7);
	EVENT(&f, .kind = LT_IMPORT_EXEC, .time = 30, .pid = 7, .tid = 7, .old_tid = 8, .path = "/p");
	EVENT(&f, .kind = LT_IMPORT_SYS_EXIT, .time = 40, .pid = 7, .nr = 59);
	end(&f);
	while (et_next(&f.t, &r))
		assert_int_not_equal(LT_EV(r.desc->channel, r.desc->id), LT_EV_SYS_OPEN);
	done(&f);
}

/* Across a loss, and where times go back, a call has no duration that is known. */
static void calls_that_are_cut(void **state)
{
	struct fixture f;
	struct lt_record r;

	(void)state;
	begin(&f, true);
	EVENT(&f, .kind = LT_IMPORT_SYS_ENTER, .time = 10, .pid = 4, .nr = 0);
	lt_import_lost(f.im, &(struct lt_import_loss){ .cpu = 1, .from = 15, .to = 20, .n = 2 });
	EVENT(&f, .kind = LT_IMPORT_SYS_EXIT, .time = 30, .pid = 4, .nr = 0);
	EVENT(&f, .kind = LT_IMPORT_SYS_ENTER, .time = 50, .pid = 4, .nr = 1);
	EVENT(&f, .kind = LT_IMPORT_SYS_EXIT, .time = 40, .pid = 4, .nr = 1);
	end(&f);
	for (unsigned int nr = 0; nr < 2; nr++) {
		et_expect(&f.t, LT_EV_SYS_OPEN, &r);
		assert_int_equal(et_value(&f.t, &r, "nr"), nr);
		et_expect(&f.t, LT_EV_SYS_0, &r);
		assert_int_equal(et_value(&f.t, &r, "flags"), LT_SYS_BEFORE | LT_SYS_NO_ARGS);
		assert_int_equal(et_value(&f.t, &r, "duration"), 0);
	}
	done(&f);
}

static void calls(void **state)
{
	struct fixture f;
	struct lt_record r;

	(void)state;
	begin(&f, true);
	EVENT(&f, .kind = LT_IMPORT_SYS_EXIT, .time = 5, .pid = 4, .nr = 7, .result = 1);
	EVENT(&f, .kind = LT_IMPORT_SYS_ENTER, .time = 10, .pid = 4, .nr = 0, .args = { 3, 4, 5 });
	EVENT(&f, .kind = LT_IMPORT_SYS_EXIT, .time = 30, .cpu = 1, .pid = 4, .nr = 0, .result = -4);
	/* rt_sigreturn */
	EVENT(&f, .kind = LT_IMPORT_SYS_ENTER, .time = 40, .pid = 4, .nr = 15);
	EVENT(&f, .kind = LT_IMPORT_SYS_EXIT, .time = 41, .pid = 4, .nr = -1);
	EVENT(&f, .kind = LT_IMPORT_NEWTASK, .time = 42, .pid = 4, .tid = 6, .flags_known = true);
	EVENT(&f, .kind = LT_IMPORT_SYS_EXIT, .time = 43, .pid = 6, .nr = 56);
	EVENT(&f, .kind = LT_IMPORT_SYS_ENTER, .time = 50, .pid = 6, .nr = 231);
	EVENT(&f, .kind = LT_IMPORT_EXIT, .time = 60, .pid = 6, .tid = 6);
	EVENT(&f, .kind = LT_IMPORT_SYS_ENTER, .time = 70, .pid = 4, .nr = 61);
	end(&f);
	/* Packets come by streams: that of CPU 0 is ended first. */
	et_expect(&f.t, LT_EV_SYS_0, &r);
	assert_int_equal(et_value(&f.t, &r, "flags"), LT_SYS_BEFORE | LT_SYS_NO_ARGS);
	et_expect(&f.t, LT_EV_SYS_0, &r);
	assert_int_equal(et_value(&f.t, &r, "nr"), 15);
	assert_int_equal(et_value(&f.t, &r, "duration"), 1);
	et_expect(&f.t, LT_EV_SYS_0, &r);
	assert_int_equal(et_value(&f.t, &r, "flags"), LT_SYS_FIRST | LT_SYS_NO_ARGS);
	et_expect(&f.t, LT_EV_SYS_OPEN, &r);
	assert_int_equal(et_value(&f.t, &r, "nr"), 231);
	assert_int_equal(et_value(&f.t, &r, "why"), 1);
	et_expect(&f.t, LT_EV_SYS_OPEN, &r);
	assert_int_equal(et_value(&f.t, &r, "nr"), 61);
	assert_int_equal(et_value(&f.t, &r, "why"), 2);
	assert_int_equal(et_value(&f.t, &r, "begin"), 70);
	et_expect(&f.t, LT_EV_SYS_3, &r);
	assert_int_equal(et_value(&f.t, &r, "duration"), 20);
	assert_int_equal(et_value(&f.t, &r, "arg2"), 5);
	done(&f);
}

/* With names, the sizes come with the first birth; without, the sizes are the cache. */
static void caches(void **state)
{
	struct fixture f;
	struct lt_record r;

	(void)state;
	begin(&f, true);
	EVENT(&f, .kind = LT_IMPORT_CACHE_FREE, .time = 1, .ptr = PTR + 64, .name = "filp");
	EVENT(&f, .kind = LT_IMPORT_CACHE_ALLOC, .time = 2, .ptr = PTR + 64, .bytes_req = 184,
	      .bytes_alloc = 192, .name = "filp");
	end(&f);
	et_expect(&f.t, LT_EV_CACHE, &r);
	et_assert_text(&r, "name", "filp");
	assert_int_equal(et_value(&f.t, &r, "size"), 0);
	et_expect(&f.t, LT_EV_CACHE, &r);
	assert_int_equal(et_value(&f.t, &r, "cache"), 1);
	assert_int_equal(et_value(&f.t, &r, "size"), 192);
	done(&f);
	begin(&f, false);
	EVENT(&f, .kind = LT_IMPORT_CACHE_ALLOC, .time = 2, .ptr = PTR + 64, .bytes_req = 184,
	      .bytes_alloc = 192);
	EVENT(&f, .kind = LT_IMPORT_CACHE_FREE, .time = 3, .ptr = PTR + 64, .name = "filp");
	end(&f);
	et_expect(&f.t, LT_EV_CACHE, &r);
	et_assert_text(&r, "name", "(unnamed, 184 bytes)");
	done(&f);
}

/* What is no object is left out, what failed is no birth. */
static void no_objects(void **state)
{
	struct fixture f;
	struct lt_record r;

	(void)state;
	begin(&f, true);
	EVENT(&f, .kind = LT_IMPORT_KFREE, .time = 1, .ptr = 0);
	EVENT(&f, .kind = LT_IMPORT_KMALLOC, .time = 2, .ptr = 16);
	EVENT(&f, .kind = LT_IMPORT_KMALLOC, .time = 3, .ptr = 0, .bytes_req = 9);
	EVENT(&f, .kind = LT_IMPORT_PAGE_ALLOC, .time = 4, .ptr = UINT64_MAX, .order = 2);
	EVENT(&f, .kind = LT_IMPORT_PAGE_ALLOC, .time = 5, .ptr = UINT64_MAX, .order = 127);
	EVENT(&f, .kind = LT_IMPORT_KFREE, .time = 5, .cpu = LT_IMPORT_MAX_CPU);
	end(&f);
	et_expect(&f.t, LT_EV_ALLOC_FAILED, &r);
	assert_int_equal(et_value(&f.t, &r, "bytes_req"), 9);
	assert_int_equal(et_value(&f.t, &r, "what"), LT_CLASS_KMALLOC);
	et_expect(&f.t, LT_EV_ALLOC_FAILED, &r);
	assert_int_equal(et_value(&f.t, &r, "bytes_req"), 16384);
	assert_false(et_next(&f.t, &r));
	assert_int_equal(lt_import_counts(f.im).unusable, 2);
	done(&f);
}

/* A loss is between two packets, in each class of each channel that the source can have. */
static void losses(void **state)
{
	struct fixture f;
	struct lt_class_counts c;
	size_t behind = 0;

	(void)state;
	begin(&f, true);
	EVENT(&f, .kind = LT_IMPORT_KFREE, .time = 100, .pid = 3, .ptr = PTR + 64);
	lt_import_lost(f.im, &(struct lt_import_loss){ .from = 150, .to = 200, .n = 7 });
	EVENT(&f, .kind = LT_IMPORT_KFREE, .time = 200, .pid = 3, .ptr = PTR + 128);
	lt_import_lost(f.im, &(struct lt_import_loss){ .from = 200, .to = 300 });
	end(&f);
	for (size_t i = 0; i < f.t.n; i++) {
		const struct lt_packet *p = &f.t.packets[i];

		if (p->channel != LT_CHANNEL_KMEM)
			continue;
		c = lt_packet_counts(p, LT_CLASS_INDEX(LT_CLASS_KMALLOC));
		if (!c.lost_full) {
			assert_int_equal(p->end, 150);
		} else if (!behind++) {
			assert_int_equal(p->begin, 200);
			assert_int_equal(c.lost_full, 7);
		}
	}
	assert_true(behind);
	assert_int_equal(c.lost_full, 8);
	assert_int_equal(lt_import_counts(f.im).places, 2);
	assert_int_equal(lt_import_counts(f.im).lost, 7);
	assert_int_equal(lt_import_counts(f.im).unnumbered, 1);
	done(&f);
}

/*
 * Losses from the begin of a recording on; the trace begins with it, also on a CPU without events.
 */
static void begun(void **state)
{
	struct fixture f;
	uint64_t first[2] = { UINT64_MAX, UINT64_MAX };
	bool lost = false;

	(void)state;
	begin(&f, true);
	lt_import_begin(f.im, 50);
	lt_import_lost(f.im, &(struct lt_import_loss){ .cpu = 1, .from = 50, .to = 100, .n = 7 });
	EVENT(&f, .kind = LT_IMPORT_KFREE, .time = 100, .cpu = 1, .pid = 3, .ptr = PTR + 64);
	end(&f);
	for (size_t i = 0; i < f.t.n; i++) {
		const struct lt_packet *p = &f.t.packets[i];

		if (p->begin < first[p->cpu])
			first[p->cpu] = p->begin;
		lost |= p->channel == LT_CHANNEL_KMEM && p->begin == 100 &&
			lt_packet_counts(p, LT_CLASS_INDEX(LT_CLASS_KFREE)).lost_full == 7;
	}
	assert_int_equal(first[0], 50);
	assert_int_equal(first[1], 50);
	assert_true(lost);
	done(&f);
}

/* Losses at a time that is not known are a gap over all, in each channel. */
static void missed(void **state)
{
	struct fixture f;
	unsigned int channels = 0;
	struct lt_record r;

	(void)state;
	begin(&f, true);
	lt_import_missed(f.im, 44);
	EVENT(&f, .kind = LT_IMPORT_KFREE, .time = 100, .pid = 3, .ptr = PTR + 64);
	EVENT(&f, .kind = LT_IMPORT_SYS_ENTER, .time = 110, .pid = 3, .nr = 1);
	EVENT(&f, .kind = LT_IMPORT_SYS_EXIT, .time = 120, .pid = 3, .nr = 1);
	end(&f);
	for (size_t i = 0; i < f.t.n; i++) {
		const struct lt_packet *p = &f.t.packets[i];
		unsigned int class = p->channel == LT_CHANNEL_KMEM ? LT_CLASS_KMALLOC :
				     p->channel == LT_CHANNEL_PID ? LT_CLASS_BIRTH : LT_CLASS_CALL;

		if (p->cpu != 1)
			continue;
		if (lt_packet_counts(p, LT_CLASS_INDEX(class)).lost_full == 44)
			channels |= 1U << p->channel;
		else
			assert_int_equal(p->end, 100);
	}
	assert_int_equal(channels, 1U << LT_CHANNEL_KMEM | 1U << LT_CHANNEL_PID |
			 1U << LT_CHANNEL_SYSCALL);
	assert_int_equal(lt_import_counts(f.im).lost, 44);
	et_expect(&f.t, LT_EV_SYS_OPEN, &r);
	done(&f);
}

/* Where times of a CPU go back, there is a gap. */
static void late(void **state)
{
	struct fixture f;
	bool lost = false;

	(void)state;
	begin(&f, true);
	EVENT(&f, .kind = LT_IMPORT_KFREE, .time = 100, .pid = 3, .ptr = PTR + 64);
	EVENT(&f, .kind = LT_IMPORT_KFREE, .time = 200, .pid = 3, .ptr = PTR + 128);
	EVENT(&f, .kind = LT_IMPORT_KFREE, .time = 150, .pid = 3, .ptr = PTR + 192);
	EVENT(&f, .kind = LT_IMPORT_KFREE, .time = 300, .pid = 3, .ptr = PTR + 256);
	end(&f);
	for (size_t i = 0; i < f.t.n; i++) {
		const struct lt_packet *p = &f.t.packets[i];

		if (p->cpu != 1)
			continue;
		if (lt_packet_counts(p, LT_CLASS_INDEX(LT_CLASS_KMALLOC)).lost_full == 1)
			lost = true;
		else
			assert_int_equal(p->end, 150);
	}
	assert_true(lost);
	assert_int_equal(lt_import_counts(f.im).late, 1);
	done(&f);
}

static bool says(const struct lt_str *text, const char *line)
{
	return text->s && strstr(text->s, line);
}

static void texts(void **state)
{
	struct fixture f;
	struct lt_str text = { 0 };

	(void)state;
	begin(&f, true);
	EVENT(&f, .kind = LT_IMPORT_KFREE, .time = 100, .pid = 3, .ptr = PTR + 64);
	lt_import_missed(f.im, 3);
	end(&f);
	lt_import_events(f.im, &text);
	assert_true(says(&text, "kfree\ttracepoint\twatched\t-\n"));
	assert_true(says(&text, "kmalloc\ttracepoint\tnot watched\tno such event is in the file"));
	assert_true(says(&text, "bulk_free\tfunction\tnot watched\t"));
	assert_false(says(&text, "kmalloc_node"));
	assert_false(says(&text, "kfree_nolock"));
	free(text.s);
	text = (struct lt_str){ 0 };
	lt_import_hashed(f.im);
	lt_import_events(f.im, &text);
	assert_true(says(&text, "kfree_nolock\tfunction\tnot watched\taddresses are hashed"));
	lt_import_stats(f.im, &text);
	assert_true(says(&text, "stopped 100\n"));
	lt_import_info(f.im, &text);
	assert_true(says(&text, "engine=import of trace-cmd\n"));
	assert_true(says(&text, "tasks_unknown=usage,owner,code,group\n"));
	assert_true(says(&text, "late_free=0\n"));
	free(text.s);
	done(&f);
}

static void names(void **state)
{
	(void)state;
	assert_int_equal(lt_import_kind_of("kmem", "kfree", 5), LT_IMPORT_KFREE);
	assert_int_equal(lt_import_kind_of(NULL, "sys_exit", 8), LT_IMPORT_SYS_EXIT);
	assert_int_equal(lt_import_kind_of("sched", "kfree", 5), LT_IMPORT_NONE);
	assert_int_equal(lt_import_kind_of(NULL, "kfre", 4), LT_IMPORT_NONE);
	assert_null(lt_import_member("nothing", 7));
	assert_string_equal(lt_import_member("pfn", 3)->name, "pfn");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identities), cmocka_unit_test(missing_birth),
		cmocka_unit_test(numbers_again), cmocka_unit_test(call_of_exec),
		cmocka_unit_test(calls_that_are_cut), cmocka_unit_test(calls), cmocka_unit_test(caches), cmocka_unit_test(no_objects),
		cmocka_unit_test(losses), cmocka_unit_test(begun), cmocka_unit_test(missed), cmocka_unit_test(late), cmocka_unit_test(texts), cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
