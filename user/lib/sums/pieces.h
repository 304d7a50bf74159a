/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rows of a report by piece: by slab cache, call site and, if asked for, the name of the
 * task together, so that the rows of any choice of these can be added up.
 */
#ifndef LT_SUMS_PIECES_H
#define LT_SUMS_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/names.h"

#define LT_PIECES_MOST	(1U << 18)

/* What distinguishes rows. */
struct lt_piece {
	uint64_t cache;		/* lt_cache_key() */
	uint64_t site;		/* call site, 0: not known */
	uint32_t comm;		/* number in @names; 0: not known, or of no task */
	uint32_t zero;		/* no padding, so that pieces are compared as bytes */
};

/**
 * struct lt_pieces - the pieces of a report
 * @list: by number; list[0] is that of which nothing is known
 * @n: length of @list
 * @names: of tasks
 * @full: there were more than LT_PIECES_MOST, and some stand in list[0] for that reason
 */
struct lt_pieces {
	struct lt_piece *list;
	size_t n;
	size_t cap;
	struct lt_map numbers;
	struct lt_names names;
	uint64_t seed;
	bool full;
};

struct lt_pieces *lt_pieces_new(void);
/* @p may be NULL. */
void lt_pieces_free(struct lt_pieces *p);

/**
 * lt_pieces_number() - the number of a piece
 * @comm: the name of the task that allocated; NULL: it does not distinguish pieces
 * Return: one number for each piece.
 */
uint32_t lt_pieces_number(struct lt_pieces *p, uint64_t cache, uint64_t site, const char *comm);

/* The name of the task of a piece, "" if it is not known, in @buf. */
const char *lt_pieces_comm(const struct lt_pieces *p, uint32_t number, char *buf, size_t size);

#endif /* LT_SUMS_PIECES_H */
