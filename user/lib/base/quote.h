/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Texts between quotes, as in C: strace writes them so.
 */
#ifndef LT_BASE_QUOTE_H
#define LT_BASE_QUOTE_H

#include <stdbool.h>

/**
 * lt_quote_byte() - a byte of a text in C
 * @to: gets at most 4 characters, without a zero
 * @digit_follows: the next byte is a digit of base 8, which must not become a part of this one
 * Return: how many.
 */
unsigned int lt_quote_byte(char to[4], unsigned char c, bool digit_follows);

#endif /* LT_BASE_QUOTE_H */
