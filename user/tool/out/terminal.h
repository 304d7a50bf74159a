/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Standard output as a terminal: its width, bold text, and a pager. If it is a file or a pipe
 * there are none of them, so that what is written there does not depend on where it is run.
 */
#ifndef LT_OUT_TERMINAL_H
#define LT_OUT_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>

#define LT_TEXT_WIDTH	80	/* if standard output is not a terminal */

/**
 * struct lt_terminal - what standard output is
 * @is: it is a terminal
 * @utf8: it is a terminal that shows UTF-8
 * @bold: text may be bold: it is a terminal with such a mode, and NO_COLOR is not set
 * @width: characters in a line; 0: any number (--width=0)
 * @fit: characters of the longest line, to which lines are cut or folded; 0: any number, since what
 *	a program reads is whole
 * @pager: the pager; 0: none
 * @left: after lt_terminal_end(): the pager has ended before the output did
 */
struct lt_terminal {
	bool is;
	bool utf8;
	bool bold;
	unsigned int width;
	unsigned int fit;
	pid_t pager;
	bool left;
};

void lt_terminal_init(struct lt_terminal *t);

/* --width=N, before lt_terminal_init(): what lines have, also where there is no terminal. */
#define LT_WIDTH_MIN	40
#define LT_WIDTH_MAX	1000
void lt_terminal_choose_width(unsigned int width);
bool lt_terminal_width_is_chosen(void);

/*
 * From here on, a terminal gets standard output through $PAGER, less(1) if that is not set.
 * Without a terminal, with an empty $PAGER or "cat", and if there is no such program, nothing
 * changes. While the pager runs, ^C is for the pager.
 */
void lt_terminal_page(struct lt_terminal *t);

/*
 * Waits for the end of the pager, after all was written. Standard output is closed then.
 * Return: whether there was a pager. It may have ended before it had read all.
 */
bool lt_terminal_end(struct lt_terminal *t);

#endif /* LT_OUT_TERMINAL_H */
