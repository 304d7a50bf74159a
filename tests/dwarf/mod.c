// SPDX-License-Identifier: GPL-2.0
/*
 * A program like a kernel's module, for tests of source lines: an object file, with the release of
 * its kernel, and without a build id. It is never loaded.
 */
static const char release[] __attribute__((section(".modinfo"), used)) =
	"name=mod\0vermagic=6.1.0-test SMP mod_unload";

void mod_callee(int n);
void mod_begin(void);
void mod_fn(int n);

void mod_begin(void)
{
	mod_callee(1);
	__asm__ volatile("");
}

static inline __attribute__((always_inline)) void twice(int n)
{
	mod_callee(2 * n);
	__asm__ volatile("");
}

void mod_fn(int n)
{
	twice(n);
	__asm__ volatile("");
}
