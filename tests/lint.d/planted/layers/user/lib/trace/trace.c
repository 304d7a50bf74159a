// SPDX-License-Identifier: GPL-2.0
/* What the planted upward call calls; and a loop over events beside lt_trace_pass(). */
int lt_trace_next(void *t, void *ev);
void planted_trace(void);

void planted_trace(void)
{
	while (lt_trace_next(0, 0) > 0)
		;
}
