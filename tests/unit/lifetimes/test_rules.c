// SPDX-License-Identifier: GPL-2.0
/*
 * The rules of lifetimes, checked against the tables of rules_rows.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lifetimes/rules.h"
#include "rules_rows.h"

#define BIRTH	10000000000ULL	/* of the holder: time 0 of the rows */
#define SITE	0xffffffff81000100ULL

/* ------------------------------------------------------------------------
 * Names, in the order of the enumerations
 */

static const char *const verdicts[LT_N_VERDICTS] = {
	"stay", "begin", "replace", "correct", "end_holder", "end_former", "end_unknown",
	"keep_free", "confirm", "release", "request", "request_again", "request_unknown", "cut",
	"join", "end_replaced", "end_request", "end_open",
};

static const char *const formers[LT_N_FORMERS] = {
	"-", "unseen", "missed", "freed", "guessed", "requested", "awaited",
};

static const char *const reasons[LT_N_REASONS] = {
	"not_held", "held", "twice", "task", "cpu", "cache", "age", "no_proof", "late", "lost",
	"filtered", "awaited", "other_cache", "release", "rcu", "unseen", "kept", "early",
	"larger", "smaller", "end",
};

static const char *const unsures[] = {
	"lost", "order", "late", "tainted", "unwatched", "sampled",
};

static const char *const classes[] = {
	[LT_CLASS_KMALLOC] = "kmalloc", [LT_CLASS_CACHE_ALLOC] = "cache_alloc",
	[LT_CLASS_BULK_ALLOC] = "bulk_alloc", [LT_CLASS_KFREE] = "kfree",
	[LT_CLASS_CACHE_FREE] = "cache_free", [LT_CLASS_BULK_FREE] = "bulk_free",
	[LT_CLASS_RCU_FREE] = "rcu_free", [LT_CLASS_PAGE_ALLOC] = "page_alloc",
	[LT_CLASS_PAGE_FREE] = "page_free",
};

static int find(const char *const *names, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++) {
		if (names[i] && !strcmp(names[i], word))
			return (int)i;
	}
	return -1;
}

/* ------------------------------------------------------------------------
 * From words to what a rule is given
 */

struct given {
	struct lt_lifetime_config config;
	struct lt_known known;
	struct lt_doubt doubt;
	struct lt_death request;
	struct lt_event ev;
	char rule[16];		/* "": by the class of the event */
};

static const struct lt_task task_a, task_b, task_c;

/* "+500", "-9s": a time in ns since the birth of the holder. */
static uint64_t read_time(const char *s)
{
	static const struct { const char *name; double ns; } units[] = {
		{ "", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
	};
	char *end;
	double n = strtod(s, &end);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(end, units[i].name))
			return BIRTH + (uint64_t)(int64_t)(n * units[i].ns);
	}
	fail_msg("no time: %s", s);
	return 0;
}

/* "NAME=N": N. False: another word. */
static bool number(const char *word, const char *name, uint64_t *n)
{
	size_t len = strlen(name);

	if (strncmp(word, name, len) || word[len] != '=')
		return false;
	*n = strtoull(word + len + 1, NULL, 0);
	return true;
}

static bool known_flag(struct given *g, const char *word)
{
	static const struct { const char *word; uint8_t flag; } flags[] = {
		{ "held", 0 }, { "split", LT_OBJ_SPLIT }, { "tainted", LT_OBJ_TAINTED },
		{ "rcu", LT_OBJ_RCU }, { "doubt", LT_OBJ_DOUBT }, { "unborn", LT_OBJ_UNBORN },
		{ "late", LT_OBJ_LATE }, { "awaited", LT_OBJ_AWAITED },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (strcmp(word, flags[i].word))
			continue;
		g->known.held = true;
		g->known.holder.flags |= flags[i].flag;
		return true;
	}
	return false;
}

/* The former holder, and the configuration. */
static bool known_else(struct given *g, const char *word)
{
	uint64_t n;

	if (!strcmp(word, "kept"))
		g->doubt.free.ending = LT_END_KFREE;
	else if (!strcmp(word, "f:kmalloc"))
		g->doubt.former.kind = LT_CLASS_KMALLOC;
	else if (!strcmp(word, "f:late"))
		g->doubt.former.flags |= LT_OBJ_LATE;
	else if (!strcmp(word, "f:rcu"))
		g->doubt.former.flags |= LT_OBJ_RCU;
	else if (number(word, "f:cache", &n))
		g->doubt.former.cache = (uint16_t)n;
	else if (!strcmp(word, "late_free"))
		g->config.late_free = true;
	else if (!strcmp(word, "min_size"))
		g->config.min_size = 64;
	else if (!strcmp(word, "unwatched"))
		g->config.unwatched_free[LT_SPACE_SLAB] = true;
	else
		return false;
	return true;
}

static void know(struct given *g, const char *word)
{
	struct lt_obj *obj = &g->known.holder;
	uint64_t n;

	if (known_flag(g, word) || known_else(g, word))
		return;
	if (!strncmp(word, "gap=", 4)) {
		g->known.gap_end = read_time(word + 4);
		return;
	}
	g->known.held = true;
	if (!strcmp(word, "kmalloc")) {
		obj->kind = LT_CLASS_KMALLOC;
		obj->bytes_req = 16000;
		obj->bytes_alloc = 16384;
	} else if (!strcmp(word, "irq")) {
		obj->context = LT_CTX_HARDIRQ;
	} else if (!strcmp(word, "page")) {
		g->known.space = LT_SPACE_PAGE;
		obj->kind = LT_CLASS_PAGE_ALLOC;
		g->doubt.former.kind = LT_CLASS_PAGE_ALLOC;
	} else if (number(word, "cache", &n)) {
		obj->cache = (uint16_t)n;
	} else if (number(word, "alloc", &n)) {
		obj->bytes_alloc = n;
	} else if (number(word, "order", &n)) {
		obj->order = (uint8_t)n;
	} else {
		fail_msg("not known: %s", word);
	}
}

static void happen(struct given *g, const char *word)
{
	struct lt_event *ev = &g->ev;
	int class = find(classes, sizeof(classes) / sizeof(classes[0]), word);
	uint64_t n;

	if (class >= 0)
		ev->class = (uint8_t)class;
	else if (word[0] == '+')
		ev->time = read_time(word);
	else if (!strcmp(word, "a"))
		ev->task = &task_a;
	else if (!strcmp(word, "b"))
		ev->task = &task_b;
	else if (!strcmp(word, "c"))
		ev->task = &task_c;
	else if (!strcmp(word, "irq"))
		ev->context = LT_CTX_HARDIRQ;
	else if (number(word, "cpu", &n))
		ev->cpu = (uint32_t)n;
	else if (number(word, "cache", &n))
		ev->cache = (uint16_t)n;
	else if (number(word, "order", &n))
		ev->order = (uint8_t)n;
	else if (number(word, "site", &n))
		ev->call_site = SITE + n;
	else if (number(word, "req", &n))
		ev->bytes_req = n;
	else if (number(word, "alloc", &n))
		ev->bytes_alloc = n;
	else if (number(word, "gfp", &n))
		ev->gfp = (uint32_t)n;
	else if (number(word, "node", &n))
		ev->node = (int32_t)n;
	else
		snprintf(g->rule, sizeof(g->rule), "%s", word);
	if (!strcmp(word, "overlap_free"))
		ev->class = LT_CLASS_PAGE_FREE;
	if (!strcmp(word, "overlap_alloc"))
		ev->class = LT_CLASS_PAGE_ALLOC;
}

static void each_word(struct given *g, const char *text,
		      void (*fn)(struct given *g, const char *word))
{
	char buf[128], *save, *word;

	snprintf(buf, sizeof(buf), "%s", text);
	for (word = strtok_r(buf, " ", &save); word; word = strtok_r(NULL, " ", &save))
		fn(g, word);
}

static void give(struct given *g, const struct row *row)
{
	struct lt_known *k = &g->known;

	memset(g, 0, sizeof(*g));
	g->config.page_shift = 12;
	k->space = LT_SPACE_SLAB;
	k->holder = (struct lt_obj){
		.time = BIRTH, .cache = 1, .kind = LT_CLASS_CACHE_ALLOC, .gfp = 1, .node = -1,
	};
	k->site = SITE;
	k->maker = &task_a;
	k->former_maker = &task_b;
	g->doubt.former = (struct lt_obj){
		.time = BIRTH - 500000, .cache = 1, .kind = LT_CLASS_CACHE_ALLOC, .cpu = 1,
	};
	g->doubt.reborn = BIRTH;
	g->request.time = BIRTH + 100;
	each_word(g, row->known, know);

	g->doubt.space = k->space;
	g->doubt.holder = k->holder;
	g->doubt.holder.flags = 0;
	if (k->holder.flags & LT_OBJ_DOUBT)
		k->doubt = &g->doubt;
	if (k->holder.flags & LT_OBJ_RCU)
		k->request = &g->request;
	k->late = k->holder.flags & LT_OBJ_LATE;
	if (lt_is_awaited(&k->holder) && strstr(row->known, "awaited")) {
		/* The table has the former holder, which is over. */
		k->holder = g->doubt.former;
		k->holder.flags |= LT_OBJ_AWAITED;
	} else if (lt_is_awaited(&k->holder)) {
		/* Of a holder in doubt the mark of its address is known, not the flag. */
		k->holder.flags &= (uint8_t)~LT_OBJ_LATE;
	}
	g->ev = (struct lt_event){
		.call_site = SITE, .bytes_req = k->holder.bytes_req, .node = -1, .gfp = 1,
		.bytes_alloc = k->holder.bytes_alloc,
	};
	each_word(g, row->event, happen);
}

static struct lt_verdict decide(const struct given *g)
{
	if (!strncmp(g->rule, "overlap", 7))
		return lt_rule_overlap(&g->config, &g->known, &g->ev);
	if (!strcmp(g->rule, "replaced"))
		return lt_rule_replaced(&g->known);
	if (!strcmp(g->rule, "time"))
		return lt_rule_time(&g->config, &g->doubt, g->ev.time);
	if (!strcmp(g->rule, "end"))
		return lt_rule_end(&g->config, &g->known);
	if (!strcmp(g->rule, "open"))
		return lt_rule_open(&g->known);
	if (g->rule[0])
		fail_msg("no such event: %s", g->rule);
	switch (g->ev.class) {
	case LT_CLASS_KMALLOC:
	case LT_CLASS_CACHE_ALLOC:
	case LT_CLASS_BULK_ALLOC:
	case LT_CLASS_PAGE_ALLOC:
		return lt_rule_birth(&g->config, &g->known, &g->ev);
	case LT_CLASS_RCU_FREE:
		return lt_rule_request(&g->config, &g->known);
	default:
		return lt_rule_free(&g->config, &g->known, &g->ev);
	}
}

/* ------------------------------------------------------------------------
 * Tests
 */

static void unsure_text(uint8_t unsure, char *buf, size_t size)
{
	buf[0] = 0;
	for (unsigned int i = 0; i < sizeof(unsures) / sizeof(unsures[0]); i++) {
		if (unsure & 1U << i)
			snprintf(buf + strlen(buf), size - strlen(buf), "%s%s", buf[0] ? " " : "",
				 unsures[i]);
	}
}

/* The order of the words does not matter. */
static uint8_t unsure_bits(const char *text)
{
	char buf[64], *save, *word;
	uint8_t bits = 0;

	snprintf(buf, sizeof(buf), "%s", text);
	for (word = strtok_r(buf, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		int i = find(unsures, sizeof(unsures) / sizeof(unsures[0]), word);

		assert_true(i >= 0);
		bits |= (uint8_t)(1U << i);
	}
	return bits;
}

static struct lt_verdict verdict_of(const struct row *row)
{
	int kind = find(verdicts, LT_N_VERDICTS, row->verdict);
	int former = find(formers, LT_N_FORMERS, row->former);
	int reason = find(reasons, LT_N_REASONS, row->reason);

	assert_true(kind >= 0 && former >= 0 && reason >= 0);
	return (struct lt_verdict){ (uint8_t)kind, (uint8_t)former, (uint8_t)reason,
				    unsure_bits(row->unsure) };
}

/* Return: whether the row holds; prints it if not. */
static bool check(const struct row *row, const char *table)
{
	struct lt_verdict want = verdict_of(row), v;
	char unsure[64];
	struct given g;

	give(&g, row);
	v = decide(&g);
	if (!memcmp(&v, &want, sizeof(v)))
		return true;
	unsure_text(v.unsure, unsure, sizeof(unsure));
	print_error("%s: %s | %s: expected %s %s %s [%s], got %s %s %s [%s]\n", table, row->known,
		    row->event, row->verdict, row->former, row->reason, row->unsure,
		    verdicts[v.kind], formers[v.former], reasons[v.reason], unsure);
	return false;
}

static void test_rows(void **state)
{
	unsigned int wrong = 0, n = 0;

	(void)state;
	for (size_t i = 0; i < N_TABLES; i++) {
		for (size_t k = 0; k < tables[i].n; k++) {
			wrong += !check(&tables[i].rows[k], tables[i].name);
			n++;
		}
	}
	if (wrong)
		fail_msg("%u of %u rows do not hold", wrong, n);
}

/* A verdict or a reason without a row is not tested; one that no rule returns is dead. */
static void test_all_reached(void **state)
{
	bool kinds[LT_N_VERDICTS] = { false };
	bool former[LT_N_FORMERS] = { false };
	bool reason[LT_N_REASONS] = { false };
	struct given g;

	(void)state;
	for (size_t i = 0; i < N_TABLES; i++) {
		for (size_t k = 0; k < tables[i].n; k++) {
			struct lt_verdict v;

			give(&g, &tables[i].rows[k]);
			v = decide(&g);
			kinds[v.kind] = former[v.former] = reason[v.reason] = true;
		}
	}
	for (size_t i = 0; i < LT_N_VERDICTS; i++) {
		if (!kinds[i])
			fail_msg("no row has the verdict %s", verdicts[i]);
	}
	for (size_t i = 0; i < LT_N_FORMERS; i++) {
		if (!former[i])
			fail_msg("no row has the former holder %s", formers[i]);
	}
	for (size_t i = 0; i < LT_N_REASONS; i++) {
		if (!reason[i])
			fail_msg("no row has the reason %s", reasons[i]);
	}
}

/* The rules are given nothing that they may change. */
static void test_nothing_changes(void **state)
{
	struct given g, before;

	(void)state;
	for (size_t i = 0; i < N_TABLES; i++) {
		for (size_t k = 0; k < tables[i].n; k++) {
			struct lt_verdict v, again;

			give(&g, &tables[i].rows[k]);
			before = g;
			v = decide(&g);
			again = decide(&g);
			assert_memory_equal(&g.known, &before.known, sizeof(g.known));
			assert_memory_equal(&g.doubt, &before.doubt, sizeof(g.doubt));
			assert_memory_equal(&g.ev, &before.ev, sizeof(g.ev));
			assert_memory_equal(&v, &again, sizeof(v));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_all_reached),
		cmocka_unit_test(test_nothing_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
