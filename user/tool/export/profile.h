/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the formats of profiles have in common.
 */
#ifndef LT_EXPORT_PROFILE_H
#define LT_EXPORT_PROFILE_H

#include "base/out.h"
#include "export/export.h"
#include "out/para.h"

/* Words of the command line. */
const char *lt_level_name(unsigned int level);
extern const char *const lt_metric_names[];	/* by enum lt_metric; the last one is NULL */

/**
 * lt_export_levels() - the levels of a profile
 * @o: chosen by users, or without levels
 * Return: 0; -1 after printing which level the trace does not have.
 */
int lt_export_levels(struct lt_profile_options *o, const struct lt_trace *t, const char *file);

/**
 * struct lt_row_numbers - numbers that a format gives to the rows of a profile
 * @of: by row; 0: none yet. To be freed
 * @n: length of @of
 * @other: that of the row LT_PROFILE_OTHER
 */
struct lt_row_numbers {
	uint32_t *of;
	size_t n;
	uint32_t other;
};

/* Where the number of a row stands, valid until the next call. */
uint32_t *lt_row_number(struct lt_row_numbers *numbers, uint32_t row);

/* The number of a row by a metric. */
uint64_t lt_metric_of(const struct lt_profile_row *row, enum lt_metric metric);

/*
 * A frame as text: "task cp", "cache dentry", "vfs_read", and of a call site
 * "getname_flags+0x2b [module]". Words in front keep names apart from functions. Bytes of
 * control characters, bytes that are not UTF-8, backslashes and those of @also become \xHH.
 */
void lt_frame_text(struct lt_out *o, const struct lt_path_frame *f, const char *also);

/* The binary that a frame is of: "kernel", a module; "lifetrace" where it is no function. */
const char *lt_frame_module(const struct lt_path_frame *f);

/* A name as it is in the text of a frame, without a word in front. */
void lt_name_text(struct lt_out *o, const char *s, const char *also);
void lt_name_bytes(struct lt_out *o, const char *s, size_t len, const char *also);

/*
 * What the format has no field for, a sentence each: how sure the lifetimes are, at which
 * instant objects are alive, what is an estimate, what is left out.
 */
void lt_profile_notes(const struct lt_profile *p, struct lt_para *t);

/* Prints these notes on standard error, for formats without comments. */
void lt_profile_warn(const struct lt_profile *p);

#endif /* LT_EXPORT_PROFILE_H */
