/* SPDX-License-Identifier: GPL-2.0 */
/* Whether two outputs of a command are one file. */
#ifndef LT_CMD_SAME_OUTPUT_H
#define LT_CMD_SAME_OUTPUT_H

#include <stdbool.h>

#include "format/set.h"

/* Whether another output would be written into the trace, or the trace into it. */
bool lt_same_output(const char *trace, const char *csv);

/* Whether an output would be written into a file of the set. */
bool lt_output_in_set(const char *output, const struct lt_set *set);

#endif /* LT_CMD_SAME_OUTPUT_H */
