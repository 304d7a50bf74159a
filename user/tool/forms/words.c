// SPDX-License-Identifier: GPL-2.0
/*
 * The words that an option may have for its value, for completion.
 */
#include <stdlib.h>

#include "forms/words.h"
#include "out/log.h"

static void (*take_word)(void *arg, const char *word, bool list);
static void *take_arg;

void lt_words_ask(void (*take)(void *arg, const char *word, bool list), void *arg)
{
	take_word = take;
	take_arg = arg;
}

bool lt_words_asked(void)
{
	return take_word;
}

void lt_words_give(const char *word, bool list)
{
	take_word(take_arg, word, list);
}

void lt_words_end(void)
{
	exit(LT_EXIT_OK);
}

void lt_words_offer(const char *const words[], bool list)
{
	if (!lt_words_asked())
		return;
	for (unsigned int i = 0; words[i]; i++)
		lt_words_give(words[i], list);
	lt_words_end();
}
