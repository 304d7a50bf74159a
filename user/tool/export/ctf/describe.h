/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CTF: what the metadata of both versions declares, walked once: types with names, streams, events
 * and their fields. How each is written, a version says.
 */
#ifndef LT_EXPORT_CTF_DESCRIBE_H
#define LT_EXPORT_CTF_DESCRIBE_H

#include "export/ctf/ctf.h"

/* What a field is. */
enum lt_ctf_shape {
	LT_CTF_NUMBER,
	LT_CTF_NAMED,		/* of a type that was declared */
	LT_CTF_COUNTS,		/* the counters of a class */
	LT_CTF_CHARS,		/* a text of a fixed size */
	LT_CTF_TEXT,		/* a text that ends with 0 */
	LT_CTF_BLOB,		/* bytes that mean nothing */
};

/**
 * struct lt_ctf_field - a field
 * @name: its name
 * @any_name: the program chose the name, which may be a keyword, or begin with a digit
 * @size: bytes, of an array those of one element; of LT_CTF_NAMED unused
 * @base: "decimal" or "hexadecimal"; NULL: it does not matter
 * @type: of LT_CTF_NAMED
 * @times: elements of an array; 0: it is none
 * @count: the field before it that has the number of its elements; NULL: none
 */
struct lt_ctf_field {
	const char *name;
	enum lt_ctf_shape shape;
	bool any_name;
	bool is_signed;
	uint32_t size;
	const char *base;
	const char *type;
	uint32_t times;
	const char *count;
};

/**
 * struct lt_ctf_type - a type with a name: numbers that have labels
 * @labels: @n of them; one without a label is left out
 */
struct lt_ctf_type {
	const char *name;
	uint32_t size;
	bool is_signed;
	const char *base;
	const struct lt_ctf_name *labels;
	size_t n;
};

/**
 * struct lt_ctf_writer - a version of the metadata
 * @event: begins an event; its fields follow, up to @event_end
 * @group: begins a field that has those up to @group_end
 *
 * The callbacks are called in the order of the declarations in the metadata.
 */
struct lt_ctf_writer {
	void (*type)(void *w, const struct lt_ctf_type *type);
	void (*stream)(void *w, unsigned int channel);
	void (*event)(void *w, const char *name, unsigned int channel, unsigned int id);
	void (*field)(void *w, const struct lt_ctf_field *field);
	void (*group)(void *w, const char *name);
	void (*group_end)(void *w, const char *name);
	void (*event_end)(void *w);
};

void lt_ctf_describe(const struct lt_ctf_writer *writer, void *w, const struct lt_export *e,
		     const struct lt_ctf_machine *m);

/* The counters of LT_CTF_COUNTS, of 64 bits each. */
#define LT_CTF_N_COUNTS	6

extern const char *const lt_ctf_counts[LT_CTF_N_COUNTS];

#endif /* LT_EXPORT_CTF_DESCRIBE_H */
