// SPDX-License-Identifier: GPL-2.0
/*
 * One fault for each analyser that looks at programs. Each has to be reported.
 */
#include <linux/types.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

uint32_t planted_order(__le32 value);
int planted_leak(const char *path);
int planted_null(const int *p);
int planted_bounds(int n);
size_t planted_product(unsigned int a, unsigned int b);

/* sparse */
uint32_t planted_order(__le32 value)
{
	return value;
}

/* gcc -fanalyzer, clang-tidy: a file and memory are lost */
int planted_leak(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = malloc(10);

	if (!file || !text)
		return -1;
	text[0] = 0;
	return getc(file);
}

/* cppcheck: checked too late */
int planted_null(const int *p)
{
	int v = *p;

	if (!p)
		return 0;
	return v;
}

/* cppcheck */
int planted_bounds(int n)
{
	int a[4] = { 0 };

	a[4] = n;
	return a[n & 3];
}

/* clang-tidy */
size_t planted_product(unsigned int a, unsigned int b)
{
	return a * b;
}

/* checkpatch */
int planted_style ( int v );
int planted_style ( int v )
{
	return v;
}
