// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Fields of the kernel's events, by the names that they have there, and where they go.
 */
#include <stddef.h>
#include <string.h>

#include "base/byteorder.h"
#include "import/import.h"

#define FIELD(name, member)	{ name, offsetof(struct lt_import_event, member),	\
				  sizeof(((struct lt_import_event *)0)->member), false }
#define TEXT(name, member)	{ name, offsetof(struct lt_import_event, member),	\
				  sizeof(((struct lt_import_event *)0)->member), true }

static const struct lt_import_member members[] = {
	FIELD("call_site", call_site), FIELD("ptr", ptr), FIELD("pfn", ptr),
	FIELD("bytes_req", bytes_req), FIELD("bytes_alloc", bytes_alloc),
	FIELD("gfp_flags", gfp), FIELD("node", node), FIELD("order", order),
	FIELD("migratetype", migratetype), TEXT("name", name),
	FIELD("pid", tid), FIELD("child_pid", tid), FIELD("parent_pid", old_tid),
	FIELD("old_pid", old_tid), TEXT("comm", name), TEXT("child_comm", name),
	TEXT("newcomm", name), TEXT("oldcomm", old),
	FIELD("clone_flags", clone_flags), FIELD("oom_score_adj", oom_score_adj),
	FIELD("group_dead", group_dead), FIELD("id", nr), FIELD("ret", result),
};

const struct lt_import_member *lt_import_member(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (strlen(members[i].name) == len && !memcmp(members[i].name, name, len))
			return &members[i];
	}
	return NULL;
}

void lt_import_put(struct lt_import_event *ev, const struct lt_import_member *m, uint64_t value)
{
	lt_put_native((uint8_t *)ev + m->offset, m->size, value);
}

void lt_import_put_text(struct lt_import_event *ev, const struct lt_import_member *m,
			const char *text, size_t len)
{
	char *to = (char *)ev + m->offset;
	size_t n = strnlen(text, len < m->size - 1U ? len : m->size - 1U);

	memset(to, 0, m->size);
	memcpy(to, text, n);
}
