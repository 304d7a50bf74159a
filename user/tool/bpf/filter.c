// SPDX-License-Identifier: GPL-2.0
/*
 * Whose work is kept: the tasks of a tree, and those of a cgroup.
 */
#ifdef LT_HAVE_LIBBPF

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "bpf/internal.h"

#define TREE_BITS	22	/* as in prog/filter.h */

struct tasks {
	struct lt_bpf_task *rows;
	bool *in;
	size_t n;
	size_t cap;
};

static void add(void *arg, const struct lt_bpf_task *t)
{
	struct tasks *all = arg;

	all->rows = lt_grow(all->rows, &all->cap, all->n, sizeof(*all->rows));
	all->rows[all->n++] = *t;
}

/* Those of the process, and of all that they created and that have not been given to others. */
static void choose(struct tasks *t, uint32_t pid)
{
	bool more = true;

	t->in = lt_alloc_array(t->n ? t->n : 1, sizeof(*t->in));
	for (size_t i = 0; i < t->n; i++)
		t->in[i] = t->rows[i].id.tgid == pid;
	while (more) {
		more = false;
		for (size_t i = 0; i < t->n; i++) {
			for (size_t k = 0; !t->in[i] && k < t->n; k++) {
				if (t->in[k] && t->rows[k].id.tgid == t->rows[i].attr.parent)
					more = t->in[i] = true;
			}
		}
	}
}

static void set_bits(const struct lt_bpf *b, const struct bpf_map *m, const struct tasks *t)
{
	uint64_t *bits = lt_alloc((1U << TREE_BITS) / 8);

	for (size_t i = 0; i < t->n; i++) {
		if (t->in[i])
			bits[t->rows[i].id.tid >> 6] |= 1ULL << (t->rows[i].id.tid & 63);
	}
	for (uint32_t i = 0; i < 1U << (TREE_BITS - 6); i++) {
		if (bits[i])
			b->lib->bpf_map_update_elem(b->lib->bpf_map__fd(m), &i, &bits[i], 0);
	}
	free(bits);
}

/* Births of tasks are followed already: who is born meanwhile is in the tree, or in the rows. */
static bool set_tree(struct lt_bpf *b, uint32_t pid, struct lt_why *why)
{
	struct tasks t = { 0 };
	bool good = lt_bpf_tasks(b, add, &t, why) >= 0, any = false;

	if (good)
		choose(&t, pid);
	for (size_t i = 0; good && i < t.n; i++)
		any |= t.in[i];
	if (good && !any)
		lt_why_set(why, "there is no process %u", pid);
	for (size_t i = 0; good && any && i < LT_BPF_N_PARTS; i++) {
		struct bpf_object *o = b->channels[i].object;
		struct bpf_map *m = o ? b->lib->bpf_object__find_map_by_name(o, "tree") : NULL;

		if (m)
			set_bits(b, m, &t);
	}
	free(t.in);
	free(t.rows);
	return good && any;
}

static bool set_cgroup(struct lt_bpf *b, const char *path, struct lt_why *why)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
	uint32_t zero = 0;

	if (fd < 0)
		err = errno;
	for (size_t i = 0; !err && i < LT_BPF_N_PARTS; i++) {
		struct bpf_object *o = b->channels[i].object;
		struct bpf_map *m = o ? b->lib->bpf_object__find_map_by_name(o, "cgroup") : NULL;

		if (m && b->lib->bpf_map_update_elem(b->lib->bpf_map__fd(m), &zero, &fd, 0))
			err = errno;
	}
	if (fd >= 0)
		close(fd);
	if (err)
		lt_why_set(why, "%.100s is no cgroup of version 2: %s", path, strerror(err));
	return !err;
}

bool lt_bpf_filter(struct lt_bpf *b, struct lt_why *why)
{
	return (!b->only_pid || set_tree(b, b->only_pid, why)) &&
	       (!b->only_cgroup || set_cgroup(b, b->only_cgroup, why));
}

#endif /* LT_HAVE_LIBBPF */
