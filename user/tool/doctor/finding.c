// SPDX-License-Identifier: GPL-2.0
/*
 * What all checks of the doctor use: printing a finding, reading files below the root.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "doctor/internal.h"
#include "out/log.h"

#define MAX_TEXT	(1U << 20)

void lt_doctor_say(struct lt_doctor *d, enum lt_doctor_level level, const char *topic,
		   const char *fmt, ...)
{
	static const char *const names[] = { "ok", "note", "PROBLEM" };
	char line[2048];
	va_list ap;
	int n;

	n = snprintf(line, sizeof(line), "%-7s  %s: ", names[level], topic);
	va_start(ap, fmt);
	vsnprintf(line + n, sizeof(line) - (size_t)n, fmt, ap);
	va_end(ap);
	lt_out_text(d->out, line, strlen(line));
	lt_out_char(d->out, '\n');
	d->notes += level == LT_DOCTOR_NOTE;
	d->problems += level == LT_DOCTOR_PROBLEM;
}

const char *lt_doctor_path(const struct lt_doctor *d, char *buf, size_t size,
			   const char *path)
{
	if ((size_t)snprintf(buf, size, "%s%s", d->root, path) >= size)
		lt_die("%s%s: the name is too long", d->root, path);
	return buf;
}

bool lt_doctor_exists(const struct lt_doctor *d, const char *path)
{
	char buf[DOCTOR_PATH];
	struct stat st;

	return !stat(lt_doctor_path(d, buf, sizeof(buf), path), &st);
}

char *lt_doctor_text(const struct lt_doctor *d, const char *path)
{
	char buf[DOCTOR_PATH];

	return lt_read_text_file(lt_doctor_path(d, buf, sizeof(buf), path), MAX_TEXT, NULL);
}

bool lt_doctor_word(const struct lt_doctor *d, const char *path, char *word, size_t size)
{
	char *text = lt_doctor_text(d, path);

	word[0] = 0;
	if (!text)
		return false;
	snprintf(word, size, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
	return true;
}
