// SPDX-License-Identifier: GPL-2.0
/* The other half of the circle in circle.c. */
void planted_back(void);
void planted_circle(void);

void planted_back(void)
{
	planted_circle();
}
