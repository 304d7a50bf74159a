/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which engine records.
 */
#ifndef LT_RECORD_CHOOSE_H
#define LT_RECORD_CHOOSE_H

struct lt_engine;
struct lt_record_options;

/* Names of the engines, the last of which is NULL. */
extern const char *const lt_record_engines[];

/**
 * lt_record_engine() - the engine of a recording
 * @o: its options
 *
 * The one that was asked for; else the module, if any other is not as good, or where it is loaded,
 * or a file of it is there for this kernel, so that it can be; else BPF programs, which is said.
 * Return: NULL after lt_error(): that engine cannot do what the options ask for.
 */
struct lt_engine *lt_record_engine(const struct lt_record_options *o);

#endif /* LT_RECORD_CHOOSE_H */
