// SPDX-License-Identifier: GPL-2.0
/* A fault for the lint "layers": circle.c and back.c call each other. */
void planted_back(void);
void planted_circle(void);

void planted_circle(void)
{
	planted_back();
}
