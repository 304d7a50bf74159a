/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How certain the reader is of a birth or an end, of objects and of tasks.
 */
#ifndef LT_BASE_CERTAINTY_H
#define LT_BASE_CERTAINTY_H

enum lt_certainty {
	LT_EXACT,
	LT_OPEN,
	LT_BEFORE,
	LT_BOUNDED,
	LT_UNCERTAIN,
	LT_N_CERTAINTIES,
};

/* The word that is printed; "?" for a number that is no certainty. */
const char *lt_certainty_name(enum lt_certainty c);

#endif /* LT_BASE_CERTAINTY_H */
