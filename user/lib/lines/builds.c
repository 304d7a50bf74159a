// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The block BUILDS of a trace.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "lines/builds.h"

#define MAX_BUILDS	16384	/* kernel and modules of a trace */
#define MAX_SECTIONS	64	/* of a module */
#define SECTION_WORD	160	/* bytes of "SECTION=0xADDRESS" */

bool lt_build_id_valid(const char *id)
{
	size_t len = strlen(id);

	return len >= 4 && len < LT_BUILD_HEX && len % 2 == 0 &&
	       strspn(id, "0123456789abcdef") == len;
}

static void add_section(struct lt_build *build, const char *word)
{
	const char *value = strstr(word, "=0x");
	uint64_t addr;

	if (!value || value == word || !lt_number(value + 3, 16, &addr) || !addr ||
	    build->n_sections >= MAX_SECTIONS)
		return;
	build->sections = lt_grow(build->sections, &build->cap_sections, build->n_sections,
				  sizeof(*build->sections));
	build->sections[build->n_sections++] = (struct lt_section){
		.name = lt_strndup(word, (size_t)(value - word)), .addr = addr,
	};
}

static bool same_name(const char *name, const struct lt_build *build)
{
	return !strcmp(name, build->name);
}

/* Modules have names, which begin with neither a dot nor a slash. */
static bool good_name(const char *name)
{
	return *name && *name != '.' && !strpbrk(name, "/\\");
}

static void add_line(struct lt_builds *b, const char *line, size_t len)
{
	char word[SECTION_WORD], id[SECTION_WORD], name[LT_BUILD_NAME] = "";
	struct lt_build *build;
	bool module;

	if (!lt_word(&line, &len, word, sizeof(word)))
		return;
	module = !strcmp(word, "module");
	if (!module && strcmp(word, "kernel"))
		return;
	if (module && (!lt_word(&line, &len, name, sizeof(name)) || !good_name(name)))
		return;
	if (!lt_word(&line, &len, id, sizeof(id)))
		return;
	/* One kernel only: the first line counts. */
	for (size_t i = 0; !module && i < b->n; i++) {
		if (same_name("", &b->builds[i]))
			return;
	}
	if (b->n >= MAX_BUILDS)
		return;
	b->builds = lt_grow(b->builds, &b->cap, b->n, sizeof(*b->builds));
	build = &b->builds[b->n++];
	*build = (struct lt_build){ .n_sections = 0 };
	strcpy(build->name, name);
	if (lt_build_id_valid(id))
		strcpy(build->id, id);
	while (lt_word(&line, &len, word, sizeof(word)))
		add_section(build, word);
}

void lt_builds_add(struct lt_builds *b, const char *text)
{
	const char *line;
	size_t len;

	while (lt_line(&text, &line, &len))
		add_line(b, line, len);
}

void lt_builds_destroy(struct lt_builds *b)
{
	for (size_t i = 0; i < b->n; i++) {
		for (size_t k = 0; k < b->builds[i].n_sections; k++)
			free(b->builds[i].sections[k].name);
		free(b->builds[i].sections);
	}
	free(b->builds);
	*b = (struct lt_builds){ .n = 0 };
}
