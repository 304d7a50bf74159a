// SPDX-License-Identifier: GPL-2.0
/*
 * The parameters of a session of the BPF programs.
 */
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace.h"
#include "base/mem.h"
#include "base/text.h"
#include "bpf/params.h"
#include "out/log.h"

/* @only: the values that can be had, between commas; NULL: any. */
static const struct {
	const char *name;
	const char *standard;
	const char *only;
} params[LT_BPF_N_PARAMS] = {
	{ "events", "slab,tasks", NULL },
	{ "clock", "auto", "auto,mono" },
	{ "mode", "stream", "stream" },
	{ "freeze", "N", "N,0" },
	{ "min_size", "0", NULL },
	{ "sample", "1", NULL },
	{ "stacks", "0", NULL },
	{ "stack_min", "0", NULL },
	{ "stack_depth", "16", NULL },
	{ "stacks_free", "N", "N,0" },
	{ "stacks_pages", "N", "N,0" },
	{ "max_size", "0", NULL },
	{ "only_caches", "", "" },
	{ "only_code", "", "" },
	{ "only_pid", "0", NULL },
	{ "only_cgroup", "", NULL },
	{ "calls", "", NULL },
	{ "calls32", "", NULL },
	{ "call_errors", "N", NULL },
	{ "call_min", "0", NULL },
	{ "call_texts", "", "" },
	{ "call_texts32", "", "" },
	{ "subbuf_size", "262144", NULL },
	{ "n_subbufs", "16", NULL },
	{ "pid_subbuf_size", "65536", NULL },
	{ "pid_n_subbufs", "16", NULL },
};

/* Events, what else asks for them, and those that no program can watch. */
static const struct event {
	const char *name;
	const char *group;
	unsigned int channel;
} events[] = {
	{ "kmalloc", "slab", LT_CHANNEL_KMEM },
	{ "kmem_cache_alloc", "slab", LT_CHANNEL_KMEM },
	{ "kfree", "slab", LT_CHANNEL_KMEM },
	{ "kmem_cache_free", "slab", LT_CHANNEL_KMEM },
	{ "bulk_alloc", "slab", LT_CHANNEL_KMEM },
	{ "bulk_free", "slab", LT_CHANNEL_KMEM },
	{ "rcu_free", "slab", LT_CHANNEL_KMEM },
	{ "resize", "slab", LT_CHANNEL_KMEM },
	{ "cache_gone", "slab", LT_CHANNEL_KMEM },
	{ "page_alloc", "pages", LT_CHANNEL_KMEM },
	{ "page_free", "pages", LT_CHANNEL_KMEM },
	{ "page_free_batched", "pages", LT_CHANNEL_KMEM },
	{ "task_exit", NULL, LT_CHANNEL_KMEM },
	{ "task_new", "tasks", LT_CHANNEL_PID },
	{ "exec", "tasks", LT_CHANNEL_PID },
	{ "exit", "tasks", LT_CHANNEL_PID },
	{ "release", "tasks", LT_CHANNEL_PID },
	{ "rename", "tasks", LT_CHANNEL_PID },
	{ "oom_score_adj", "tasks", LT_CHANNEL_PID },
	{ "cred", "tasks", LT_CHANNEL_PID },
	{ "cgroup", "tasks", LT_CHANNEL_PID },
	{ "number", "tasks", LT_CHANNEL_PID },
	{ "number_free", "tasks", LT_CHANNEL_PID },
	{ "percpu_alloc", "percpu", LT_CHANNEL_AREA },
	{ "percpu_free", "percpu", LT_CHANNEL_AREA },
	{ "vmalloc", "vmalloc", LT_CHANNEL_AREA },
	{ "vfree", "vmalloc", LT_CHANNEL_AREA },
	{ "sys_enter", "syscall", LT_CHANNEL_SYSCALL },
	{ "sys_exit", "syscall", LT_CHANNEL_SYSCALL },
	{ "sys_death", "syscall", LT_CHANNEL_SYSCALL },
};

#define N_EVENTS	(sizeof(events) / sizeof(events[0]))

static int find(const char *name)
{
	for (int i = 0; i < LT_BPF_N_PARAMS; i++) {
		if (!strcmp(params[i].name, name))
			return i;
	}
	return -1;
}

void lt_bpf_params_copy(struct lt_bpf_params *copy, const struct lt_bpf_params *p)
{
	for (unsigned int i = 0; i < LT_BPF_N_PARAMS; i++)
		copy->values[i] = p->values[i] ? lt_strdup(p->values[i]) : NULL;
}

void lt_bpf_params_free(struct lt_bpf_params *p)
{
	for (unsigned int i = 0; i < LT_BPF_N_PARAMS; i++)
		free(p->values[i]);
}

const char *lt_bpf_param(const struct lt_bpf_params *p, const char *name)
{
	int i = find(name);

	if (i < 0)
		return NULL;
	return p->values[i] ? p->values[i] : params[i].standard;
}

uint64_t lt_bpf_param_number(const struct lt_bpf_params *p, const char *name)
{
	const char *value = lt_bpf_param(p, name);
	uint64_t number = 0;

	return value && lt_number(value, 10, &number) ? number : 0;
}

/* Calls @fn for each word of a list. Return: the first result that is not 0. */
static int each_word(const char *list, int (*fn)(void *arg, const char *word, size_t len),
		     void *arg)
{
	size_t len;
	int ret = 0;

	for (; *list && !ret; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		ret = fn(arg, list, len);
	}
	return ret;
}

static bool is_word(const char *word, size_t len, const char *name)
{
	return name && strlen(name) == len && !memcmp(word, name, len);
}

static int is_one(void *arg, const char *word, size_t len)
{
	return is_word(word, len, arg);
}

static int is_unknown(void *arg, const char *word, size_t len)
{
	if (!len || is_word(word, len, "all"))
		return 0;
	/* Requests are calls that others make: with system calls they are named as not watched. */
	if (is_word(word, len, "uring") && each_word(arg, is_one, (void *)"syscall"))
		return 0;
	for (size_t i = 0; i < N_EVENTS; i++) {
		if (is_word(word, len, events[i].name) || is_word(word, len, events[i].group))
			return 0;
	}
	lt_error("--events: the engine bpf cannot watch '%.*s'; it watches slab, tasks, pages, percpu, vmalloc and "
		 "syscall",
		 (int)len, word);
	return -1;
}

static bool can_be(int i, const char *value)
{
	char *word = lt_strdup(value);
	bool yes = !params[i].only || (!*params[i].only && !*value) ||
		   (*value && each_word(params[i].only, is_one, word));

	free(word);
	return yes;
}

int lt_bpf_param_set(struct lt_bpf_params *p, const char *name, const char *value)
{
	int i = find(name);
	char *text = lt_strdup(value);

	text[strcspn(text, "\n")] = 0;
	if (i < 0 || !can_be(i, text)) {
		lt_error("the engine bpf cannot do what %s=%s asks for; leave the option out, or record with "
			 "the module", name, text);
		free(text);
		return -1;
	}
	if (!strcmp(name, "events") && each_word(text, is_unknown, text)) {
		free(text);
		return -1;
	}
	free(p->values[i]);
	p->values[i] = text;
	return 0;
}

static int asks_for(void *arg, const char *word, size_t len)
{
	const struct event *e = arg;

	return is_word(word, len, "all") || is_word(word, len, e->name) ||
	       is_word(word, len, e->group);
}

static bool wants(const struct lt_bpf_params *p, const struct event *e)
{
	return !e->group || each_word(lt_bpf_param(p, "events"), asks_for, (void *)e);
}

bool lt_bpf_param_wants(const struct lt_bpf_params *p, unsigned int channel, const char *event)
{
	for (size_t i = 0; i < N_EVENTS; i++) {
		if (events[i].channel == channel && !strcmp(events[i].name, event))
			return wants(p, &events[i]);
	}
	return false;
}

bool lt_bpf_param_flag(const struct lt_bpf_params *p, const char *name)
{
	const char *value = lt_bpf_param(p, name);

	return value && strchr("1Yy", *value) && *value;
}

bool lt_bpf_param_numbers(const struct lt_bpf_params *p, const char *name, uint64_t *bits,
			  unsigned int n)
{
	char *copy = lt_strdup(lt_bpf_param(p, name)), *rest = copy, *word, *end;
	bool good = true;

	while (good && *copy && (word = strsep(&rest, ",")) != NULL) {
		unsigned long first = strtoul(word, &end, 10);
		unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

		good = end != word && !*end && first <= last && last < n;
		for (; good && first <= last; first++)
			bits[first / 64] |= 1ULL << first % 64;
	}
	free(copy);
	return good;
}

bool lt_bpf_param_filters(const struct lt_bpf_params *p)
{
	return lt_bpf_param_number(p, "max_size") || lt_bpf_param_number(p, "only_pid") ||
	       *lt_bpf_param(p, "only_cgroup");
}

unsigned int lt_bpf_param_channels(const struct lt_bpf_params *p)
{
	unsigned int channels = 1U << LT_CHANNEL_KMEM;

	for (size_t i = 0; i < N_EVENTS; i++) {
		if (wants(p, &events[i]))
			channels |= 1U << events[i].channel;
	}
	return channels;
}
