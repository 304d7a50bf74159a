// SPDX-License-Identifier: GPL-2.0
/* A fault for the lint "layers": core calls session. */
void planted_session(void);
void planted_upward(void);

void planted_upward(void)
{
	planted_session();
}
