/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Of which tasks a file is that was cut out of a trace (lifetrace cut --task).
 */
#ifndef LT_FORMAT_WHOSE_H
#define LT_FORMAT_WHOSE_H

#include "format/block.h"

/**
 * lt_part_whose() - the lines "task=WHO" and "root=WHO" of PART
 * @f: a file or a set, all files of which have them
 *
 * What the file has is what each of them wants.
 * Return: to be freed; NULL: it is about all tasks.
 */
char *lt_part_whose(const struct lt_file *f);

#endif /* LT_FORMAT_WHOSE_H */
