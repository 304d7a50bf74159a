// SPDX-License-Identifier: GPL-2.0
/*
 * One fault for each analyser that looks at programs. Each has to be reported.
 */
#include <linux/types.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t planted_order(__le32 value);
int planted_leak(const char *path);
int planted_null(const int *p);
int planted_bounds(int n);
int planted_words(const char *text);

/* sparse */
uint32_t planted_order(__le32 value)
{
	return value;
}

/* gcc -fanalyzer: a file and memory are lost */
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
int planted_words(const char *text)
{
	char *copy = malloc(strlen(text));

	if (!copy)
		return 0;
	memset(copy, 1, sizeof(copy));
	return copy[0];
}

/* checkpatch */
int planted_style ( int v );
int planted_style ( int v )
{
	return v;
}
