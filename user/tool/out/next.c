// SPDX-License-Identifier: GPL-2.0
/*
 * What to type next, after a trace was written.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "out/next.h"

char *lt_shell_word(const char *text)
{
	const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789_./:+@,=-";
	struct lt_str s = { 0 };

	if (*text && !text[strspn(text, plain)])
		return lt_strdup(text);
	lt_str_put(&s, "'");
	/* There is no quote between quotes. */
	for (size_t n; text[n = strcspn(text, "'")]; text += n + 1) {
		lt_str_bytes(&s, text, n);
		lt_str_put(&s, "'\\''");
	}
	lt_str_add(&s, "%s'", text);
	return s.s;
}

static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	while (list && *list && *list != '\n') {
		size_t n = strcspn(list, ",\n");

		if (n == len && !memcmp(list, word, n))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

struct lt_next lt_next_of(const char *events, const char *channels)
{
	struct lt_next has = {
		.tasks = has_word(channels, "pid"), .syscalls = has_word(channels, "syscall"),
		.calls = has_word(channels, "call"),
	};

	for (int space = LT_SPACE_SLAB; space < LT_N_MEMORY && !has.memory; space++) {
		has.space = (enum lt_space)space;
		has.memory = lt_space_listed(events, has.space);
	}
	return has;
}

void lt_next_say(FILE *f, const char *file, const struct lt_next *has)
{
	const struct {
		bool has;
		const char *words;
	} commands[] = {
		{ has->memory, "report" },
		{ has->memory, "lifetimes" },
		{ has->syscalls, "syscalls" },
		{ has->calls, "calls" },
		{ has->tasks && !has->memory, "tree" },
		{ has->tasks && !has->memory && !has->syscalls, "tasks" },
		{ has->verify, "verify" },
	};
	char *word = lt_shell_word(file);
	const char *blanks = "";

	fputs("next:", f);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!commands[i].has)
			continue;
		fprintf(f, "%s lifetrace %s", blanks, commands[i].words);
		if (!strcmp(commands[i].words, "report") && has->space != LT_SPACE_SLAB)
			fprintf(f, " --space=%s", lt_space_words(has->space)->name);
		fprintf(f, " %s", word);
		blanks = "  ";
	}
	fputc('\n', f);
	free(word);
}
