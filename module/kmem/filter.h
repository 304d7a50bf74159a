/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters of births: by cache, size and caller; by task and cgroup see core/only.h.
 */
#ifndef LT_FILTER_H
#define LT_FILTER_H

#include <linux/types.h>

struct kmem_cache;
struct seq_file;

#define LT_FILTER_TEXT	256

/**
 * struct lt_birth_filter - which births a session keeps, as the parameters say it
 * @max_size: no larger requests; 0: any
 * @caches: names of caches, "dentry,kmalloc-96,ext4*"; "": all
 * @code: ranges of callers, "0xffffffffc0000000-0xffffffffc0010000,..."; "": any
 */
struct lt_birth_filter {
	unsigned long max_size;
	char caches[LT_FILTER_TEXT];
	char code[LT_FILTER_TEXT];
};

/* The session keeps some births only, be it by lt_only_on. Set before probes are attached. */
extern bool lt_births_on;

bool lt_birth_filter_is_set(const struct lt_birth_filter *f);
const char *lt_birth_filter_refused(const struct lt_birth_filter *f, bool pages);
int lt_births_open(const struct lt_birth_filter *f);
void lt_births_close(void);
void lt_births_show_info(struct seq_file *m);

bool lt_object_left_out(unsigned long *call_site, const struct kmem_cache *s, size_t bytes_req,
			size_t bytes_alloc);
bool lt_pages_left_out(unsigned int order);
void lt_births_forget_cache(const struct kmem_cache *s);

#endif /* LT_FILTER_H */
