/* SPDX-License-Identifier: GPL-2.0 */
/* A command between whose standard input and output and this program there is a pipe each. */
#ifndef LT_STREAM_CONNECT_H
#define LT_STREAM_CONNECT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "stream/words.h"

/**
 * struct lt_connection - the command
 * @pid: 0: none runs
 * @to: its standard input, does not block; -1: it is closed
 * @from: its standard output
 * @text: @n bytes of its output, of which lines before @line were taken
 */
struct lt_connection {
	pid_t pid;
	int to;
	int from;
	char text[2 * LT_ANSWER_MAX];
	size_t n;
	size_t line;
};

/* Runs the command. Return: 0, or -1 after lt_error(). */
int lt_connect(struct lt_connection *c, char **command);

/* Nothing more is written. */
void lt_connection_close_to(struct lt_connection *c);

/* Reads what is there, once. Return: bytes; 0: the end; -1: it cannot be read. */
int lt_connection_read(struct lt_connection *c);

/* The next whole line, without its newline, valid until the next call; NULL: there is none. */
const char *lt_connection_line(struct lt_connection *c);

/* Ends the command, if it does not end itself. Return: its status, as of waitpid(); 0: none ran. */
int lt_disconnect(struct lt_connection *c);

#endif /* LT_STREAM_CONNECT_H */
