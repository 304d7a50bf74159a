// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The functions and lines at an address of a debug file.
 */
#ifdef LT_HAVE_LIBDW

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lines/debug_internal.h"

#define MAX_DEPTH	256		/* of functions and blocks in one another */
#define MAX_NAMESPACES	16		/* in one another */
#define MAX_DIES	(1U << 23)	/* looked at for an address: links may lead in circles */
#define MAX_PATH	4096
#define TYPES		"/include/linux/types.h"

/* The subprogram at the address, and the inlined ones in one another. */
struct chain {
	Dwarf_Die dies[LT_MAX_FRAMES];
	size_t n;
	unsigned int left;	/* entries that may still be looked at */
};

/* ------------------------------------------------------------------------
 * Functions
 */

static bool has_code(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_lexical_block;
}

/*
 * Finds the child that has the address; false: none has. Namespaces, at most @depth in one
 * another, have no addresses: what is in them stands for them.
 */
static bool descend(const struct lt_debug *d, struct chain *c, Dwarf_Die *die, Dwarf_Addr pc,
		    unsigned int depth)
{
	Dwarf_Die child;

	if (d->dw->dwarf_child(die, &child))
		return false;
	do {
		if (!c->left)
			return false;
		c->left--;
		if (depth && d->dw->dwarf_tag(&child) == DW_TAG_namespace) {
			Dwarf_Die inside = child;

			if (descend(d, c, &inside, pc, depth - 1)) {
				*die = inside;
				return true;
			}
		}
		if (has_code(d->dw->dwarf_tag(&child)) && d->dw->dwarf_haspc(&child, pc) > 0) {
			*die = child;
			return true;
		}
	} while (!d->dw->dwarf_siblingof(&child, &child));
	return false;
}

static void find_chain(const struct lt_debug *d, struct chain *c, const Dwarf_Die *cu,
		       Dwarf_Addr pc)
{
	Dwarf_Die die = *cu;

	c->n = 0;
	c->left = MAX_DIES;
	for (unsigned int i = 0; i < MAX_DEPTH && descend(d, c, &die, pc, MAX_NAMESPACES); i++) {
		int tag = d->dw->dwarf_tag(&die);

		if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
			continue;
		if (c->n == LT_MAX_FRAMES)
			break;
		c->dies[c->n++] = die;
	}
}

/* The unit of an address; the table that has it may be missing (clang writes none). */
static Dwarf_Die *find_unit(const struct lt_debug *d, uint64_t addr, Dwarf_Addr *bias)
{
	Dwarf_Die *cu = d->dw->dwfl_module_addrdie(d->mod, addr, bias);

	if (cu)
		return cu;
	while ((cu = d->dw->dwfl_module_nextcu(d->mod, cu, bias))) {
		if (d->dw->dwarf_haspc(cu, addr - *bias) > 0)
			return cu;
	}
	return NULL;
}

/* ------------------------------------------------------------------------
 * Names of files
 */

/* Takes "//", "/./" and "/x/../" out of a path, in place. */
static void normalize(char *path)
{
	char *to = path;
	const char *from = path;

	while (*from) {
		size_t n = strcspn(from, "/");

		if ((n == 1 && *from == '.') || (!n && to != path)) {
			from += n + (from[n] == '/');
			continue;
		}
		if (n == 2 && !strncmp(from, "..", 2) && to > path + 1 && to[-1] == '/') {
			char *up = to - 1;

			while (up > path && up[-1] != '/')
				up--;
			if (strncmp(up, "../", 3)) {
				to = up;
				from += n + (from[n] == '/');
				continue;
			}
		}
		memmove(to, from, n);
		to += n;
		from += n;
		if (*from == '/') {
			*to++ = '/';
			from++;
		}
	}
	*to = 0;
}

static char *plain_path(const char *path, size_t len)
{
	char *copy = len < MAX_PATH ? lt_strndup(path, len) : NULL;

	if (copy)
		normalize(copy);
	return copy;
}

/*
 * The source tree of a kernel is where its include/linux is: the directory in which it was built
 * may be another one. Files of a module that was built apart are not below it.
 */
static void find_root(struct lt_debug *d, Dwarf_Files *files, size_t n)
{
	for (size_t i = 0; !d->root && i < n; i++) {
		const char *name = d->dw->dwarf_filesrc(files, i, NULL, NULL);
		size_t len = name ? strlen(name) : 0, tail = strlen(TYPES);
		char *path;

		if (len < tail || strcmp(name + len - tail, TYPES) || *name != '/')
			continue;
		path = plain_path(name, len - tail + 1);
		if (path && strcmp(path, "/usr/"))
			d->root = path;
		else
			free(path);
	}
}

/* Below the source tree, or below the directory in which the unit was compiled. */
static char *source_name(const struct lt_debug *d, Dwarf_Die *cu, const char *name)
{
	char *path = name ? plain_path(name, strlen(name)) : NULL, *dir = NULL;
	Dwarf_Attribute attr;
	const char *build = NULL;
	size_t skip = 0;

	if (!path)
		return NULL;
	if (d->root && !strncmp(path, d->root, strlen(d->root))) {
		skip = strlen(d->root);
	} else if (d->dw->dwarf_attr_integrate(cu, DW_AT_comp_dir, &attr)) {
		build = d->dw->dwarf_formstring(&attr);
		dir = build ? plain_path(build, strlen(build)) : NULL;
		if (dir && *dir && !strncmp(path, dir, strlen(dir)) && path[strlen(dir)] == '/')
			skip = strlen(dir) + 1;
	}
	free(dir);
	memmove(path, path + skip, strlen(path + skip) + 1);
	if (*path)
		return path;
	free(path);
	return NULL;
}

/* ------------------------------------------------------------------------
 * Frames
 */

static uint32_t number(const struct lt_debug *d, Dwarf_Die *die, unsigned int what)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!d->dw->dwarf_attr_integrate(die, what, &attr) ||
	    d->dw->dwarf_formudata(&attr, &value) || value > INT32_MAX)
		return 0;
	return (uint32_t)value;
}

/* Where the function @inlined was called. */
static void put_call(const struct lt_debug *d, Dwarf_Die *cu, Dwarf_Files *files, size_t n,
		     Dwarf_Die *inlined, struct lt_debug_frame *f)
{
	uint32_t file = number(d, inlined, DW_AT_call_file);

	f->line = number(d, inlined, DW_AT_call_line);
	if (file < n)
		f->file = source_name(d, cu, d->dw->dwarf_filesrc(files, file, NULL, NULL));
}

static bool put_line(const struct lt_debug *d, Dwarf_Die *cu, Dwarf_Addr pc,
		     struct lt_debug_frame *f)
{
	Dwarf_Line *line = d->dw->dwarf_getsrc_die(cu, pc);
	int n;

	if (!line || d->dw->dwarf_lineno(line, &n) || n < 0)
		return false;
	f->line = (uint32_t)n;
	f->file = source_name(d, cu, d->dw->dwarf_linesrc(line, NULL, NULL));
	return f->file;
}

size_t lt_debug_resolve(struct lt_debug *d, uint64_t addr,
			struct lt_debug_frame frames[LT_MAX_FRAMES])
{
	Dwarf_Addr bias;
	Dwarf_Die *cu = find_unit(d, addr, &bias);
	Dwarf_Files *files = NULL;
	size_t n_files = 0;
	struct chain c;

	if (!cu)
		return 0;
	if (d->dw->dwarf_getsrcfiles(cu, &files, &n_files))
		n_files = 0;
	find_root(d, files, n_files);
	find_chain(d, &c, cu, addr - bias);
	memset(frames, 0, LT_MAX_FRAMES * sizeof(frames[0]));
	if (!put_line(d, cu, addr - bias, &frames[0]) && c.n <= 1)
		return 0;
	for (size_t i = 0; i < c.n; i++) {
		struct lt_debug_frame *f = &frames[c.n - 1 - i];

		f->function = d->dw->dwarf_diename(&c.dies[i]);
		if (i + 1 < c.n)
			put_call(d, cu, files, n_files, &c.dies[i + 1], f);
	}
	return c.n ? c.n : 1;
}

#endif /* LT_HAVE_LIBDW */
