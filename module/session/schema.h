/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_SCHEMA_H
#define LT_SCHEMA_H

struct seq_file;

void lt_schema_show(struct seq_file *m);

#endif /* LT_SCHEMA_H */
