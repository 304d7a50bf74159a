// SPDX-License-Identifier: GPL-2.0
/*
 * Which builds of the kernel and of its modules are running, and where the code of the modules
 * is: with these a reader finds the right debug files, and the lines of code in them.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "out/log.h"
#include "record/builds.h"

#define MAX_NOTES	(64U << 10)	/* bytes of a file of notes */
#define MAX_ID		64U		/* bytes of a build id */
#define MAX_SECTIONS	64		/* of a module */
#define MAX_TEXT	(8U << 20)	/* bytes of all lines; the rest is left out */
#define NOTE_BUILD_ID	3

static uint32_t get32(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* The build id among ELF notes, in hexadecimal digits; "-": there is none. */
static void put_build_id(FILE *out, const char *notes, size_t size)
{
	size_t at = 0;

	while (notes && size - at >= 12) {
		uint64_t name = get32(notes + at), desc = get32(notes + at + 4);
		uint64_t data = at + 12 + ((name + 3) & ~3ULL), end = data + ((desc + 3) & ~3ULL);

		if (data + desc > size)
			break;
		if (get32(notes + at + 8) == NOTE_BUILD_ID && name == 4 &&
		    !memcmp(notes + at + 12, "GNU", 4) && desc && desc <= MAX_ID) {
			for (uint64_t i = 0; i < desc; i++)
				fprintf(out, "%02x", (unsigned char)notes[data + i]);
			return;
		}
		if (end >= size)
			break;
		at = end;
	}
	fputc('-', out);
}

static void put_notes(FILE *out, const char *path)
{
	size_t size = 0;
	char *notes = lt_read_text_file(path, MAX_NOTES, &size);

	put_build_id(out, notes, size);
	free(notes);
}

/* Code only. What is not loaded, and what the kernel does not show, has the address 0. */
static void put_section(FILE *out, const char *dir, const char *name)
{
	char *path, *text;
	uint64_t addr;

	if (!strstr(name, "text") || name[strcspn(name, " \t\n=")])
		return;
	path = lt_format("%s/%s", dir, name);
	text = lt_read_text_file(path, 4096, NULL);
	if (text)
		text[strcspn(text, "\n")] = 0;
	if (text && !strncmp(text, "0x", 2) && lt_number(text + 2, 16, &addr) && addr)
		fprintf(out, " %s=%s", name, text);
	free(text);
	free(path);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void put_sections(FILE *out, const char *dir)
{
	struct dirent **names;
	int n = scandir(dir, &names, NULL, by_name);

	for (int i = 0; i < n; i++) {
		if (i < MAX_SECTIONS)
			put_section(out, dir, names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

static void put_module(FILE *out, const char *sys, const char *name)
{
	char *notes = lt_format("%s/module/%s/notes/.note.gnu.build-id", sys, name);
	char *sections = lt_format("%s/module/%s/sections", sys, name);

	fprintf(out, "module %s ", name);
	put_notes(out, notes);
	put_sections(out, sections);
	fputc('\n', out);
	free(notes);
	free(sections);
}

char *lt_record_builds(const char *sys, const char *modules)
{
	char *path = lt_format("%s/kernel/notes", sys);
	const char *line;
	size_t size, len;
	char *text;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		lt_die("out of memory");
	fputs("kernel ", out);
	put_notes(out, path);
	fputc('\n', out);
	free(path);
	while (modules && lt_line(&modules, &line, &len)) {
		char name[64];

		if (lt_word(&line, &len, name, sizeof(name)) && !strchr(name, '/'))
			put_module(out, sys, name);
		if (ftell(out) > (long)MAX_TEXT)
			break;
	}
	if (fclose(out))
		lt_die("out of memory");
	return text;
}
