// SPDX-License-Identifier: GPL-2.0
/* Faults for the lint "layers": base calls trace, and the library prints. */
#include <stdio.h>

void planted_trace(void);
void planted_upward(void);

void planted_upward(void)
{
	puts("planted");
	planted_trace();
}
