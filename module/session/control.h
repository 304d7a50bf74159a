/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_CONTROL_H
#define LT_CONTROL_H

int lt_control_init(void);
void lt_control_exit(void);

#endif /* LT_CONTROL_H */
