/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The words that an option may have for its value. They stand in one place, where the option is
 * parsed. Completion asks the parser itself: it has an empty value parsed, and what would look for
 * that among its words gives these as the answer instead.
 */
#ifndef LT_FORMS_WORDS_H
#define LT_FORMS_WORDS_H

#include <stdbool.h>

/**
 * lt_words_ask() - from now on answer with words
 * @take: gets each word; @list: the value is a list, of which commas separate the words
 */
void lt_words_ask(void (*take)(void *arg, const char *word, bool list), void *arg);

/* Whether words are asked for. Then all go to lt_words_give(), and lt_words_end() follows. */
bool lt_words_asked(void);
void lt_words_give(const char *word, bool list);
/* Ends the program, whose question is answered. */
void lt_words_end(void);

/* All that: gives @words, which end with NULL, if they are asked for. */
void lt_words_offer(const char *const words[], bool list);

#endif /* LT_FORMS_WORDS_H */
