// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Cutting a window: the kernel's own symbols that it uses. The symbol of an address is the last one
 * that begins at or before it, whatever others there are: so windows that are read together have
 * the symbols that the whole has. Those of modules stay, since whether a module was loaded again is
 * seen by all of its symbols.
 */
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/text.h"
#include "format/record.h"
#include "state/cut_internal.h"
#include "state/write.h"
#include "trace/part.h"
#include "trace/symbols.h"

struct looked_at {
	struct lt_cutter *c;
	const struct lt_schema *schema;
	struct lt_intern used;		/* addresses of code */
	uint64_t *symbols;		/* addresses of the kernel's symbols */
	size_t n;
	size_t cap;
};

/*
 * Whether a line of SYMBOLS is a symbol of the kernel's own code, "ADDRESS T NAME", as readers take
 * it. Marks of sections such as "$x" are none.
 */
static bool is_symbol(const char *line, size_t len, uint64_t *addr, bool *bound)
{
	char word[17];
	size_t n = 0;

	while (n < len && n < sizeof(word) && line[n] != ' ')
		n++;
	if (!n || n == sizeof(word) || len < n + 4 || memchr(line, '[', len))
		return false;
	memcpy(word, line, n);
	word[n] = 0;
	if (!lt_number(word, 16, addr) || !*addr || !memchr("tTwW", line[n + 1], 4) ||
	    line[n + 2] != ' ' || strchr(" \t$", line[n + 3]))
		return false;
	*bound = lt_symbols_is_bound(line + n + 3, len - n - 3);
	return true;
}

static void look_at_packet(struct looked_at *l, const struct lt_packet *p)
{
	struct lt_sites sites = { 0 };
	struct lt_records it;
	struct lt_record r;
	struct lt_why why;

	lt_records_begin(&it, p, l->schema, &sites);
	while (lt_records_next(&it, &r, &why) > 0) {
		const struct lt_event_desc *d = r.brief ? r.brief : r.desc;

		for (unsigned int i = 0; i < d->n_fields; i++) {
			const struct lt_field *f = &d->fields[i];

			for (uint32_t k = 0; f->kind == LT_KIND_CODE && k < f->count; k++)
				lt_intern_number(&l->used, lt_field_element(p, f, r.payload, k));
		}
	}
	lt_sites_free(&sites);
}

static int look_at_state(void *arg, const void *packet, size_t size)
{
	struct looked_at *l = arg;
	struct lt_packet p;
	struct lt_why why;

	size = lt_cut_keep_state(l->c, packet, size);
	if (!lt_packet_parse(&p, l->c->buf.data, size, &why))
		look_at_packet(l, &p);
	return 0;
}

static void look_at_packets(struct looked_at *l)
{
	struct lt_cutter *c = l->c;
	struct lt_packet p;

	for (size_t i = 0; i < c->n_packets; i++) {
		const struct lt_packet_ref *ref = c->packets[i].ref;

		if (lt_cut_has_packet(c, ref) &&
		    lt_cut_load_kept(c, c->packets[i].s, ref, &p, false))
			look_at_packet(l, &p);
	}
}

static void look_at_symbols(struct looked_at *l)
{
	struct lt_cutter *c = l->c;

	for (size_t i = 0; i < c->d->n_texts; i++) {
		const char *text, *line;
		uint64_t addr;
		size_t len;
		bool bound;

		if (c->d->texts[i].type != LT_BLOCK_SYMBOLS)
			continue;
		text = lt_cut_load_text(c, &c->d->texts[i], NULL);
		while (text && lt_line(&text, &line, &len)) {
			if (!is_symbol(line, len, &addr, &bound))
				continue;
			l->symbols = lt_grow(l->symbols, &l->cap, l->n, sizeof(*l->symbols));
			l->symbols[l->n++] = addr;
		}
	}
}

static int by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void keep(struct looked_at *l, uint64_t addr)
{
	size_t i = lt_first_not(l->n, at, l->symbols[at] <= addr);

	if (i)
		lt_intern_number(&l->c->symbols, l->symbols[i - 1]);
}

int lt_cut_find_symbols(struct lt_cutter *c)
{
	struct looked_at l = { .c = c, .schema = lt_trace_schema(c->t) };
	const struct lt_state_out out = { .emit = look_at_state, .arg = &l };
	int err = 0;

	look_at_symbols(&l);
	if (!l.n)
		return 0;
	lt_intern_init(&l.used);
	qsort(l.symbols, l.n, sizeof(*l.symbols), by_address);
	if (c->begin)
		err = lt_state_write(c->before.t, c->before.lf, c->begin, &out);
	look_at_packets(&l);
	/* Without any symbol a reader would take the kernel for one that shows none. */
	keep(&l, l.symbols[0]);
	for (uint32_t i = 1; i < l.used.n; i++) {
		uint64_t addr = lt_intern_value(&l.used, i);

		/* Code behind a call may be another function's. */
		keep(&l, addr);
		keep(&l, addr - 1);
	}
	lt_intern_destroy(&l.used);
	free(l.symbols);
	return err;
}

bool lt_cut_has_symbol(const struct lt_cutter *c, const char *line, size_t len)
{
	uint64_t addr;
	bool bound;

	return !is_symbol(line, len, &addr, &bound) || bound || lt_intern_find(&c->symbols, addr);
}
