/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rotation: a recording that is cut into parts, each of which can be read alone.
 *
 * The recorder has a table of what is alive, which it keeps from the packets as a reader does. At a
 * cut all streams are cut at one time, and the next part begins with what is alive then.
 */
#ifndef LT_RECORD_ROTATE_H
#define LT_RECORD_ROTATE_H

#include "record/internal.h"
#include "record/part_writer.h"

/* Opens the directory. Return: 0, or -1 after lt_error(). */
int lt_rotate_new(struct lt_record_file *f, const struct lt_record_options *o);
/*
 * The session has begun, and r->sink.trace has its first texts: the first part begins. Return: 0,
 * or -1 after lt_error(): by its clock the recording cannot be cut.
 */
int lt_rotate_begin(struct lt_recording *r);
/* Ends the last part. @x may be NULL. Return: -1: something could not be written, as reported. */
int lt_rotate_end(struct lt_rotation *x, const struct lt_record_options *o);
void lt_rotate_free(struct lt_record_file *f, const struct lt_record_options *o);

/* How writing goes. */
struct lt_writing lt_rotate_state(const struct lt_rotation *x);

#endif /* LT_RECORD_ROTATE_H */
