// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments that several commands have.
 */
#include "cmd/cmd.h"

error_t lt_cmd_file_argument(int key, char *arg, struct argp_state *state, const char **file)
{
	switch (key) {
	case ARGP_KEY_ARG:
		if (*file)
			argp_error(state, "expected one trace file, found '%s', too", arg);
		*file = arg;
		return 0;
	case ARGP_KEY_END:
		if (!*file)
			argp_error(state, "expected a trace file");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}
