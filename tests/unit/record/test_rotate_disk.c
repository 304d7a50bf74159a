// SPDX-License-Identifier: GPL-2.0
/*
 * Rotation on a disk that is full, fails, or does not answer for a while; and a recorder that is
 * killed, KILLS times (8).
 */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rotatesim.h"
#include "base/mem.h"
#include "record/part_writer.h"
#include "verify/check.h"

/* ------------------------------------------------------------------------
 * Disks
 */

/* What is alive at the end of the recording, by its last part. */
static struct cut_table last_table(const char *dir)
{
	struct cut_table table = { 0 };
	struct rotate_parts parts = rotate_list(dir);

	assert_true(parts.n);
	cut_read(parts.names[parts.n - 1], NULL, NULL, &table);
	rotate_parts_free(&parts);
	return table;
}

/* So many steps on a disk that has always room lead to that table. */
static void same_as_unhindered(uint64_t steps, struct cut_table *table)
{
	struct lt_record_options o = {
		.output = lt_strdup(test_path("unhindered")), .rotate_bytes = ROTATE_SIZE, .quiet = true,
	};
	struct cut_table whole;

	rotate_begin(&o);
	for (uint64_t i = 0; i < steps; i++)
		rotate_step(i);
	assert_int_equal(rotate_end(), 0);
	whole = last_table(o.output);
	assert_true(whole.n > ROTATE_ADDRESSES / 10);
	assert_int_equal(table->n, whole.n);
	for (size_t i = 0; i < whole.n; i++)
		assert_string_equal(table->lines[i], whole.lines[i]);
	cut_table_free(&whole);
	cut_table_free(table);
	free((char *)(uintptr_t)o.output);
}

/* The parts of the directory, as one trace: what is uncertain since something is missing. */
static size_t uncertain_in(const char *dir)
{
	struct cut_lives lives = { 0 };
	size_t lossy = 0;

	test_stderr_begin();
	cut_read(dir, &lives, NULL, NULL);
	test_stderr_end();
	for (size_t i = 0; i < lives.n; i++)
		lossy += lives.lives[i].l.lossy;
	cut_lives_free(&lives);
	return lossy;
}

/* All invariants hold, for what is there; the place where something was not written is found. */
static void proven(const char *dir, bool hole)
{
	struct lt_verify_result *v = lt_verify(dir);

	assert_non_null(v);
	assert_true(lt_verify_result_good(v));
	assert_int_equal(v->n_holes, hole);
	lt_verify_result_free(v);
}

/*
 * Disturbs the disk for a while, and shows that what is alive at the end is right nevertheless.
 * Return: lifetimes that are uncertain, since something is missing.
 */
static size_t disturb(const char *name, int error)
{
	struct lt_record_options o = {
		.output = lt_strdup(test_path(name)), .rotate_bytes = ROTATE_SIZE, .quiet = true,
	};
	struct lt_writing s = { 0 };
	struct cut_table table;
	uint64_t steps = 0, from;
	const char *said;
	size_t uncertain;

	rotate_begin(&o);
	for (; s.parts < 5; steps++)
		s = rotate_step(steps);
	test_stderr_begin();
	atomic_store(&rotate_disk_error, error);
	for (int k = 0; k < 2000 && !s.stuck; k++, steps++)
		s = rotate_step(5);
	assert_true(s.stuck);
	/* The drain goes on, and one time in three tries again. */
	for (uint64_t k = 0; k < 21; k++, steps++)
		s = rotate_step((5 + k / 3) * 1000000000ULL * 6);
	said = strstr(test_stderr_end(), "nothing is written until");
	assert_non_null(said);
	assert_null(strstr(said + 1, "nothing is written"));
	assert_true(s.stuck);
	if (error == ENOSPC)
		assert_true(s.deleted >= 4);
	else
		assert_int_equal(s.deleted, 0);
	atomic_store(&rotate_disk_error, 0);
	for (from = s.parts; s.parts < from + 4; steps++)
		s = rotate_step((steps + 100) * 1000000000ULL * 6);
	assert_false(s.stuck);
	assert_true(s.left_out > 0);
	assert_int_equal(rotate_end(), 0);
	uncertain = uncertain_in(o.output);
	proven(o.output, error == EIO);
	table = last_table(o.output);
	same_as_unhindered(steps, &table);
	free((char *)(uintptr_t)o.output);
	return uncertain;
}

/* The oldest parts go, then nothing is written; when there is room again, a new part heals all. */
static void test_full_disk(void **state)
{
	(void)state;
	disturb("full", ENOSPC);
}

/* Parts of before stay, and what ended meanwhile is uncertain. */
static void test_broken_disk(void **state)
{
	(void)state;
	assert_true(disturb("broken", EIO) > 0);
}

/* The disk is only so full, also where parts are small. */
static void test_keep_free(void **state)
{
	struct lt_record_options o = {
		.output = lt_strdup(test_path("free")), .rotate_bytes = ROTATE_SIZE, .quiet = true,
		.keep_free = 80,
	};
	struct lt_writing s = { 0 };
	struct rotate_parts parts;

	(void)state;
	rotate_disk_bytes = 4 << 20;
	rotate_begin(&o);
	for (uint64_t i = 0; s.parts < 30; i++) {
		s = rotate_step(i);
		parts = rotate_list(o.output);
		/* It is looked at when a part begins, which has some 100 KiB here. */
		assert_true(parts.bytes < rotate_disk_bytes / 5 + (200 << 10));
		rotate_parts_free(&parts);
	}
	assert_true(s.deleted > 0);
	assert_int_equal(rotate_end(), 0);
	parts = rotate_list(o.output);
	assert_true(parts.bytes > rotate_disk_bytes / 10);
	rotate_check_all(&parts);
	rotate_parts_free(&parts);
	free((char *)(uintptr_t)o.output);
}

/* A disk that does not answer stops the writing, but not the drain. */
static void test_slow_disk(void **state)
{
	struct lt_record_options o = {
		/* Each step is due. */
		.output = lt_strdup(test_path("slow")), .rotate_ns = 1, .quiet = true,
	};
	struct lt_writing s;
	struct rotate_parts parts;

	(void)state;
	rotate_begin(&o);
	atomic_store(&rotate_syncs, 0);
	rotate_step(1);
	atomic_store(&rotate_disk_waits, true);
	for (int i = 0; i < ROTATE_PATIENCE_MS && !atomic_load(&rotate_syncs); i++)
		usleep(1000);
	/* fdatasync() was called, and waits from here on. */
	assert_true(atomic_load(&rotate_syncs) > 0);
	for (uint64_t i = 0; i < 30; i++)
		rotate_step_on(1);
	s = rotate_state();
	assert_true(s.queued > 10000);
	assert_true(s.parts <= 2);
	atomic_store(&rotate_disk_waits, false);
	for (uint64_t i = 0; s.parts < 5; i++)
		s = rotate_step(1);
	assert_int_equal(s.left_out, 0);
	assert_int_equal(rotate_end(), 0);
	parts = rotate_list(o.output);
	rotate_check_all(&parts);
	rotate_parts_free(&parts);
	free((char *)(uintptr_t)o.output);
}

/* Nothing is cut while the part before is not begun, or memory would fill with what is alive. */
static void test_no_cut_meanwhile(void **state)
{
	struct lt_record_options o = {
		.output = lt_strdup(test_path("hung")), .rotate_ns = 1, .quiet = true,
	};
	struct rotate_parts parts;

	(void)state;
	atomic_store(&rotate_disk_waits, true);
	rotate_begin(&o);
	for (uint64_t i = 0; i < 30; i++)
		rotate_step_on(i);
	assert_false(rotate_state().begun);
	atomic_store(&rotate_disk_waits, false);
	assert_int_equal(rotate_end(), 0);
	parts = rotate_list(o.output);
	assert_int_equal(parts.n, 1);
	rotate_check_all(&parts);
	rotate_parts_free(&parts);
	free((char *)(uintptr_t)o.output);
}

/* Packets of all times of a part, some of which have no room. */
static void put_packets(struct lt_part_writer *p, uint64_t from, uint64_t to)
{
	static uint8_t data[4096];
	struct lt_packet packet = { .data = data, .size = sizeof(data), .channel = 1 };

	for (uint64_t time = from; time < to; time += 10) {
		packet.seq++;
		packet.begin = time;
		packet.end = time + 10;
		lt_part_writer_packet(p, &packet);
	}
}

typedef void block_fn(void *arg, const struct lt_block *b, const char *payload);

/* Calls @fn, which may be NULL, for each block. Return: where the last whole one ends. */
static uint64_t each_block(const char *path, block_fn *fn, void *arg)
{
	struct lt_file *f = lt_file_open_one(path);
	struct lt_buf payload = { 0 }, packed = { 0 };
	uint64_t offset = sizeof(struct lt_file_header);
	struct lt_block b;
	struct lt_why why;

	assert_non_null(f);
	while (lt_file_block(f, offset, &b, &why) == LT_BLOCK_OK &&
	       !lt_file_payload(f, &b, &payload, &packed, &why)) {
		if (fn)
			fn(arg, &b, (const char *)payload.data);
		offset = lt_block_end(&b);
	}
	lt_buf_free(&payload);
	lt_buf_free(&packed);
	lt_file_close(f);
	return offset;
}

static void take_gap(void *arg, const struct lt_block *b, const char *payload)
{
	const char *text = b->type == LT_BLOCK_PART ? strstr(payload, "gap=") : NULL;
	char **gap = arg;

	if (!text)
		return;
	free(*gap);
	*gap = lt_format("%.*s", (int)strcspn(text, "\n"), text);
}

/* The gap that a part says it has; "": none. */
static char *gap_of(const char *dir, uint64_t part)
{
	char *path = rotate_path(dir, part, ""), *gap = lt_strdup("");
	struct stat st;

	assert_non_null(path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(each_block(path, take_gap, &gap), st.st_size);
	free(path);
	return gap;
}

/* Each part says what it lacks, also where more than one of them have no room in the queue. */
static void test_gaps_of_parts(void **state)
{
	const struct lt_part_writer_options o = {
		.dir = lt_strdup(test_path("gaps")), .name = "trace-20260101T000000Z", .queue = 100000,
	};
	static const char *const expected[] = { "", "gap=2240 3000", "gap=3000 4000", "" };
	struct lt_part_writer *p = lt_part_writer_new(&o);

	(void)state;
	assert_non_null(p);
	for (uint64_t part = 0; part < 4; part++) {
		lt_part_writer_open(p, part);
		lt_part_writer_text(p, LT_BLOCK_PART, false, "set=1\n", 6);
		while (part != 2 && lt_part_writer_look(p).queued)
			usleep(1000);
		atomic_store(&rotate_disk_waits, part == 1 || part == 2);
		/* The first one of part 2 is divided by the cut. */
		put_packets(p, 1000 * (part + 1) - (part == 2 ? 5 : 0),
			    1000 * (part + 1) + (part == 0 || part == 3 ? 100 : 900));
		lt_part_writer_close(p, 1000 * (part + 2));
		if (part == 2)
			atomic_store(&rotate_disk_waits, false);
	}
	assert_int_equal(lt_part_writer_free(p).parts, 4);
	for (uint64_t part = 0; part < 4; part++) {
		char *gap = gap_of(o.dir, part);

		assert_string_equal(gap, expected[part]);
		free(gap);
	}
	free((char *)(uintptr_t)o.dir);
}

/* ------------------------------------------------------------------------
 * A recorder that is killed
 */

/* What was written for certain: so many parts, and so many bytes of the next. */
struct progress {
	_Atomic uint64_t parts;
	_Atomic uint64_t bytes;
};

static void record_until_killed(const char *dir, struct progress *done)
{
	struct lt_record_options o = { .output = dir, .rotate_bytes = ROTATE_SIZE, .quiet = true };
	uint64_t first = 0;

	rotate_begin(&o);
	for (uint64_t i = 0;; i++) {
		struct lt_writing s = rotate_step(i);

		if (s.parts != first)
			atomic_store(&done->bytes, 0);
		first = s.parts;
		atomic_store(&done->parts, s.parts);
		atomic_store(&done->bytes, s.bytes);
	}
}

static void check_killed(const char *dir, const struct progress *done)
{
	struct cut_table last = { 0 };
	char *path;

	/* Nothing but the last part is torn, and that behind what was written. */
	for (uint64_t part = 0; part < done->parts; part++) {
		path = rotate_path(dir, part, "");
		assert_non_null(path);
		rotate_check(path, &last, !part);
		free(path);
	}
	path = rotate_path(dir, done->parts, "");
	if (!path)
		path = rotate_path(dir, done->parts, ".part");
	if (done->bytes) {
		assert_non_null(path);
		assert_true(each_block(path, NULL, NULL) >= done->bytes);
	}
	free(path);
	cut_table_free(&last);
	test_stderr_begin();
	cut_read(dir, NULL, NULL, &last);
	test_stderr_end();
	assert_true(last.n > ROTATE_ADDRESSES / 10);
	cut_table_free(&last);
}

static void test_killed(void **state)
{
	uint64_t kills = test_number("KILLS", 8);
	struct progress *done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(done != MAP_FAILED);
	for (uint64_t i = 0; i < kills; i++) {
		char name[32], *dir;
		pid_t pid;

		snprintf(name, sizeof(name), "killed.%llu", (unsigned long long)i);
		dir = lt_strdup(test_path(name));
		*done = (struct progress){ 0 };
		pid = fork();
		assert_true(pid >= 0);
		if (!pid)
			record_until_killed(dir, done);
		for (int k = 0; k < ROTATE_PATIENCE_MS && done->parts < 2; k++)
			usleep(1000);
		usleep((useconds_t)(i * 1771 % 30000));
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		assert_true(done->parts >= 2);
		check_killed(dir, done);
		free(dir);
	}
	munmap(done, sizeof(*done));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full_disk), cmocka_unit_test(test_broken_disk),
		cmocka_unit_test(test_keep_free), cmocka_unit_test(test_slow_disk),
		cmocka_unit_test(test_no_cut_meanwhile), cmocka_unit_test(test_gaps_of_parts),
		cmocka_unit_test(test_killed),
	};

	return cmocka_run_group_tests_name("rotate disk", tests, NULL, NULL);
}
