/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * UTF-8, and text that is safe to print on a terminal.
 */
#ifndef LT_BASE_UTF8_H
#define LT_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Length of the UTF-8 character at @s, of at most @len bytes; 0: there is none. */
size_t lt_utf8_length(const unsigned char *s, size_t len);

/*
 * Whether the UTF-8 character is a control character: of ASCII (C0), beyond it (C1), or one of
 * Unicode that ends a line or changes the order of the characters around it.
 */
bool lt_utf8_control(const unsigned char *s, size_t len);

/* How many bytes at the start are valid UTF-8 without control characters. */
size_t lt_utf8_printable(const unsigned char *s, size_t len);

/**
 * lt_utf8_escape() - the next character of a text, so that it can be printed and restored
 * @text: @len bytes, at least 1
 * @backslash: a backslash becomes two
 * @buf: the character; a byte of a control character, or one that is not UTF-8, as \xHH
 * Return: the bytes of @text that it took.
 */
size_t lt_utf8_escape(const char *text, size_t len, bool backslash, char buf[5]);

/**
 * lt_escape_text() - make text safe to print on a terminal
 * @s: the text
 * @buf: the result; for @s in an array of N bytes, LT_ESCAPED_SIZE(N) bytes
 *
 * Bytes of control characters, which a terminal may take for commands, and bytes that are
 * not UTF-8 become \xHH.
 * Return: @buf.
 */
const char *lt_escape_text(const char *s, char *buf);
#define LT_ESCAPED_SIZE(size)	(4 * (size))

#endif /* LT_BASE_UTF8_H */
