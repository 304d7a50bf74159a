/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types of a small kernel, byte by byte: what specs are compiled against, and a seed.
 */
#ifndef LT_FUZZ_TYPES_H
#define LT_FUZZ_TYPES_H

#include <stdint.h>

#define FUZZ_TYPES_NAMES						\
	"\0int\0char\0long unsigned int\0node\0color\0RED\0BLUE\0f\0" /* 1 5 10 28 33 39 43 48 */ \
	"n\0name\0flags\0value\0three\0next\0"	/* 50 52 57 63 69 75 */	\
	"text\0pair\0p\0a\0b\0g\0"		/* 80 85 90 92 94 96 */

#define FUZZ_TYPE(name, kind, vlen, size)	(name), (uint32_t)(kind) << 24 | (vlen), (size)

static const struct {
	uint16_t magic;
	uint8_t version;
	uint8_t flags;
	uint32_t header[5];
	uint32_t types[87];
	char names[99];
} fuzz_types = {
	0xeb9f, 1, 0,
	{ 24, 0, sizeof(fuzz_types.types), sizeof(fuzz_types.types), sizeof(fuzz_types.names) },
	{
		FUZZ_TYPE(1, 1, 0, 4), 1u << 24 | 32,			/* 1 int */
		FUZZ_TYPE(5, 1, 0, 1), 1u << 24 | 8,			/* 2 char */
		FUZZ_TYPE(10, 1, 0, 8), 64,				/* 3 unsigned long */
		FUZZ_TYPE(0, 2, 0, 5),					/* 4 struct node * */
		FUZZ_TYPE(28, 4, 5, 40),				/* 5 struct node */
		63, 1, 0, 69, 1, 32, 75, 4, 64, 52, 7, 128, 80, 8, 192,
		FUZZ_TYPE(33, 6, 2, 4), 39, 1, 43, 4,			/* 6 enum color */
		FUZZ_TYPE(0, 3, 0, 0), 2, 1, 8,				/* 7 char [8] */
		FUZZ_TYPE(0, 2, 0, 9),					/* 8 const char * */
		FUZZ_TYPE(0, 10, 0, 2),					/* 9 const char */
		FUZZ_TYPE(85, 4, 2, 16), 92, 3, 0, 94, 1, 64,		/* 10 struct pair */
		FUZZ_TYPE(0, 13, 5, 1), 50, 4, 52, 8, 57, 6, 90, 10, 92, 3,	/* 11 */
		FUZZ_TYPE(48, 12, 0, 11),				/* 12 f() */
		FUZZ_TYPE(0, 13, 2, 4), 92, 3, 0, 0,			/* 13 */
		FUZZ_TYPE(96, 12, 0, 13),				/* 14 g() */
	},
	FUZZ_TYPES_NAMES
};

#endif /* LT_FUZZ_TYPES_H */
