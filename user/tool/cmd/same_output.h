/* SPDX-License-Identifier: GPL-2.0 */
/* Whether two outputs of a command are one file. */
#ifndef LT_CMD_SAME_OUTPUT_H
#define LT_CMD_SAME_OUTPUT_H

#include <stdbool.h>

/* Whether another output would be written into the trace, or the trace into it. */
bool lt_same_output(const char *trace, const char *csv);

#endif /* LT_CMD_SAME_OUTPUT_H */
