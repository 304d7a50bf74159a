// SPDX-License-Identifier: GPL-2.0
/*
 * Engines side by side: traces of one run, in which something is missing or otherwise, and the
 * cause that is given for it.
 */
#include <unistd.h>

#include "compare/engines.h"
#include "import/file.h"
#include "out/log.h"
#include "testlib.h"

#define THREAD	0x10000

/* What an engine has written, until finish(). */
struct trace {
	struct lt_import_file f;
	struct lt_str stats;
	char path[256];
};

#define TASKS	(1U << LT_IMPORT_FORK | 1U << LT_IMPORT_EXEC | 1U << LT_IMPORT_EXIT)
#define OBJECTS	(1U << LT_IMPORT_KMALLOC | 1U << LT_IMPORT_KFREE)

static const char *machine_name = "x86_64";

static void begin_kinds(struct trace *t, const char *name, const char *engine, const char *info,
			uint32_t kinds)
{
	struct lt_import_source s = {
		.tool = engine, .live = true, .release = "6.1.0", .machine_name = machine_name,
		.host = "", .clock = "mono", .exit_has_code = true,
		.machine = lt_encode_this_machine(),
		.kinds = kinds, .alloc_has_node = true,
	};

	*t = (struct trace){ .f.info = info };
	snprintf(t->path, sizeof(t->path), "%s", test_path(name));
	t->f.w = lt_writer_open(t->path, true);
	assert_non_null(t->f.w);
	assert_int_equal(lt_import_file_begin(&t->f, &s), 0);
}

static void begin_as(struct trace *t, const char *name, const char *engine, const char *info)
{
	begin_kinds(t, name, engine, info, TASKS);
}

static void begin(struct trace *t, const char *name, const char *engine)
{
	begin_as(t, name, engine, "command_tid=10\n");
}

static void finish(struct trace *t)
{
	assert_int_equal(lt_import_file_end(&t->f), 0);
	assert_int_equal(lt_writer_close(t->f.w), 0);
	lt_import_file_destroy(&t->f);
	free(t->stats.s);
}

#define EVENT(t, ...)	lt_import_event((t)->f.im,	\
	&(struct lt_import_event){ .group_dead = -1, .code_known = true, __VA_ARGS__ })

static void born(struct trace *t, uint64_t time, int32_t tid, int32_t parent)
{
	EVENT(t, .kind = LT_IMPORT_FORK, .time = time, .tid = tid, .tgid = tid, .pid = parent,
	      .old_tid = parent, .ppid = parent, .flags_known = true, .name = "kid");
}

static void ended(struct trace *t, uint64_t time, int32_t tid, uint32_t code)
{
	EVENT(t, .kind = LT_IMPORT_EXIT, .time = time, .tid = tid, .pid = tid, .code = code);
}

static void executes(struct trace *t, uint64_t time, int32_t tid, int32_t old)
{
	EVENT(t, .kind = LT_IMPORT_EXEC, .time = time, .tid = tid, .pid = tid, .old_tid = old, .path = "/p");
}

/* The command: process 10, with a kid 11, which has a kid 12. In tenths of a second. */
#define TENTH	100000000ULL

static void usual(struct trace *t)
{
	executes(t, 10 * TENTH, 10, 10);
	born(t, 20 * TENTH, 11, 10);
	born(t, 30 * TENTH, 12, 11);
	ended(t, 40 * TENTH, 12, 0x300);
	ended(t, 50 * TENTH, 11, 0);
}

static struct lt_engines *compare(struct trace *a, struct trace *b)
{
	const char *paths[] = { a->path, b->path };
	struct lt_engines *e;

	finish(a);
	finish(b);
	e = lt_engines_read(paths, 2);
	assert_non_null(e);
	unlink(a->path);
	unlink(b->path);
	return e;
}

static const struct lt_engine_difference *only(const struct lt_engines *e, enum lt_engine_what what,
					       enum lt_engine_cause cause)
{
	const struct lt_engine_difference *d = e->differences;

	assert_int_equal(e->n_differences, 1);
	assert_int_equal(d->what, what);
	assert_int_equal(d->cause, cause);
	assert_int_equal(e->sides[d->side].what[what], 1);
	return d;
}

static void same(void **state)
{
	struct trace a, b;
	struct lt_engines *e;

	(void)state;
	begin(&a, "a", "first");
	begin(&b, "b", "second");
	usual(&a);
	usual(&b);
	/* Another one of the machine's processes is no difference. */
	born(&b, 55 * TENTH, 20, 5);
	ended(&a, 60 * TENTH, 10, 0);
	ended(&b, 60 * TENTH + 7, 10, 0);
	e = compare(&a, &b);
	assert_int_equal(e->n_differences, 0);
	assert_int_equal(e->n_lives, 3);
	assert_int_equal(e->all.processes, 3);
	assert_int_equal(e->all.execs, 1);
	assert_int_equal(e->sides[1].exits, 3);
	assert_int_equal(e->sides[1].cycles, 0);
	assert_string_equal(e->sides[1].name, "second");
	lt_engines_free(e);
}

/* A birth and an exit that are lost; the kid of what is lost is an orphan. */
static int take_packet(void *arg, const struct lt_encode_packet *p)
{
	const struct trace *t = arg;

	return lt_writer_packet(t->f.w, p->data, p->size, p->cpu, p->channel, p->seq, p->begin, p->end);
}

/* As the engine bpf writes it: on a CPU that there is not. */
static void skipped(struct trace *t, uint64_t from, uint64_t to)
{
	const struct lt_encode_machine machine = lt_encode_this_machine();
	struct lt_encoder e;

	lt_encoder_init(&e, &machine, LT_CHANNEL_PID, 7, 4096, take_packet, t);
	lt_encode_begin(&e, from);
	lt_encode_end(&e, from);
	lt_encode_lost(&e, LT_CLASS_BIRTH, LT_ENCODE_NESTED, 1);
	lt_encode_flush(&e, to);
	lt_encode_last(&e, 60 * TENTH);
	assert_int_equal(e.ret, 0);
	lt_encode_stream_stats(&t->stats, &e);
	t->f.stats = t->stats.s;
	lt_encoder_destroy(&e);
}

static void lost_by(const char *engine, enum lt_engine_cause cause)
{
	const struct lt_import_loss loss = { .from = 15 * TENTH, .to = 25 * TENTH, .n = 1 };
	struct trace a, b;
	struct lt_engines *e;
	struct lt_engine_side *s;

	begin(&a, "a", "first");
	begin(&b, "b", engine);
	usual(&a);
	executes(&b, 10 * TENTH, 10, 10);
	if (cause == LT_ENGINE_SKIPPED)
		skipped(&b, loss.from, loss.to);
	else
		lt_import_lost(b.f.im, &loss);
	EVENT(&b, .kind = LT_IMPORT_FORK, .time = 30 * TENTH, .tid = 12, .tgid = 12, .pid = -1,
	      .flags_known = true);
	ended(&b, 40 * TENTH, 12, 0x300);
	e = compare(&a, &b);
	s = &e->sides[1];
	assert_int_equal(s->what[LT_ENGINE_NO_PROCESS], 1);
	assert_int_equal(s->what[LT_ENGINE_ORPHAN], 1);
	assert_int_equal(s->processes, 2);
	assert_int_equal(e->sides[0].what[LT_ENGINE_NO_PROCESS], 0);
	for (size_t i = 0; i < e->n_differences; i++) {
		assert_int_equal(e->differences[i].side, 1);
		assert_int_equal(e->differences[i].cause,
				 e->differences[i].what == LT_ENGINE_NO_PROCESS ? cause :
				 LT_ENGINE_NOT_DELIVERED);
	}
	assert_int_equal(s->lost, 1);
	lt_engines_free(e);
}

static void lost(void **state)
{
	(void)state;
	lost_by("second", LT_ENGINE_LOST);
	lost_by("bpf", LT_ENGINE_SKIPPED);
}

/* The outer one, whose command is the inner recorder, has lost its first events. */
static void lost_begin(void **state)
{
	struct trace a, b;
	struct lt_engines *e;

	(void)state;
	begin_as(&a, "a", "first", "command_tid=9\nrecorder_tgid=8\n");
	begin_as(&b, "b", "second", "command_tid=10\nrecorder_tgid=9\n");
	ended(&a, 50 * TENTH, 11, 0);
	ended(&a, 60 * TENTH, 10, 0);
	usual(&b);
	ended(&b, 60 * TENTH, 10, 0);
	e = compare(&a, &b);
	assert_int_equal(e->sides[1].processes, 3);
	assert_int_equal(e->all.processes, 3);
	lt_engines_free(e);
}

static void other_words(void **state)
{
	const struct lt_engine_difference *d;
	struct trace a, b;
	struct lt_engines *e;

	(void)state;
	begin(&a, "a", "first");
	begin(&b, "b", "second");
	usual(&a);
	executes(&b, 10 * TENTH, 10, 10);
	born(&b, 20 * TENTH, 11, 10);
	born(&b, 30 * TENTH, 12, 10);
	ended(&b, 40 * TENTH, 12, 0x300);
	ended(&b, 50 * TENTH, 11, 0);
	e = compare(&a, &b);
	d = only(e, LT_ENGINE_PARENT, LT_ENGINE_UNKNOWN);
	assert_int_equal(d->expected, 11);
	assert_int_equal(d->found, 10);
	assert_int_equal(d->by, 0);
	lt_engines_free(e);

	begin(&a, "a", "first");
	begin(&b, "b", "second");
	usual(&a);
	executes(&b, 10 * TENTH, 10, 10);
	born(&b, 20 * TENTH, 11, 10);
	born(&b, 30 * TENTH, 12, 11);
	ended(&b, 40 * TENTH, 12, 9);
	ended(&b, 50 * TENTH, 11, 0);
	e = compare(&a, &b);
	d = only(e, LT_ENGINE_CODE, LT_ENGINE_UNKNOWN);
	assert_int_equal(d->expected, 0x300);
	assert_int_equal(d->found, 9);
	lt_engines_free(e);
}

/* The first one that knows is the second engine. */
static void missed(void **state)
{
	const struct lt_engine_difference *d;
	struct trace a, b;
	struct lt_engines *e;

	(void)state;
	begin(&a, "a", "first");
	begin(&b, "b", "second");
	usual(&a);
	executes(&b, 10 * TENTH, 10, 10);
	born(&b, 20 * TENTH, 11, 10);
	born(&b, 30 * TENTH, 12, 11);
	executes(&b, 35 * TENTH, 11, 11);
	ended(&b, 40 * TENTH, 12, 0x300);
	ended(&b, 50 * TENTH, 11, 0);
	e = compare(&a, &b);
	d = only(e, LT_ENGINE_NO_EXEC, LT_ENGINE_NOT_DELIVERED);
	assert_int_equal(d->side, 0);
	assert_int_equal(d->expected, 1);
	assert_int_equal(d->found, 0);
	assert_int_equal(e->all.execs, 2);
	lt_engines_free(e);
}

/* Two tasks with one number are one for an engine that has neither end nor birth between. */
static void number_again(void **state)
{
	struct trace a, b;
	struct lt_engines *e;

	(void)state;
	begin(&a, "a", "first");
	begin(&b, "b", "second");
	usual(&a);
	usual(&b);
	born(&a, 60 * TENTH, 13, 10);
	ended(&a, 70 * TENTH, 13, 0);
	born(&a, 80 * TENTH, 13, 10);
	ended(&a, 90 * TENTH, 13, 0);
	born(&b, 60 * TENTH, 13, 10);
	ended(&b, 90 * TENTH, 13, 0);
	e = compare(&a, &b);
	assert_int_equal(e->n_lives, 5);
	only(e, LT_ENGINE_NO_PROCESS, LT_ENGINE_NUMBER_AGAIN);
	assert_int_equal(e->sides[0].processes, 5);
	assert_int_equal(e->sides[1].processes, 4);
	lt_engines_free(e);

	/* Also where that one is believed most. */
	begin(&a, "a", "first");
	begin(&b, "b", "second");
	usual(&a);
	usual(&b);
	born(&a, 60 * TENTH, 13, 10);
	ended(&a, 90 * TENTH, 13, 0);
	born(&b, 60 * TENTH, 13, 10);
	ended(&b, 70 * TENTH, 13, 0);
	born(&b, 80 * TENTH, 13, 10);
	ended(&b, 90 * TENTH, 13, 0);
	e = compare(&a, &b);
	assert_int_equal(e->n_lives, 5);
	only(e, LT_ENGINE_NO_PROCESS, LT_ENGINE_NUMBER_AGAIN);
	lt_engines_free(e);
}

/* ------------------------------------------------------------------------
 * Memory
 */

#define PTR	0xffff888100000000ULL

static void begin_memory(struct trace *t, const char *name, const char *engine, uint32_t kinds)
{
	begin_kinds(t, name, engine, "command_tid=10\n", TASKS | kinds);
	usual(t);
}

/* An object number @n. Times are in tenths of a second, and engines stamp one event at several. */
static void allocates(struct trace *t, uint64_t time, int32_t tid, unsigned int n, uint64_t bytes)
{
	EVENT(t, .kind = LT_IMPORT_KMALLOC, .time = time, .pid = tid, .ptr = PTR + n * 64,
	      .call_site = 0xffffffff81000100, .bytes_req = bytes, .bytes_alloc = 64, .gfp = 0xcc0,
	      .node = -1, .has_node = true);
}

static void frees(struct trace *t, uint64_t time, int32_t tid, unsigned int n)
{
	EVENT(t, .kind = LT_IMPORT_KFREE, .time = time, .pid = tid, .ptr = PTR + n * 64);
}

static void assert_memory(const struct lt_engine_side *s, uint64_t allocations, uint64_t n_frees)
{
	assert_int_equal(s->allocations, allocations);
	assert_int_equal(s->frees, n_frees);
}

/*
 * One address again and again, with less time between two objects than between the engines' stamps.
 */
static void same_objects(void **state)
{
	struct trace a, b;
	struct lt_engines *e;

	(void)state;
	begin_memory(&a, "a", "first", OBJECTS);
	begin_memory(&b, "b", "second", OBJECTS);
	for (uint64_t i = 0; i < 100; i++) {
		uint64_t time = 60 * TENTH + i * 100;

		allocates(&a, time, 10, 1, 8 + i);
		allocates(&b, time + 40, 10, 1, 8 + i);
		frees(&a, time + 50, 10, 1);
		frees(&b, time + 95, 10, 1);
	}
	/* Another one of the machine's tasks is no part of the command. */
	allocates(&b, 70 * TENTH, 20, 2, 8);
	e = compare(&a, &b);
	assert_true(e->memory);
	assert_int_equal(e->n_differences, 0);
	assert_memory(&e->all, 100, 100);
	assert_memory(&e->sides[0], 100, 100);
	assert_memory(&e->sides[1], 100, 100);
	lt_engines_free(e);
}

/* The free of one object and the birth of the next one at its address are lost. */
static void lost_objects(void **state)
{
	const struct lt_import_loss loss = { .from = 61 * TENTH, .to = 64 * TENTH, .n = 2 };
	const struct lt_engine_difference *d;
	struct trace a, b;
	struct lt_engines *e;

	(void)state;
	begin_memory(&a, "a", "first", OBJECTS);
	begin_memory(&b, "b", "second", OBJECTS);
	allocates(&a, 60 * TENTH, 10, 1, 8);
	frees(&a, 62 * TENTH, 10, 1);
	allocates(&a, 63 * TENTH, 10, 1, 16);
	frees(&a, 65 * TENTH, 10, 1);
	allocates(&b, 60 * TENTH, 10, 1, 8);
	lt_import_lost(b.f.im, &loss);
	frees(&b, 65 * TENTH, 10, 1);
	e = compare(&a, &b);
	assert_int_equal(e->n_differences, 2);
	d = e->differences;
	assert_int_equal(d->what, LT_ENGINE_END);
	assert_int_equal(d->cause, LT_ENGINE_LOST);
	assert_int_equal(d->expected, 2 * TENTH);
	assert_int_equal(d->found, 5 * TENTH);
	assert_int_equal(d->ptr, PTR + 64);
	assert_int_equal(d[1].what, LT_ENGINE_NO_ALLOC);
	assert_int_equal(d[1].cause, LT_ENGINE_LOST);
	assert_int_equal(d[1].expected, 16);
	assert_int_equal(d[1].birth, 63 * TENTH);
	assert_memory(&e->all, 2, 2);
	assert_memory(&e->sides[1], 1, 1);
	lt_engines_free(e);
}

/* Frees of caches are not watched by the second one; it ends before the last free. */
static void objects_not_watched(void **state)
{
	struct trace a, b;
	struct lt_engines *e;

	(void)state;
	begin_memory(&a, "a", "first", OBJECTS | 1U << LT_IMPORT_CACHE_FREE);
	begin_memory(&b, "b", "second", OBJECTS);
	for (unsigned int i = 1; i < 4; i++) {
		allocates(&a, 60 * TENTH, 10, i, 8);
		allocates(&b, 60 * TENTH, 10, i, i < 3 ? 8 : 9);
	}
	EVENT(&a, .kind = LT_IMPORT_CACHE_FREE, .time = 61 * TENTH, .pid = 10, .ptr = PTR + 64);
	frees(&a, 70 * TENTH, 10, 2);
	e = compare(&a, &b);
	assert_int_equal(e->n_differences, 3);
	assert_int_equal(e->differences[0].what, LT_ENGINE_NO_FREE);
	assert_int_equal(e->differences[0].cause, LT_ENGINE_NOT_WATCHED);
	assert_int_equal(e->differences[1].what, LT_ENGINE_NO_FREE);
	assert_int_equal(e->differences[1].cause, LT_ENGINE_OUTSIDE);
	assert_int_equal(e->differences[2].what, LT_ENGINE_OBJECT);
	assert_int_equal(e->differences[2].cause, LT_ENGINE_UNKNOWN);
	assert_int_equal(e->differences[2].expected, 8);
	assert_int_equal(e->differences[2].found, 9);
	assert_memory(&e->sides[1], 3, 0);
	lt_engines_free(e);
}

static void one_object(const char *info, enum lt_engine_cause cause)
{
	struct trace a, b;
	struct lt_engines *e;

	begin_memory(&a, "a", "first", OBJECTS);
	begin_kinds(&b, "b", "second", info, TASKS | OBJECTS);
	usual(&b);
	allocates(&a, 60 * TENTH, 10, 1, 8);
	allocates(&a, 61 * TENTH, 10, 2, 8);
	allocates(&b, 61 * TENTH, 10, 2, 8);
	e = compare(&a, &b);
	only(e, LT_ENGINE_NO_ALLOC, cause);
	assert_int_equal(e->differences->side, 1);
	lt_engines_free(e);
}

static void objects_left_out(void **state)
{
	(void)state;
	one_object("command_tid=10\nonly_caches=dentry\n", LT_ENGINE_LEFT_OUT);
	one_object("command_tid=10\n", LT_ENGINE_NOT_DELIVERED);
}

/* Of an engine that has no memory nothing is said, and of one alone nothing is compared. */
static void no_objects(void **state)
{
	struct trace a, b;
	struct lt_engines *e;

	(void)state;
	begin_memory(&a, "a", "first", OBJECTS);
	begin_memory(&b, "b", "second", 0);
	allocates(&a, 60 * TENTH, 10, 1, 8);
	e = compare(&a, &b);
	assert_false(e->memory);
	assert_int_equal(e->n_differences, 0);
	lt_engines_free(e);
}

static void refusals(void **state)
{
	struct trace a, b;
	const char *path = a.path, *both[] = { a.path, b.path };

	(void)state;
	begin_as(&a, "a", "first", "command_tid=10\nboot_id=1\n");
	finish(&a);
	begin_as(&b, "b", "second", "command_tid=10\nboot_id=2\n");
	finish(&b);
	test_stderr_begin();
	lt_log_to_stderr();
	assert_null(lt_engines_read(both, 2));
	assert_non_null(strstr(test_stderr_end(), "is of another boot than"));
	unlink(b.path);
	/* Files of other tools have no boot. */
	machine_name = "s390x";
	begin(&b, "b", "second");
	finish(&b);
	machine_name = "x86_64";
	test_stderr_begin();
	lt_log_to_stderr();
	assert_null(lt_engines_read(both, 2));
	assert_non_null(strstr(test_stderr_end(), "is of another machine than"));
	unlink(b.path);
	test_stderr_begin();
	lt_log_to_stderr();
	assert_null(lt_engines_read(&path, 1));
	assert_non_null(strstr(test_stderr_end(), "process 10, is in none of the traces"));
	unlink(a.path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same), cmocka_unit_test(lost), cmocka_unit_test(other_words),
		cmocka_unit_test(missed), cmocka_unit_test(number_again), cmocka_unit_test(refusals),
		cmocka_unit_test(lost_begin), cmocka_unit_test(same_objects), cmocka_unit_test(lost_objects),
		cmocka_unit_test(objects_not_watched), cmocka_unit_test(objects_left_out),
		cmocka_unit_test(no_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
