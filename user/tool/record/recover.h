/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a panic has left of a recording, as the module's file "panic" has it.
 */
#ifndef LT_RECORD_RECOVER_H
#define LT_RECORD_RECOVER_H

#include <stddef.h>

#include "format/block.h"

/**
 * lt_recover() - write it as a trace file
 * @name: of the file, for messages
 * @data: what stands in the file
 * @size: its bytes, not 0
 * @w: the trace, to which nothing was written yet; not finished
 *
 * Return: 0, or -1 after lt_error(): it is not what a module writes, or @w has an error.
 */
int lt_recover(const char *name, const void *data, size_t size, struct lt_writer *w);

#endif /* LT_RECORD_RECOVER_H */
