/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inside of struct lt_screen, for the two files that use ncurses.
 */
#ifndef LT_TOP_WINDOW_H
#define LT_TOP_WINDOW_H

#include <curses.h>
#include <stdio.h>

#include "base/log.h"
#include "top/detail.h"

#define MESSAGES	20	/* kept at the most */

enum mode { TABLE, HELP, DETAIL };
enum prompt { NO_PROMPT, SEARCH, FILTER };

/**
 * struct lt_screen - the screen
 * @top: what it shows
 * @terminal: of ncurses
 * @in: keys come from it
 * @own_in: it was opened here
 * @mode: what is on the screen
 * @prompt: what the last line asks for
 * @text: of the prompt
 * @search: what was searched for last
 * @first: the first row on the screen
 * @scroll: the first line of the help or detail
 * @detail: lines
 * @paused: the table stays
 * @note: for the last line; empty: none
 * @messages: of the library, kept until the terminal is given back
 */
struct lt_screen {
	struct lt_top *top;
	SCREEN *terminal;
	FILE *in;
	bool own_in;
	enum mode mode;
	enum prompt prompt;
	char text[64];
	char search[64];
	size_t first;
	size_t scroll;
	struct lt_top_detail detail;
	bool paused;
	char note[128];
	struct {
		enum lt_log_level level;
		char *text;
	} messages[MESSAGES];
	size_t n_messages;
};

/* draw.c: rows of the table that the window has room for. */
size_t lt_screen_rows(void);

#endif /* LT_TOP_WINDOW_H */
