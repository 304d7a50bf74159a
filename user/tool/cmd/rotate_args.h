/* SPDX-License-Identifier: GPL-2.0 */
/* The options of lifetrace record for many files. */
#ifndef LT_CMD_ROTATE_ARGS_H
#define LT_CMD_ROTATE_ARGS_H

#include <argp.h>

#include "cmd/help.h"
#include "record/recorder.h"

enum {
	LT_KEY_ROTATE = 0x2100, LT_KEY_KEEP, LT_KEY_KEEP_FREE,
};

/* Rows of a table of options, in the group @g. */
#define LT_ROTATE_OPTIONS(g)									\
	{ "rotate", LT_KEY_ROTATE, "LIMIT", 0,						\
	  "Write many files into the directory FILE, each readable alone: a new one after a "	\
	  "time (1h) or a size (1G), or 1h,1G: after either", g },				\
	{ "keep", LT_KEY_KEEP, "BYTES", LT_MORE,						\
	  "With --rotate: delete the oldest files, so that all together have at most so "	\
	  "many", g },									\
	{ "keep-free", LT_KEY_KEEP_FREE, "PERCENT%", LT_MORE,					\
	  "With --rotate: delete the oldest files, so that PERCENT of the disk stays free", g }

/* Takes one of these; a wrong argument ends the program. False: it is another option. */
bool lt_args_rotate(int key, const char *arg, struct argp_state *state,
		    struct lt_record_options *r);

/* The value of --keep-free. */
unsigned int lt_args_keep_free(struct argp_state *state, const char *arg);

/* The recording is cut, by @option, which the CPU's counter cannot do: auto becomes mono. */
void lt_args_need_ns(struct argp_state *state, const char *option, struct lt_record_options *r);

/* Whether the options go together; @html: a page is to be made of the trace. */
void lt_args_check_rotate(struct argp_state *state, struct lt_record_options *r, bool html);

#endif /* LT_CMD_ROTATE_ARGS_H */
