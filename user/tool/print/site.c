// SPDX-License-Identifier: GPL-2.0
/*
 * Call sites with their source lines.
 */
#include <stdio.h>
#include <string.h>

#include "print/site.h"

/*
 * What is not below a kernel's source tree has a long path: its last two parts. Return: the
 * characters to leave out.
 */
static size_t long_part(const char *path)
{
	const char *slash = *path == '/' ? strrchr(path, '/') : NULL;

	while (slash && slash > path && slash[-1] != '/')
		slash--;
	return slash && slash > path ? (size_t)(slash - 1 - path) : 0;
}

const char *lt_site_source(const struct lt_place *p, char *buf, size_t size)
{
	const struct lt_frame *f = p ? lt_place_function(p) : NULL;
	size_t cut;

	if (!f || !f->file)
		return NULL;
	cut = long_part(f->file);
	snprintf(buf, size, "%s%s:%u", cut ? "…" : "", f->file + cut, f->line);
	return buf;
}

const char *lt_site_chain(const struct lt_trace *t, uint64_t site, const struct lt_place *p,
			  char *buf, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; p && i + 1 < p->n && at < size; i++) {
		const struct lt_frame *f = &p->frames[i];

		at += (size_t)snprintf(buf + at, size - at, "%s@%s:%u<",
				       f->function ? f->function : "?", f->file ? f->file : "?",
				       f->line);
	}
	if (at >= size)
		return buf;
	lt_trace_symbol(t, site, true, buf + at, size - at);
	at += strlen(buf + at);
	if (p && lt_place_function(p)->file && at < size)
		snprintf(buf + at, size - at, "@%s:%u", lt_place_function(p)->file,
			 lt_place_function(p)->line);
	return buf;
}

void lt_site_file(const struct lt_place *p, struct lt_value *v)
{
	lt_value_str(v, LT_VALUE_TEXT, lt_place_file(p));
}

void lt_site_line(const struct lt_place *p, struct lt_value *v)
{
	if (lt_place_file(p))
		lt_value_u(v, LT_VALUE_COUNT, lt_place_line(p));
}

void lt_site_list(const struct lt_place *p, struct lt_value *v, char *buf, size_t size)
{
	if (p)
		lt_value_str(v, LT_VALUE_LIST, lt_place_list(p, buf, size));
}
