/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the reader prints: nothing that a terminal would take for a command, and
 * nothing but UTF-8 where it says so, whatever is in the file.
 */
#ifndef LT_FUZZ_OUTPUT_H
#define LT_FUZZ_OUTPUT_H

#include <stdbool.h>

/* From here on standard output and the messages are kept. */
void fuzz_output_begin(void);

/* Looks at what was printed. @what: whose output it is, for the message. */
void fuzz_output_end(const char *what);

#endif /* LT_FUZZ_OUTPUT_H */
