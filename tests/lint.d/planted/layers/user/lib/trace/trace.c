// SPDX-License-Identifier: GPL-2.0
/* What the planted upward call calls. */
void planted_trace(void);

void planted_trace(void)
{
}
