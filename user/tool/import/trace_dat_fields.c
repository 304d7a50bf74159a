// SPDX-License-Identifier: GPL-2.0
/*
 * The fields of a record of trace.dat, by the formats that the file has.
 */
#ifdef LT_HAVE_TRACEEVENT

#include <string.h>

#include "base/mem.h"
#include "import/trace_dat.h"

void lt_dat_plan(struct lt_dat *r, enum lt_import_kind kind)
{
	struct lt_dat_plan *p = &r->plans[kind];

	p->event = r->lib->find_event_by_name(r->tep, lt_import_system(kind),
					      lt_import_name(kind));
	if (!p->event)
		return;
	for (struct tep_format_field *f = p->event->format.fields; f; f = f->next) {
		const struct lt_import_member *m = lt_import_member(f->name, strlen(f->name));

		if (kind == LT_IMPORT_EXEC && !strcmp(f->name, "filename"))
			p->path = f;
		if (kind == LT_IMPORT_SYS_ENTER && !strcmp(f->name, "args"))
			p->args = f;
		if (!m || p->n == LT_DAT_FIELDS)
			continue;
		p->fields[p->n].field = f;
		p->fields[p->n++].member = m;
	}
}

bool lt_dat_has_field(const struct lt_dat *r, enum lt_import_kind kind, const char *name)
{
	const struct lt_dat_plan *p = &r->plans[kind];

	for (unsigned int i = 0; p->event && i < p->n; i++) {
		if (!strcmp(p->fields[i].member->name, name))
			return true;
	}
	return false;
}

/* Whether an event has what it is about. */
bool lt_dat_is_usable(const struct lt_dat *r, enum lt_import_kind kind)
{
	static const char *const needed[LT_N_IMPORT] = {
		[LT_IMPORT_PAGE_ALLOC] = "pfn", [LT_IMPORT_PAGE_FREE] = "pfn",
		[LT_IMPORT_PAGE_BATCHED] = "pfn", [LT_IMPORT_NEWTASK] = "pid",
		[LT_IMPORT_FORK] = "child_pid", [LT_IMPORT_EXEC] = "pid",
		[LT_IMPORT_EXIT] = "pid", [LT_IMPORT_RENAME] = "newcomm",
		[LT_IMPORT_SYS_ENTER] = "id", [LT_IMPORT_SYS_EXIT] = "id",
	};

	return r->plans[kind].event &&
	       lt_dat_has_field(r, kind, needed[kind] ? needed[kind] : "ptr");
}

static bool is_within(const struct tep_record *rec, int64_t offset, int64_t size)
{
	return offset >= 0 && size >= 0 && offset <= rec->size && size <= rec->size - offset;
}

/* A number of a record; false: it is not in it. */
static bool number_at(const struct lt_dat *r, const struct tep_record *rec, int offset, int size,
		      bool is_signed, uint64_t *v)
{
	if ((size != 1 && size != 2 && size != 4 && size != 8) || !is_within(rec, offset, size))
		return false;
	*v = r->lib->read_number(r->tep, (const char *)rec->data + offset, size);
	if (is_signed && size < 8 && *v >> (8 * size - 1))
		*v |= UINT64_MAX << 8 * size;
	return true;
}

/* A text of a record: in the field itself, or where the field says. */
static const char *text_at(const struct lt_dat *r, const struct tep_record *rec,
			   const struct tep_format_field *f, size_t *len)
{
	int64_t offset = f->offset, size = f->size;
	uint64_t where;

	if (f->flags & TEP_FIELD_IS_DYNAMIC) {
		if (!number_at(r, rec, f->offset, 4, false, &where))
			return NULL;
		offset = (int64_t)(where & 0xffff);
		size = (int64_t)(where >> 16 & 0xffff);
		if (f->flags & TEP_FIELD_IS_RELATIVE)
			offset += (int64_t)f->offset + f->size;
	}
	if (!is_within(rec, offset, size))
		return NULL;
	*len = strnlen((const char *)rec->data + offset, (size_t)size);
	return (const char *)rec->data + offset;
}

static void take_path(struct lt_dat *r, const struct tep_record *rec, const struct lt_dat_plan *p,
		      struct lt_import_event *ev)
{
	size_t len;
	const char *text = p->path ? text_at(r, rec, p->path, &len) : NULL;

	if (!text)
		return;
	while (r->cap_file <= len)
		r->file = lt_grow(r->file, &r->cap_file, r->cap_file, 1);
	memcpy(r->file, text, len);
	r->file[len] = 0;
	ev->path = r->file;
}

static void take_args(struct lt_dat *r, const struct tep_record *rec, const struct lt_dat_plan *p,
		      struct lt_import_event *ev)
{
	int size = p->args ? p->args->size / 6 : 0;

	for (int i = 0; size && i < 6; i++)
		number_at(r, rec, p->args->offset + i * size, size, false, &ev->args[i]);
}

bool lt_dat_fill(struct lt_dat *r, const struct tep_record *rec, const struct lt_dat_plan *p,
		 struct lt_import_event *ev)
{
	for (unsigned int i = 0; i < p->n; i++) {
		const struct tep_format_field *f = p->fields[i].field;
		const struct lt_import_member *m = p->fields[i].member;
		uint64_t value;
		const char *text;
		size_t len;

		if (m->text) {
			text = text_at(r, rec, f, &len);
			if (!text)
				return false;
			lt_import_put_text(ev, m, text, len);
		} else {
			if (!number_at(r, rec, f->offset, f->size, f->flags & TEP_FIELD_IS_SIGNED,
				       &value))
				return false;
			lt_import_put(ev, m, value);
		}
	}
	take_path(r, rec, p, ev);
	take_args(r, rec, p, ev);
	return true;
}

#endif /* LT_HAVE_TRACEEVENT */
