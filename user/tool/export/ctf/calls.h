/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CTF: function calls. What the bytes of a record's values are depends on its function, and in the
 * short form how many bytes each has depends on the record: CTF cannot describe either. So each
 * record of a call that returned is written anew, as an event of its function, with a field for
 * each value.
 */
#ifndef LT_EXPORT_CTF_CALLS_H
#define LT_EXPORT_CTF_CALLS_H

#include "base/str.h"
#include "calls/call.h"
#include "export/ctf/names.h"
#include "format/record.h"

/*
 * The event of function n has the id LT_CTF_FIRST_CALL + n. That of calls whose values nothing
 * describes is LT_CTF_CALL: the trace lacks the function, or the record lacks a value, or there
 * is no id left. No event of the schema has these ids.
 */
#define LT_CTF_CALL		257U
#define LT_CTF_FIRST_CALL	1024U
#define LT_CTF_LAST_CALL	UINT16_MAX
#define LT_CTF_CALL_PREFIX	"call:"

/* The number of the function in LT_CTF_CALL and call_open. */
#define LT_CTF_FUNCTION_FIELD	"function"
#define LT_CTF_FUNCTION_TYPE	"function_t"
#define LT_CTF_FUNCTION_SIZE	2U

/**
 * struct lt_ctf_calls - the calls of a trace
 * @calls: NULL: calls stay as they were recorded
 * @functions: of the trace
 * @tid, @tgid: the task that runs, as the packet has announced it; 0: it has not
 * @payload: of the event that was made last
 */
struct lt_ctf_calls {
	struct lt_calls *calls;
	const struct lt_functions *functions;
	uint32_t tid;
	uint32_t tgid;
	struct lt_str payload;
};

/* Return: 0, or -1 after lt_error(): a block FUNCTIONS is not valid. */
int lt_ctf_calls_init(struct lt_ctf_calls *c, const struct lt_trace *t);
void lt_ctf_calls_destroy(struct lt_ctf_calls *c);

/* Whether records of this event are calls that returned. */
bool lt_ctf_is_call(const struct lt_event_desc *d);

/* At the begin of each packet. */
void lt_ctf_calls_packet(struct lt_ctf_calls *c);

/* Takes in the announcement of the running task. */
void lt_ctf_calls_task(struct lt_ctf_calls *c, const struct lt_packet *p,
		       const struct lt_record *r);

/* Makes the payload of the event of a call. Return: its id. */
unsigned int lt_ctf_calls_event(struct lt_ctf_calls *c, const struct lt_packet *p,
				const struct lt_record *r);

/* ------------------------------------------------------------------------
 * For the metadata
 */

#define LT_CTF_CALL_NAME	64

/* A member of all events of calls, before the values. */
struct lt_ctf_call_member {
	const char *name;
	uint32_t size;
	const char *base;
};

#define LT_CTF_CALL_MEMBERS	6

extern const struct lt_ctf_call_member lt_ctf_call_members[LT_CTF_CALL_MEMBERS];

/**
 * struct lt_ctf_call_field - a value
 * @name: letters, digits and '_'; one for each value of its group
 * @form: what it is
 */
struct lt_ctf_call_field {
	char name[LT_CTF_CALL_NAME];
	const struct lt_call_form *form;
};

/* The structure that has the values of that time; NULL: they stand behind it, in none. */
const char *lt_ctf_call_group(enum lt_call_when when);

/* The values of a function that were read then, in the order of the event. Return: how many. */
unsigned int lt_ctf_call_fields(const struct lt_function *f, enum lt_call_when when,
				struct lt_ctf_call_field fields[LT_CALL_VALUES]);

/* The next function that has an event; @after NULL: the first. NULL: there is none. */
const struct lt_function *lt_ctf_call_next(const struct lt_ctf_calls *c,
					   const struct lt_function *after);

/* The base in which a viewer should show a value: "hexadecimal" or "decimal". */
const char *lt_ctf_call_base(enum lt_call_kind kind);

/**
 * lt_ctf_call_enum() - the names of the values of an enum
 * @n: receives how many there are; 0: it is no enum, or has no names
 *
 * Return: for lt_ctf_labels_free(). Numbers have a sign.
 */
struct lt_ctf_name *lt_ctf_call_enum(const struct lt_call_form *form, size_t *n);

/* The names of all functions, by their numbers, in the same way. */
struct lt_ctf_name *lt_ctf_call_functions(const struct lt_ctf_calls *c, size_t *n);

void lt_ctf_labels_free(struct lt_ctf_name *labels, size_t n);

/* Whether a field of the schema is the number of a function. */
bool lt_ctf_is_function(const struct lt_ctf_calls *c, const struct lt_event_desc *d,
			const struct lt_field *f);

#endif /* LT_EXPORT_CTF_CALLS_H */
