// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of system calls, for the module: it knows numbers only.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/text.h"
#include "record/syscalls.h"
#include "syscalls/types.h"

#define N_CALLS		LT_ABOVE_NAMES	/* the module's lists have numbers below */

/* Marks the calls that match. Return: whether there is one. */
static bool match(const struct lt_abi *abi, const char *pattern, bool chosen[N_CALLS])
{
	bool any = false;

	for (int32_t nr = 0; nr < N_CALLS; nr++) {
		const char *name = lt_syscall_name(abi, nr);

		if (name && !fnmatch(pattern, name, 0))
			any = chosen[nr] = true;
	}
	return any;
}

/* "0,2,257-260" */
static char *list_of(const bool chosen[N_CALLS])
{
	struct lt_str s = { .n = 0 };

	for (int nr = 0, last; nr < N_CALLS; nr = last + 1) {
		last = nr;
		if (!chosen[nr])
			continue;
		while (last + 1 < N_CALLS && chosen[last + 1])
			last++;
		lt_str_add(&s, "%s%d", s.n ? "," : "", nr);
		if (last > nr)
			lt_str_add(&s, "-%d", last);
	}
	return s.s ? s.s : lt_strdup("");
}

int lt_record_syscall_lists(const char *machine, const char *names, char **native, char **compat)
{
	const struct lt_abi *abi = lt_abi_of(machine, false), *abi32 = lt_abi_of(machine, true);
	bool chosen[N_CALLS] = { false }, chosen32[N_CALLS] = { false };
	char *copy = lt_strdup(names), *rest = copy, *word;
	int err = 0;
	int32_t nr;

	if (!abi) {
		lt_error("--calls: the names of the system calls of %s are not known", machine);
		err = -1;
	}
	while (!err && (word = strsep(&rest, ",")) != NULL) {
		bool any = match(abi, word, chosen);

		any |= match(abi32, word, chosen32);
		if (lt_syscall_is_number(word, &nr) && nr >= 0 && nr < N_CALLS)
			any = chosen[nr] = chosen32[nr] = true;
		if (any)
			continue;
		if (lt_syscall_is_number(word, &nr))
			lt_error("--calls: expected a number below %d, found '%s'", N_CALLS, word);
		else
			lt_error("--calls: no system call of %s is called '%s'", machine, word);
		err = -1;
	}
	free(copy);
	if (err)
		return err;
	*native = list_of(chosen);
	*compat = list_of(chosen32);
	return 0;
}

static char *texts_of(const struct lt_abi *abi)
{
	char letters[LT_SYSCALL_MAX_ARGS + 1];
	struct lt_str s = { .n = 0 };

	for (int32_t nr = 0; nr < N_CALLS; nr++) {
		if (lt_syscall_text_letters(abi, nr, letters))
			lt_str_add(&s, "%s%" PRId32 ":%s", s.n ? "," : "", nr, letters);
	}
	return s.s ? s.s : lt_strdup("");
}

int lt_record_syscall_texts(const char *machine, char **native, char **compat)
{
	const struct lt_abi *abi = lt_abi_of(machine, false);

	if (!abi) {
		lt_error("--strings: the system calls of %s are not known", machine);
		return -1;
	}
	*native = texts_of(abi);
	*compat = texts_of(lt_abi_of(machine, true));
	return 0;
}

int lt_record_syscall_texts_here(char **native, char **compat)
{
	struct utsname u;

	return lt_record_syscall_texts(uname(&u) ? "?" : u.machine, native, compat);
}

bool lt_record_syscalls_are_listable(const char *names)
{
	char *copy = lt_strdup(names), *rest = copy, *word;
	bool listable = true;
	int32_t nr;

	while ((word = strsep(&rest, ",")) != NULL) {
		if (!fnmatch(word, "call_1000", 0) ||
		    (lt_syscall_is_number(word, &nr) && (nr < 0 || nr >= N_CALLS)))
			listable = false;
	}
	free(copy);
	return listable;
}

int lt_record_syscall_lists_here(const char *names, char **native, char **compat)
{
	struct utsname u;

	return lt_record_syscall_lists(uname(&u) ? "?" : u.machine, names, native, compat);
}
