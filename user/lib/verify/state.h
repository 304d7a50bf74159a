/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * That a recording which was cut proves itself: what is alive after a part is what the next part
 * says was alive at its begin.
 */
#ifndef LT_VERIFY_STATE_H
#define LT_VERIFY_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct lt_state_proof - two parts that follow each other
 * @part: the number of the second one
 * @cut_ns: when it begins, after the begin of the trace
 * @objects: what its STATE carries: births, and the frees that were undecided
 * @alone: in how many the table differs that the part before it leads to, read alone
 * @not_alone: that was not compared: where frees can be late, a part alone leaves open longer
 *	whether an object has ended than all parts together
 * @joined: in how many the one differs to which all parts since the first, or since the last one
 *	that is missing, lead together
 * @first: the first difference, NULL: there is none
 */
struct lt_state_proof {
	uint64_t part;
	uint64_t cut_ns;
	uint64_t objects;
	uint64_t alone;
	bool not_alone;
	uint64_t joined;
	char *first;
};

/* @none: the files have no STATE, or are not parts that follow each other */
struct lt_state_proofs {
	struct lt_state_proof *rows;
	size_t n;
	size_t cap;
	bool none;
};

/**
 * lt_verify_state() - compare the tables at all cuts
 * @path: of a set; of one file there is nothing to compare
 * Return: 0, or -1 after lt_error(); lt_state_proofs_destroy() is due in both cases.
 */
int lt_verify_state(const char *path, struct lt_state_proofs *v);
bool lt_state_proofs_good(const struct lt_state_proofs *v);
void lt_state_proofs_destroy(struct lt_state_proofs *v);

#endif /* LT_VERIFY_STATE_H */
