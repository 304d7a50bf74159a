// SPDX-License-Identifier: GPL-2.0
/* Compares what is known of one task, and of all, with a text. */
#include "base/certainty.h"
#include "task_run.h"

#define AT(member)	offsetof(struct lt_task_inst, member)
#define SIZE(member)	sizeof(((struct lt_task_inst *)0)->member)
#define NUMBER(member)	{ #member, AT(member), SIZE(member) }

/* Numbers without a sign, and numbers of names. */
static const struct {
	const char *name;
	size_t at, size;
} numbers[] = {
	NUMBER(birth), NUMBER(end), NUMBER(release), NUMBER(ino), NUMBER(utime), NUMBER(tgid),
	NUMBER(uid), NUMBER(gid), NUMBER(n_exec), NUMBER(code), NUMBER(flags),
}, names[] = {
	NUMBER(comm), NUMBER(first_file), NUMBER(file),
};

static uint64_t number_at(const void *at, size_t size)
{
	uint16_t n2;
	uint32_t n4;
	uint64_t n8;

	switch (size) {
	case 2:
		memcpy(&n2, at, size);
		return n2;
	case 4:
		memcpy(&n4, at, size);
		return n4;
	case 8:
		memcpy(&n8, at, size);
		return n8;
	}
	return *(const uint8_t *)at;
}

void task_compare_whole(struct task_run *r, const char *found)
{
	char text[256];

	script_quoted(&r->p, text, sizeof(text));
	text_add(r->expected, sizeof(r->expected), "%s\n", text);
	text_add(r->found, sizeof(r->found), "%s\n", found);
}

static const char *cause_name(enum lt_task_cause cause)
{
	static const char *const causes[] = {
		[LT_TASK_WHY_NONE] = "none", [LT_TASK_WHY_LOST] = "lost",
		[LT_TASK_WHY_BEFORE] = "before", [LT_TASK_WHY_ALIVE] = "alive",
	};
	const char *name = cause < sizeof(causes) / sizeof(causes[0]) ? causes[cause] : NULL;

	return name ? name : "another";
}

/* Return: false: it is no member with a word for its value. */
static bool compare_word(struct task_run *r, const struct lt_task_inst *t)
{
	const struct {
		const char *name, *value;
	} words[] = {
		{ "birth_is", lt_certainty_name((enum lt_certainty)t->birth_is) },
		{ "death_is", lt_certainty_name((enum lt_certainty)t->death_is) },
		{ "ending", lt_task_ending_name((enum lt_task_ending)t->ending) },
		{ "birth_cause", cause_name(lt_task_birth_cause(r->tb, t)) },
		{ "end_cause", cause_name(lt_task_end_cause(r->tb, t)) },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!script_accept(&r->p, words[i].name))
			continue;
		BOTH(r, "%s ", words[i].name);
		text_add(r->found, sizeof(r->found), "%s\n", words[i].value);
		task_expect(r);
		return true;
	}
	return false;
}

static bool compare_stored(struct task_run *r, const struct lt_task_inst *t)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (script_accept(&r->p, numbers[i].name)) {
			BOTH(r, "%s ", numbers[i].name);
			task_compare_number(r, number_at((const char *)t + numbers[i].at,
							 numbers[i].size));
			return true;
		}
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (script_accept(&r->p, names[i].name)) {
			BOTH(r, "%s ", names[i].name);
			task_add_name(r, r->found, sizeof(r->found),
				      (uint32_t)number_at((const char *)t + names[i].at,
							  names[i].size));
			text_add(r->found, sizeof(r->found), "\n");
			task_expect(r);
			return true;
		}
	}
	return false;
}

void task_compare_inst(struct task_run *r, const struct lt_task_inst *t)
{
	static const char *const others[] = {
		"creator", "oom_score_adj", "birth_why", "end_why", NULL
	};
	const struct lt_task_inst *creator;
	unsigned int other;
	char buf[96];

	if (compare_word(r, t) || compare_stored(r, t))
		return;
	other = script_choice(&r->p, others, "no member of a task:");
	BOTH(r, "%s ", others[other]);
	switch (other) {
	case 0:
		creator = lt_tasks_get(r->tb, t->creator);
		text_add(r->found, sizeof(r->found), "%u/%llu\n", creator->tid,
			 (unsigned long long)creator->start);
		task_expect(r);
		break;
	case 1:
		text_add(r->found, sizeof(r->found), "%d\n", t->oom_score_adj);
		task_expect(r);
		break;
	case 2:
		task_compare_whole(r, lt_task_birth_why(r->tb, t, buf, sizeof(buf)));
		break;
	case 3:
		task_compare_whole(r, lt_task_end_why(r->tb, t, buf, sizeof(buf)));
		break;
	}
}

bool task_compare_total(struct task_run *r)
{
	uint64_t time;

	if (script_accept(&r->p, "tasks")) {
		BOTH(r, "tasks ");
		task_compare_number(r, lt_tasks_count(r->tb));
		return true;
	}
	if (!script_accept(&r->p, "boot_time"))
		return false;
	time = script_next_time(&r->p);
	BOTH(r, "boot_time %llu ", (unsigned long long)time);
	task_compare_number(r, lt_tasks_boot_time(r->tb, time));
	return true;
}
