/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The screen of lifetrace top.
 */
#ifndef LT_TOP_SCREEN_H
#define LT_TOP_SCREEN_H

struct lt_screen;
struct lt_top;

/**
 * lt_screen_open() - take over the terminal
 *
 * Keys come from standard input, or from the terminal of the process where that is the trace.
 * Messages are kept from now on, until lt_screen_close() prints them.
 *
 * Return: NULL after lt_error(): there is no terminal, or not one for this.
 */
struct lt_screen *lt_screen_open(struct lt_top *top);

/* Gives the terminal back as it was. @s may be NULL. */
void lt_screen_close(struct lt_screen *s);

/* The descriptor that can be read when there are keys. */
int lt_screen_fd(const struct lt_screen *s);

/* Takes the keys that there are. Return: 0; 1: the user wants to quit; -1: the terminal is gone. */
int lt_screen_keys(struct lt_screen *s);

void lt_screen_draw(struct lt_screen *s);

/* A new table is wanted, even though time has not come: the user has chosen other rows. */
int lt_screen_is_paused(const struct lt_screen *s);

#endif /* LT_TOP_SCREEN_H */
