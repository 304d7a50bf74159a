/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code of modules that come and go.
 */
#ifndef LT_CODE_H
#define LT_CODE_H

struct seq_file;

extern const struct lt_notifier lt_module_notifier;

void lt_code_reset(void);
void lt_code_show(struct seq_file *m);

#endif /* LT_CODE_H */
