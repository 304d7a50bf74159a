// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a text, which is a block of the file.
 */
#include <string.h>

#include "record/internal.h"

int lt_record_file_text(struct lt_record_file *f, unsigned int type, bool zstd, const char *text)
{
	if (f->rotate)
		f->rotate->text(f->rotation, type, zstd, text);
	if (!f->w || !lt_writer_text(f->w, type, zstd, text, strlen(text)))
		return 0;
	if (!f->error)
		f->error = f->w->error;
	return -1;
}

int lt_record_text(struct lt_record_file *f, struct lt_trace *sink, unsigned int type, bool zstd,
		   const char *text)
{
	if (sink)
		lt_trace_add_text(sink, type, text);
	return lt_record_file_text(f, type, zstd, text);
}
