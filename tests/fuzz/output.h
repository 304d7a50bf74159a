/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks of what the reader prints: it must be UTF-8, without control characters that a
 * terminal would take for a command, whatever is in the file.
 */
#ifndef LT_FUZZ_OUTPUT_H
#define LT_FUZZ_OUTPUT_H

#include <stdbool.h>

/* Redirects standard output and the messages to memory. */
void fuzz_output_begin(void);

/* Checks what was printed. @what: what printed it, for the message. */
void fuzz_output_end(const char *what);

/*
 * What was printed but for messages, which come once in a process; to be freed. Behind
 * fuzz_output_end().
 */
char *fuzz_output_text(size_t *size);

#endif /* LT_FUZZ_OUTPUT_H */
