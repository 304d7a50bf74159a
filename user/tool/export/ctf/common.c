// SPDX-License-Identifier: GPL-2.0
/*
 * CTF: streams, names, number bases and the clock, for the metadata of both versions.
 */
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "export/ctf/ctf.h"

bool lt_ctf_has_event(const struct lt_ctf_machine *m, const struct lt_event_desc *d)
{
	return d && m->streams[d->channel] && !d->full && d->event != LT_EV_SITE &&
	       !(m->calls.calls && lt_ctf_is_call(d));
}

/* Trace viewers interpret these events by the names that LTTng gives them. */
const char *lt_ctf_event_name(const char *name)
{
	static const char *const names[][2] = {
		{ "kmalloc", "kmem_kmalloc" }, { "kfree", "kmem_kfree" },
		{ "page_alloc", "kmem_mm_page_alloc" },
		{ "page_free", "kmem_mm_page_free" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i][0]))
			return names[i][1];
	}
	return name;
}

const char *lt_ctf_class_name(const struct lt_schema *s, unsigned int channel, uint32_t i,
			      char *buf, size_t size)
{
	if (i < LT_N_CLASSES && s->class_names[LT_CLASS(channel, i)][0])
		return s->class_names[LT_CLASS(channel, i)];
	snprintf(buf, size, "class_%u", i);
	return buf;
}

/* The base in which a viewer should show a field: "hexadecimal" or "decimal". */
const char *lt_ctf_base(const struct lt_field *f)
{
	switch (f->kind) {
	case LT_KIND_ADDR:
	case LT_KIND_REG:
	case LT_KIND_CODE:
	case LT_KIND_PFN:
	case LT_KIND_GFP:
		return "hexadecimal";
	default:
		return "decimal";
	}
}

static uint64_t value_in(const char *text, const char *key)
{
	const char *p = text ? strstr(text, key) : NULL;

	return p ? strtoull(p + strlen(key), NULL, 10) : 0;
}

/*
 * The name comes from the trace file and becomes an identifier in the metadata, so only
 * letters are taken.
 */
static void clock_name(struct lt_ctf_clock *c, const char *name)
{
	size_t n = 0;

	for (; name && *name >= 'a' && *name <= 'z' && n + 1 < sizeof(c->name); name++)
		c->name[n++] = *name;
	c->name[n] = 0;
	if (!n || (name && *name))
		strcpy(c->name, "unknown");
}

void lt_ctf_read_clock(struct lt_ctf_clock *c, struct lt_trace *t)
{
	const char *reading = lt_trace_text(t, LT_BLOCK_CLOCK, 0);
	const char *freq = lt_trace_info(t, "clock_freq");
	const struct lt_clock *scale = lt_trace_clock(t);
	const struct lt_clock_point *p = scale->points;
	size_t last = scale->n_points ? scale->n_points - 1 : 0;
	uint64_t clock, real, zero_s, zero_ns;

	c->freq = freq ? strtoull(freq, NULL, 10) : 0;
	if (!c->freq)
		c->freq = 1000000000;
	/* CTF has one frequency: the mean one of the trace. */
	if (scale->counter && last > 0 && p[last].ns - p[0].ns >= 1000000000)
		c->freq = lt_mul_div(p[last].r.clock - p[0].r.clock, 1000000000,
				     p[last].ns - p[0].ns);
	clock_name(c, lt_trace_info(t, "clock"));
	c->offset_s = 0;
	c->offset = 0;
	clock = value_in(reading, "clock=");
	real = value_in(reading, "realtime=");
	/* CTF cannot express a zero before 1970: the clock gets no offset. */
	if (!real || clock / c->freq >= real / 1000000000)
		return;
	zero_s = clock / c->freq;
	zero_ns = lt_mul_div(clock % c->freq, 1000000000, c->freq);
	real -= zero_s * 1000000000 + zero_ns;
	c->offset_s = real / 1000000000;
	c->offset = lt_mul_div(real % 1000000000, c->freq, 1000000000);
}
