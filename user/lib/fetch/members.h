/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The way from a value to its members and to what it points to.
 */
#ifndef LT_FETCH_MEMBERS_H
#define LT_FETCH_MEMBERS_H

#include "fetch/build.h"

/* One step of an expression: ->, ., [], *, & or user(). */
bool lt_members_op(struct lt_build *b, const struct lt_spec_expr *e, unsigned int i, bool at_return,
		   enum lt_part part, struct lt_operand *o);

/* A struct by its name; 0: there is none. */
uint32_t lt_members_struct(const struct lt_btf *btf, const char *name);

/* Moves from a struct to one of its members. */
void lt_members_enter(const struct btf_type *t, const struct btf_member *m, struct lt_operand *o);

#endif /* LT_FETCH_MEMBERS_H */
