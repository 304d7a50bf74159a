/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside the scenarios (scenario.h): a parsed text. script.c reads and prints the
 * notation, scenario.c runs it on the engine, scenario_trace.c by way of a trace.
 */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <setjmp.h>

#include "lifetime_test.h"
#include "scenario.h"

enum step_kind {
	STEP_EVENT,
	STEP_FILTERED,		/* an event that a filter left out */
	STEP_CONFIG,
	STEP_LOST,
	STEP_CACHES,
	STEP_END,
	STEP_CHECK,
};

/**
 * struct step - one step
 * @kind: enum step_kind
 * @ev: STEP_EVENT, STEP_FILTERED: the event
 * @letter: STEP_EVENT: the letter of its object, P for pages; 0: none
 * @number: of an allocation: its number among those of its letter
 * @space: STEP_LOST: of the events, LT_SPACE_NONE: of all
 * @value: STEP_LOST, STEP_END: time; STEP_CHECK: the count; STEP_CACHES: are known
 * @count: STEP_CHECK: the name of the count
 * @expects: lifetimes were given
 * @first, @n: these, in the script's list
 */
struct step {
	enum step_kind kind;
	struct lt_event ev;
	char letter;
	unsigned int number;
	enum lt_space space;
	uint64_t value;
	char count[32];
	bool expects;
	size_t first, n;
};

enum death {
	DEATH_FREED,
	DEATH_REBORN,
	DEATH_ALIVE,
};

/**
 * struct life - a lifetime in terms of the notation
 * @letter: of the object, P for pages
 * @number: of its allocation, 0: not seen
 * @certainty: enum lt_certainty
 * @death: enum death
 * @cache: of an object whose allocation was not seen: cache id, 0: not known
 * @split: of pages whose allocation was not seen: not all pages of their free
 * @born: time of birth
 * @first, @pages: of a part of a page block
 * @freed: time of the free
 * @died: time of death
 * @limbo: ns from an rcu_free until the memory was given back, 0: not seen
 * @further: see struct lt_lifetime; UINT64_MAX: not compared
 */
struct life {
	char letter;
	unsigned int number;
	enum lt_certainty certainty;
	enum death death;
	unsigned int cache;
	bool split;
	uint64_t born;
	uint64_t first, pages;
	uint64_t freed;
	uint64_t died;
	uint64_t limbo;
	uint64_t further;
};

#define SCRIPT_STEPS	40
#define SCRIPT_LIVES	40

struct script {
	struct lt_lifetime_config config;
	struct step steps[SCRIPT_STEPS];
	size_t n_steps;
	struct life lives[SCRIPT_LIVES];
	size_t n_lives;
	uint64_t end;		/* of the trace: the last event's time, or by "end" */
	char error[4096];	/* what was wrong with the text or, later, with what it gave */
};

struct parser {
	struct script *s;
	const char *text;
	const char *pos;	/* what is read next */
	const char *at;		/* where the latest word began */
	char word[128];		/* the latest word, "" at the end */
	jmp_buf failed;
};

/* script.c */

/* Reads a text. False: @s->error says what is wrong with it, and where. */
bool script_parse(struct script *s, const char *text);

/* The allocation with this number of a letter. NULL: there are not so many. */
const struct step *script_birth(const struct script *s, char letter, unsigned int number);

/* script_life.c */

/* The list of lifetimes that ends a step. */
void script_lives(struct parser *p, struct step *step);
/* Appends a lifetime in the notation. */
void script_print(const struct script *s, const struct life *life, char *buf, size_t size);

/* script_words.c */

/* Appends to a text in a buffer. */
void text_add(char *buf, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Ends the parsing; the message shows where in the text the latest word stands. */
_Noreturn void script_fail(struct parser *p, const char *what);
/* The next word: "|", ";" and "->" are words, others end at a blank or at one of these. */
const char *script_next(struct parser *p);
/* Reads the next word if it is this one. */
bool script_accept(struct parser *p, const char *word);
/* Whether a word is left in this step or lifetime; it is not read. */
bool script_more(struct parser *p);
/* The index of the next word in a list that NULL ends. */
unsigned int script_choice(struct parser *p, const char *const words[], const char *what);
uint64_t script_next_integer(struct parser *p);
uint64_t script_next_time(struct parser *p);
/* Parts of the latest word: a number, or a sum of numbers with or without a unit, at *@c. */
uint64_t script_integer(struct parser *p, const char **c);
uint64_t script_duration(struct parser *p, const char **c);
void script_end_of_word(struct parser *p, const char *c);
/* A text between backquotes. */
void script_quoted(struct parser *p, char *text, size_t size);

/* scenario.c */

/*
 * Compares all lifetimes from *@seen on with those of @step (NULL: none), and adds to
 * @s->error where they differ.
 */
void script_compare(struct script *s, const struct run *r, unsigned int *seen,
		    const struct step *step);
/* Checks the counts of a finished run against its lifetimes. */
void script_check_sums(struct script *s, const struct run *r);

#endif /* SCRIPT_H */
