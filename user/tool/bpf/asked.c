// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that run when they are asked: tasks, slab caches.
 */
#ifdef LT_HAVE_LIBBPF

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "bpf/internal.h"

static struct bpf_object *open_some(const struct lt_bpf *b, const char *const *names, size_t n,
				    struct lt_why *why)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "lifetrace");
	struct bpf_object *o = b->lib->bpf_object__open_mem(lt_bpf_image_asked.bytes,
							    lt_bpf_image_asked.size, &options);
	struct bpf_program *p = NULL;
	int err;

	if (!o) {
		lt_why_set(why, "the programs cannot be opened: %s", strerror(errno));
		return NULL;
	}
	while ((p = b->lib->bpf_object__next_program(o, p))) {
		bool wanted = false;

		for (size_t i = 0; i < n; i++)
			wanted |= !strcmp(b->lib->bpf_program__name(p), names[i]);
		b->lib->bpf_program__set_autoload(p, wanted);
	}
	err = -b->lib->bpf_object__load(o);
	if (!err)
		return o;
	lt_why_set(why, "programs cannot be loaded: %s%s", strerror(err), lt_bpf_needs(err));
	b->lib->bpf_object__close(o);
	return NULL;
}

/* Some hosts refuse all programs of functions, whatever the kernel's configuration says. */
bool lt_bpf_functions_work(const struct lt_bpf *b, struct lt_why *why)
{
	static const char *const name = "no_function";
	struct bpf_object *o = open_some(b, &name, 1, why);

	if (o)
		b->lib->bpf_object__close(o);
	return o != NULL;
}

bool lt_bpf_asked_load(struct lt_bpf *b, struct lt_why *why)
{
	static const char *const names[] = {
		"each_cache", "each_task", "one_cache", "each_number",
	};
	struct lt_bpf_asked *a = &b->asked;
	size_t first = lt_bpf_has_type(&b->kernel, "bpf_iter__kmem_cache") ? 0 : 1;
	size_t n = sizeof(names) / sizeof(names[0]) - first;
	struct lt_why none;

	/* Without the last one, numbers in inner namespaces may be of tasks that are not known. */
	a->object = open_some(b, names + first, n, &none);
	if (!a->object)
		a->object = open_some(b, names + first, --n, why);
	if (!a->object)
		return false;
	a->tasks = b->lib->bpf_object__find_program_by_name(a->object, "each_task");
	a->cache = b->lib->bpf_object__find_program_by_name(a->object, "one_cache");
	if (!first)
		a->caches = b->lib->bpf_object__find_program_by_name(a->object, "each_cache");
	if (first + n == sizeof(names) / sizeof(names[0]))
		a->numbers = b->lib->bpf_object__find_program_by_name(a->object, "each_number");
	return true;
}

void lt_bpf_asked_close(struct lt_bpf *b)
{
	if (b->asked.object)
		b->lib->bpf_object__close(b->asked.object);
	b->asked = (struct lt_bpf_asked){ 0 };
}

/* ------------------------------------------------------------------------
 * Iterators
 */

/* Rows of @size bytes until the end; a read may end within one. */
static bool read_rows(int fd, size_t size, void (*row)(void *arg, const void *row), void *arg,
		      struct lt_why *why)
{
	uint8_t buf[8192];
	size_t have = 0, at;
	ssize_t n;

	for (;;) {
		n = read(fd, buf + have, sizeof(buf) - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		have += (size_t)n;
		for (at = 0; have - at >= size; at += size)
			row(arg, buf + at);
		memmove(buf, buf + at, have - at);
		have -= at;
	}
	if (!n && !have)
		return true;
	lt_why_set(why, "the rows of a program cannot be read: %s", n ? strerror(errno) : "cut");
	return false;
}

bool lt_bpf_iterate(const struct lt_bpf *b, struct bpf_program *p, size_t size,
		    void (*row)(void *arg, const void *row), void *arg, struct lt_why *why)
{
	struct bpf_link *link = b->lib->bpf_program__attach_iter(p, NULL);
	bool good = false;
	int fd;

	if (!link) {
		lt_why_set(why, "a program cannot be attached: %s", strerror(errno));
		return false;
	}
	fd = b->lib->bpf_iter_create(b->lib->bpf_link__fd(link));
	if (fd < 0)
		lt_why_set(why, "a program cannot be run: %s", strerror(errno));
	else
		good = read_rows(fd, size, row, arg, why);
	if (fd >= 0)
		close(fd);
	b->lib->bpf_link__destroy(link);
	return good;
}

struct task_rows {
	lt_bpf_task_row *row;
	void *arg;
	long n;
};

static void task_row(void *arg, const void *row)
{
	struct task_rows *t = arg;

	t->row(t->arg, row);
	t->n++;
}

long lt_bpf_tasks(struct lt_bpf *b, lt_bpf_task_row *row, void *arg, struct lt_why *why)
{
	struct task_rows t = { row, arg, 0 };

	if (!lt_bpf_iterate(b, b->asked.tasks, sizeof(struct lt_bpf_task), task_row, &t, why))
		return -1;
	return t.n;
}

struct number_rows {
	lt_bpf_number_row *row;
	void *arg;
	long n;
};

static void number_row(void *arg, const void *row)
{
	struct number_rows *t = arg;

	t->row(t->arg, row);
	t->n++;
}

long lt_bpf_task_numbers(struct lt_bpf *b, lt_bpf_number_row *row, void *arg, struct lt_why *why)
{
	struct number_rows t = { row, arg, 0 };

	if (!b->asked.numbers) {
		lt_why_set(why, "this kernel lets no program list the numbers of tasks");
		return -1;
	}
	if (!lt_bpf_iterate(b, b->asked.numbers, sizeof(struct lt_bpf_task_number), number_row, &t,
			    why))
		return -1;
	return t.n;
}

/* fs/proc/array.c: the letters of the bits of state and exit_state, the lowest first. */
char lt_bpf_state_letter(const struct lt_bpf_task *task)
{
	static const char letters[] = "RSDTtXZPI";
	uint32_t state = (task->state & 0x7f) | (task->exit_state & 0x7f);
	unsigned int i = 0;

	/* TASK_IDLE; and what waits for a lock of PREEMPT_RT sleeps uninterruptibly. */
	if (task->state == 0x402)
		return 'I';
	if (task->state & 0x1000)
		state = 2;
	while (state >> i)
		i++;
	return letters[i < sizeof(letters) - 1 ? i : 0];
}

struct cache_rows {
	lt_bpf_cache_row *row;
	void *arg;
	long n;
};

static void cache_row(void *arg, const void *row)
{
	struct cache_rows *c = arg;

	c->row(c->arg, row);
	c->n++;
}

long lt_bpf_caches(struct lt_bpf *b, lt_bpf_cache_row *row, void *arg, struct lt_why *why)
{
	struct cache_rows c = { row, arg, 0 };

	if (!b->asked.caches) {
		lt_why_set(why, "this kernel has no list of slab caches for programs");
		return -1;
	}
	if (!lt_bpf_iterate(b, b->asked.caches, sizeof(struct lt_bpf_asked_cache), cache_row, &c,
			    why))
		return -1;
	return c.n;
}

/* What was a cache may be anything by now. */
static bool is_plausible(const struct lt_bpf_asked_cache *c)
{
	size_t n = strnlen(c->name, sizeof(c->name));

	if (!n || n == sizeof(c->name) || !c->object_size || c->object_size > c->size ||
	    c->size > 1U << 26)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (c->name[i] < ' ' || c->name[i] > '~')
			return false;
	}
	return true;
}

bool lt_bpf_cache(struct lt_bpf *b, uint64_t addr, struct lt_bpf_asked_cache *cache)
{
	LIBBPF_OPTS(bpf_test_run_opts, o, .ctx_in = cache, .ctx_size_in = sizeof(*cache));

	*cache = (struct lt_bpf_asked_cache){ .addr = addr };
	if (b->lib->bpf_prog_test_run_opts(b->lib->bpf_program__fd(b->asked.cache), &o))
		return false;
	return is_plausible(cache);
}

#endif /* LT_HAVE_LIBBPF */
