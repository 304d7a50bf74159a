/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_SELFTEST_H
#define LT_SELFTEST_H

struct lt_channel;

int lt_selftest_act(void);
int lt_selftest_check(struct lt_channel *ch);

#endif /* LT_SELFTEST_H */
