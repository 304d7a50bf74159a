// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading a trace's schema.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "format/schema_internal.h"
#include "base/text.h"

#define MAX_GFP		256
#define MAX_PAYLOAD	8192	/* bytes; a sub-buffer may not be much larger */
#define MAX_COUNT	256	/* of an array */

static const struct {
	const char *name;
	uint16_t id;		/* LT_EV() */
	uint8_t class;
} known_events[] = {
#define KNOWN(CHANNEL, id, NAME, name, CLASS, text) { #name, LT_EV_##NAME, LT_CLASS_##CLASS },
	LT_EVENTS(KNOWN)
#undef KNOWN
};

static const char *const known_classes[] = {
#define KNOWN(num, NAME, name, text) [num] = #name,
	LT_CLASSES(KNOWN)
#undef KNOWN
};

#define N_KNOWN_EVENTS	(sizeof(known_events) / sizeof(known_events[0]))
#define N_KNOWN_CLASSES	(sizeof(known_classes) / sizeof(known_classes[0]))

static const struct {
	const char *name;
	enum lt_kind kind;
} kinds[] = {
	{ "addr", LT_KIND_ADDR }, { "code", LT_KIND_CODE }, { "pfn", LT_KIND_PFN },
	{ "bytes", LT_KIND_BYTES }, { "gfp", LT_KIND_GFP }, { "node", LT_KIND_NODE },
	{ "cache", LT_KIND_CACHE }, { "order", LT_KIND_ORDER }, { "tid", LT_KIND_TID },
	{ "tgid", LT_KIND_TGID }, { "nsec", LT_KIND_NSEC }, { "class", LT_KIND_CLASS },
	{ "pidns", LT_KIND_PIDNS }, { "uid", LT_KIND_UID }, { "bits", LT_KIND_BITS },
	{ "num", LT_KIND_NUM }, { "reg", LT_KIND_REG }, { "site", LT_KIND_SITE },
	{ "stack", LT_KIND_STACK }, { "task", LT_KIND_TASK }, { "text", LT_KIND_TEXT },
};

static const char *event_id_name(unsigned int id)
{
	for (size_t i = 0; i < N_KNOWN_EVENTS; i++) {
		if (known_events[i].id == id)
			return known_events[i].name;
	}
	return NULL;
}

const char *lt_class_id_name(unsigned int class)
{
	return class < N_KNOWN_CLASSES ? known_classes[class] : NULL;
}

/* A name that can stand in JSON, CSV and CTF as it is. */
static bool take_name(const char **rest, size_t *len, char *name)
{
	if (!lt_word(rest, len, name, LT_NAME_SIZE))
		return false;
	for (const char *c = name; *c; c++) {
		char letter = *c | 0x20;

		if ((letter < 'a' || letter > 'z') && (*c < '0' || *c > '9') && *c != '_')
			return false;
	}
	return true;
}

static bool parse_version(struct lt_schema_parser *p, const char *rest, size_t len)
{
	char word[32], *end;

	if (!lt_word(&rest, &len, word, sizeof(word)))
		return lt_schema_bad(p, "a version is missing");
	p->s->major = (unsigned int)strtoul(word, &end, 10);
	if (end == word || *end != '.')
		return lt_schema_bad(p, "expected a version like 1.0");
	p->s->minor = (unsigned int)strtoul(end + 1, NULL, 10);
	if (p->s->major == LT_VERSION_MAJOR)
		return true;
	lt_error("%s: schema version %.31s, this program reads %d.x; use the lifetrace that "
		 "recorded it", p->where, word, LT_VERSION_MAJOR);
	return false;
}

static bool parse_class(struct lt_schema_parser *p, const char *rest, size_t len)
{
	char word[LT_NAME_SIZE];
	const char *known;
	uint64_t num;

	if (!lt_word(&rest, &len, word, sizeof(word)) || !lt_number(word, 10, &num) ||
	    !take_name(&rest, &len, word))
		return lt_schema_bad(p, "expected 'class NUMBER NAME TEXT'");
	if (num >= LT_MAX_CLASSES)
		return true;	/* of a channel that this version does not know */
	known = lt_class_id_name((unsigned int)num);
	if (known && strcmp(known, word))
		return lt_schema_bad(p, "the class has another name than in this version's schema");
	strcpy(p->s->class_names[num], word);
	return true;
}

/*
 * An event is what its name says, whatever its id: within a major version names do not change,
 * but ids may. Names are unique within a channel.
 */
static bool identify_event(struct lt_schema_parser *p, struct lt_event_desc *d)
{
	const char *known = NULL;

	d->event = event_id_name(d->id) ? LT_EV(d->channel, 0) : d->id;
	for (size_t i = 0; i < N_KNOWN_EVENTS; i++) {
		/* each row has a name: NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
		if (LT_EV_CHANNEL(known_events[i].id) != d->channel ||
		    strcmp(known_events[i].name, d->name))
			continue;
		known = d->name;
		d->event = known_events[i].id;
		if (d->class != known_events[i].class)
			return lt_schema_bad(p, "the event has another class in this version's schema");
		break;
	}
	p->s->unknown_events += !known;
	return true;
}

static bool parse_event(struct lt_schema_parser *p, const char *rest, size_t len)
{
	char class[LT_NAME_SIZE], word[LT_NAME_SIZE];
	uint64_t channel, id, size;
	struct lt_event_desc *d;

	p->event = NULL;
	if (!lt_word(&rest, &len, word, sizeof(word)) || !lt_number(word, 10, &channel) ||
	    !lt_word(&rest, &len, word, sizeof(word)) || !lt_number(word, 10, &id))
		return lt_schema_bad(p, "expected 'event CHANNEL ID NAME CLASS BYTES TEXT'");
	if (!channel || channel > LT_N_CHANNELS)
		return true;
	if (!id || id == LT_EV_LONG || id != LT_EV_ID(id) ||
	    p->s->events[LT_EV(channel, id)])
		return lt_schema_bad(p, "the event id is not possible here, or given twice");
	id = LT_EV(channel, id);
	d = lt_alloc(sizeof(*d));
	p->s->events[id] = d;
	d->channel = (uint8_t)channel;
	d->id = (uint16_t)id;
	if (!take_name(&rest, &len, d->name) ||
	    !lt_word(&rest, &len, class, sizeof(class)) ||
	    !lt_word(&rest, &len, word, sizeof(word)) || !lt_number(word, 10, &size))
		return lt_schema_bad(p, "expected 'event CHANNEL ID NAME CLASS BYTES TEXT'");
	if (size > MAX_PAYLOAD)
		return lt_schema_bad(p, "the event is too large");
	d->size = (uint32_t)size;
	d->class = LT_CLASS_NONE;
	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		unsigned int num = (unsigned int)LT_CLASS(channel, i);

		if (p->s->class_names[num][0] && !strcmp(p->s->class_names[num], class))
			d->class = (uint8_t)num;
	}
	if (d->class == LT_CLASS_NONE && strcmp(class, "-"))
		return lt_schema_bad(p, "the event's class was not declared, or is another channel's");
	p->event = d;
	return identify_event(p, d);
}

/* u32, or u32x8: eight of them. */
static bool parse_type(const char *word, struct lt_field *f)
{
	char bits[LT_NAME_SIZE];
	const char *times;
	uint64_t n;

	if (!strncmp(word, "char", 4)) {
		f->type = LT_TYPE_CHARS;
		f->count = 1;
		f->size = lt_number(word + 4, 10, &n) && n && n <= MAX_PAYLOAD ? (uint32_t)n : 0;
		return f->size;
	}
	times = strchr(word, 'x');
	f->count = 1;
	if (times) {
		if (!lt_number(times + 1, 10, &n) || n < 2 || n > MAX_COUNT)
			return false;
		f->count = (uint32_t)n;
		snprintf(bits, sizeof(bits), "%.*s", (int)(times - word), word);
		word = bits;
	}
	if ((*word != 'u' && *word != 's') || !lt_number(word + 1, 10, &n))
		return false;
	f->type = *word == 's' ? LT_TYPE_SINT : LT_TYPE_UINT;
	f->size = (uint32_t)(n / 8);
	return n && n <= 64 && n % 8 == 0;
}

static bool parse_field(struct lt_schema_parser *p, const char *rest, size_t len)
{
	struct lt_event_desc *d = p->event;
	char type[LT_NAME_SIZE], kind[LT_NAME_SIZE], word[LT_NAME_SIZE];
	struct lt_field *f;
	uint64_t offset;

	if (!d)
		return true;	/* of another channel's event */
	if (d->n_fields == LT_SCHEMA_FIELDS)
		return lt_schema_bad(p, "the event has too many fields");
	f = &d->fields[d->n_fields];
	*f = (struct lt_field){ 0 };
	if (!take_name(&rest, &len, f->name) ||
	    !lt_word(&rest, &len, type, sizeof(type)) ||
	    !lt_word(&rest, &len, kind, sizeof(kind)) ||
	    !lt_word(&rest, &len, word, sizeof(word)) || !lt_number(word, 10, &offset))
		return lt_schema_bad(p, "expected 'field NAME TYPE KIND OFFSET TEXT'");
	if (!parse_type(type, f)) {
		p->s->unknown_fields++;
		return true;
	}
	if (offset > d->size || lt_field_bytes(f) > d->size - offset)
		return lt_schema_bad(p, "the field does not lie within its event");
	f->offset = f->offset_big = (uint32_t)offset;
	f->mask = UINT64_MAX;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !f->kind; i++) {
		if (!strcmp(kinds[i].name, kind))
			f->kind = kinds[i].kind;
	}
	d->n_fields++;
	lt_schema_add_step(d, f);
	return true;
}

static bool parse_gfp(struct lt_schema_parser *p, const char *rest, size_t len)
{
	struct lt_schema *s = p->s;
	struct lt_gfp_name *g;
	char word[32];
	uint64_t mask;

	if (s->n_gfp == MAX_GFP)
		return lt_schema_bad(p, "too many gfp lines");
	s->gfp = lt_grow(s->gfp, &s->cap_gfp, s->n_gfp, sizeof(*s->gfp));
	g = &s->gfp[s->n_gfp];
	if (!lt_word(&rest, &len, word, sizeof(word)) || strncmp(word, "0x", 2) ||
	    !lt_number(word + 2, 16, &mask) || !mask || mask > UINT32_MAX ||
	    !take_name(&rest, &len, g->name))
		return lt_schema_bad(p, "expected 'gfp 0xMASK NAME'");
	g->mask = (uint32_t)mask;
	s->n_gfp++;
	return true;
}

static bool parse_line(struct lt_schema_parser *p, const char *line, size_t len)
{
	char type[32];

	if (!lt_word(&line, &len, type, sizeof(type)))
		return true;
	if (p->line == 1 && strcmp(type, "lifetrace-schema"))
		return lt_schema_bad(p, "expected 'lifetrace-schema VERSION'");
	if (!strcmp(type, "lifetrace-schema"))
		return parse_version(p, line, len);
	if (!strcmp(type, "class"))
		return parse_class(p, line, len);
	if (!strcmp(type, "event"))
		return parse_event(p, line, len);
	if (!strcmp(type, "field"))
		return parse_field(p, line, len);
	if (!strcmp(type, "gfp"))
		return parse_gfp(p, line, len);
	if (strcmp(type, "channel"))
		p->s->unknown_lines++;
	return true;
}

void lt_schema_not_plain(struct lt_schema *s, unsigned int event)
{
	struct lt_plain *q = s->plain[LT_EV_CHANNEL(event) - 1];

	for (unsigned int id = 0; id < LT_EV_LONG; id++) {
		if (q[id].desc && q[id].desc->id == event)
			q[id].desc = NULL;
		if (q[id].each && q[id].each->id == event)
			q[id].each = NULL;
	}
}

struct lt_schema *lt_schema_parse(const char *text, const char *where)
{
	struct lt_schema_parser p = { .s = lt_alloc(sizeof(*p.s)), .where = where };
	const char *pos = text, *line;
	size_t len, events = 0;

	while (lt_line(&pos, &line, &len)) {
		p.line++;
		if (!parse_line(&p, line, len)) {
			lt_schema_free(p.s);
			return NULL;
		}
	}
	if (!lt_schema_plan(&p)) {
		lt_schema_free(p.s);
		return NULL;
	}
	for (unsigned int i = 0; i < LT_SCHEMA_IDS; i++)
		events += p.s->events[i] != NULL;
	if (!events) {
		lt_error("%s: the schema declares no event that this version can read; the file "
			 "is damaged or not a trace", where);
		lt_schema_free(p.s);
		return NULL;
	}
	return p.s;
}

void lt_schema_free(struct lt_schema *s)
{
	if (!s)
		return;
	for (unsigned int i = 0; i < LT_SCHEMA_IDS; i++)
		free(s->events[i]);
	free(s->gfp);
	free(s);
}
