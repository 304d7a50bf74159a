// SPDX-License-Identifier: GPL-2.0
/*
 * callset MODULE FUNCTION ARGUMENTS: a set for lifetrace's file "calls", on standard output, in one
 * write: of one function so many arguments of 8 bytes, and the result of 4.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uapi/lifetrace_call.h"

#define MOST	6

static struct {
	struct lt_call_set set;
	struct lt_call_function function;
	struct lt_call_step steps[2 * (MOST + 1)];
} __attribute__((packed)) all;

static void add(unsigned int *n, struct lt_call_step source, unsigned char size)
{
	all.steps[(*n)++] = source;
	all.steps[(*n)++] = (struct lt_call_step){ .op = LT_CALL_STORE, .size = size };
}

int main(int argc, char **argv)
{
	unsigned int n = 0, arguments = argc == 4 ? (unsigned int)strtoul(argv[3], NULL, 10) : 0;
	struct lt_call_function *f = &all.function;
	size_t size;

	if (argc != 4 || arguments > MOST || strlen(argv[1]) >= sizeof(f->module) ||
	    strlen(argv[2]) >= sizeof(f->name)) {
		fputs("usage: callset MODULE FUNCTION ARGUMENTS\n", stderr);
		return 2;
	}
	strcpy(f->module, argv[1]);
	strcpy(f->name, argv[2]);
	for (unsigned int i = 0; i < arguments; i++)
		add(&n, (struct lt_call_step){ .op = LT_CALL_ARG, .arg = (unsigned char)i }, 8);
	f->n_entry = (unsigned short)n;
	add(&n, (struct lt_call_step){ .op = LT_CALL_RESULT }, 4);
	f->n_return = (unsigned short)(n - f->n_entry);

	size = sizeof(all) - sizeof(all.steps) + n * sizeof(all.steps[0]);
	all.set = (struct lt_call_set){
		.magic = LT_CALL_MAGIC, .version = LT_CALL_VERSION, .functions = 1,
		.bytes = (unsigned int)(size - sizeof(all.set)),
	};
	if (write(STDOUT_FILENO, &all, size) != (ssize_t)size) {
		perror("callset");
		return 1;
	}
	return 0;
}
