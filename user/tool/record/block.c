// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a text, which is a block of the file.
 */
#include <string.h>

#include "record/internal.h"

int lt_record_file_text(struct lt_recording *r, unsigned int type, bool zstd, const char *text)
{
	if (r->rotate)
		r->rotate->text(r, type, zstd, text);
	if (!r->file.w)
		return 0;
	if (lt_writer_text(r->file.w, type, zstd, text, strlen(text))) {
		if (!r->file.error)
			r->file.error = r->file.w->error;
		if (!r->stop)
			r->stop = LT_STOP_OUTPUT;
		return -1;
	}
	return 0;
}

int lt_record_text(struct lt_recording *r, unsigned int type, bool zstd, const char *text)
{
	if (r->sink.trace)
		lt_trace_add_text(r->sink.trace, type, text);
	return lt_record_file_text(r, type, zstd, text);
}
