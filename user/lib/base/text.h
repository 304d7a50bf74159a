/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parsing of text that is made of lines and words.
 */
#ifndef LT_LIB_TEXT_H
#define LT_LIB_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * lt_line() - the next line of a text
 * @pos: where the line begins; moved to the next one
 * @line: the line's bytes, without the newline; not zero-terminated
 * @len: length of @line
 * Return: false at the end of the text.
 */
bool lt_line(const char **pos, const char **line, size_t *len);

/**
 * lt_line_text() - the next line of a text, for sscanf() and the like
 * @pos: as for lt_line(); of no text NULL
 * @buf: gets the line, zero-terminated, as far as it fits
 * Return: false at the end of the text.
 */
bool lt_line_text(const char **pos, char *buf, size_t size);

/**
 * lt_word() - cut the first word, up to a space or tab, off a line
 * @line: moved behind the word and one separator
 * @len: shortened
 * @word: the word, at most @size - 1 bytes of it
 * Return: false when there is none, or when it does not fit.
 */
bool lt_word(const char **line, size_t *len, char *word, size_t size);

/* Converts a whole word; @base as for strtoull(). Return: false if it is not a number. */
bool lt_number(const char *word, int base, uint64_t *value);

/* Finds "KEY=NUMBER" among the words of a line. */
bool lt_pair(const char *line, size_t len, const char *key, uint64_t *value);

/* The number of a line "KEY=NUMBER", decimal or, after 0x, hexadecimal. False: it is another. */
bool lt_assigned(const char *line, size_t len, const char *key, uint64_t *value);

/**
 * lt_read_text() - read all that is left of a file
 * @fd: the file
 * @max: above about this many bytes the call fails with EFBIG
 * @size: its length; may be NULL
 * Return: the text, zero-terminated, to be freed; NULL with errno set.
 */
char *lt_read_text(int fd, size_t max, size_t *size);

/**
 * lt_read_text_file() - read a text file as a whole
 * @path: the file
 * @max: above about this many bytes the call fails with EFBIG
 * @size: its length; may be NULL
 * Return: the text, zero-terminated, to be freed; NULL with errno set.
 */
char *lt_read_text_file(const char *path, size_t max, size_t *size);

#endif /* LT_LIB_TEXT_H */
