/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operations whose allocations are made to fail, one after the other.
 */
#ifndef FAILNTH_H
#define FAILNTH_H

#include <stdbool.h>

/* Prints @what and errno, and ends the program. */
_Noreturn void die(const char *what);

/**
 * struct op - something that allocates
 * @name: as it is called on the command line
 * @setup: before each attempt, NULL: nothing to do
 * @act: the one system call (or few) of which allocations fail. Return: negative,
 *	with errno set, when it failed
 * @undo: after each attempt; its argument is whether @act succeeded
 * @finish: after the last attempt; until then the module is in use. NULL: it is
 *	not, after each
 * @arg: argument of all three
 * @workers: it is the kernel's workers whose allocations fail
 * @max_step: of how many failures that are alike one is made to happen, where each
 *	takes long; 1: all happen
 * @tries: how often each is made to happen where it is the module's. More than 1:
 *	the allocator takes pages of its own now and then, so the same number is not
 *	always the same place
 */
struct op {
	const char *name;
	void (*setup)(const char *arg);
	int (*act)(const char *arg);
	void (*undo)(const char *arg, bool worked);
	void (*finish)(const char *arg, bool worked);
	const char *arg;
	bool workers;
	unsigned int max_step;
	unsigned int tries;
};

extern const struct op ops[];

/* The state of the module as its file "stats" has it, and its number of users. */
bool module_loaded(void);
bool module_idle(void);
long module_users(void);
void load_module(void);
void unload_module(void);

/* What a file says, which is a number. */
unsigned long long read_number(const char *path, int base);
void write_file(const char *path, const char *text);

#endif /* FAILNTH_H */
