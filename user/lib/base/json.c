// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A writer of JSON.
 */
#include <math.h>
#include <stdio.h>

#include "base/json.h"

void lt_json_name(struct lt_json *j, const char *name, size_t len)
{
	lt_out_json(lt_json_value(j, NULL), name, len);
	lt_out_char(j->o, ':');
	lt_json_named(j);
}

void lt_json_str(struct lt_json *j, const char *name, const char *s)
{
	if (s)
		lt_json_text(j, name, s, strlen(s));
	else
		lt_json_null(j, name);
}

void lt_json_fixed(struct lt_json *j, const char *name, double v, unsigned int decimals)
{
	/* JSON has no infinity, and no number that is none. */
	if (isfinite(v))
		lt_outf(lt_json_value(j, name), "%.*f", (int)decimals, v);
	else
		lt_json_null(j, name);
}

void lt_json_bool(struct lt_json *j, const char *name, bool v)
{
	lt_out_str(lt_json_value(j, name), v ? "true" : "false");
}

void lt_json_null(struct lt_json *j, const char *name)
{
	lt_out_str(lt_json_value(j, name), "null");
}

void lt_json_u64_if(struct lt_json *j, const char *name, bool known, uint64_t v)
{
	if (known)
		lt_json_u64(j, name, v);
	else
		lt_json_null(j, name);
}

void lt_json_s64_if(struct lt_json *j, const char *name, bool known, int64_t v)
{
	if (known)
		lt_json_s64(j, name, v);
	else
		lt_json_null(j, name);
}
