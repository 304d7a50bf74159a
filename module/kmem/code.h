/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code of modules that come and go.
 */
#ifndef LT_CODE_H
#define LT_CODE_H

#include <linux/seq_file.h>

#ifdef CONFIG_MODULES
extern const struct lt_notifier lt_module_notifier;

/*
 * The notifier is not attached. KUnit runs its cases in a call of the notifiers of a module, and
 * holds their lock meanwhile: who attaches another one waits for ever. Nothing else sets it.
 */
extern bool lt_code_apart;

void lt_code_reset(void);
void lt_code_show(struct seq_file *m);
#else
static inline void lt_code_reset(void)
{
}

static inline void lt_code_show(struct seq_file *m)
{
	seq_puts(m, "changes 0 forgotten 0 nameless 0\n");
}
#endif

#endif /* LT_CODE_H */
