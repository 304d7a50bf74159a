/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers of pid namespaces. The module gives the id of a namespace that is gone to a new one, so
 * an id means one namespace after another. The first namespace of an id has the id as its number,
 * each later one has a number of its own.
 */
#ifndef LT_TRACE_NAMESPACES_H
#define LT_TRACE_NAMESPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits of a number. */
#define LT_NS_NUMBER_BITS	24

/* The first number that is no id, and how many of these there are. */
#define LT_FIRST_LATER_NS	(UINT16_MAX + 1U)
#define LT_MOST_LATER_NS	((1U << LT_NS_NUMBER_BITS) - LT_FIRST_LATER_NS)

/* What a record pid_ns says of a namespace and never changes. */
struct lt_ns_identity {
	uint64_t ns_id;		/* 0: the kernel has none */
	uint32_t inum;
	uint8_t level;
};

/**
 * struct lt_ns_numbers - what each id means
 * @ids: private, by id
 * @n_later: numbers from LT_FIRST_LATER_NS on that were given
 *
 * Zeroed memory is an empty one.
 */
struct lt_ns_numbers {
	struct lt_ns_id *ids;
	size_t n_ids;
	uint32_t n_later;
};

void lt_ns_numbers_destroy(struct lt_ns_numbers *n);

/**
 * lt_ns_number_now() - the number of the namespace that an id means
 *
 * Return: the number; 0 for the id 0, and for the namespaces of an id that came when all numbers
 *	were given.
 */
uint32_t lt_ns_number_now(const struct lt_ns_numbers *n, uint16_t id);

/*
 * Takes in a record pid_ns. The id means another namespace from here on if the one that it meant is
 * gone, or if its identity was another one: the record of its end may be lost.
 */
void lt_ns_number_announce(struct lt_ns_numbers *n, uint16_t id, const struct lt_ns_identity *as);

/* Takes in a record pid_ns_gone. */
void lt_ns_number_gone(struct lt_ns_numbers *n, uint16_t id);

/* The latest identity that was announced for an id; NULL: none. */
const struct lt_ns_identity *lt_ns_identity_now(const struct lt_ns_numbers *n, uint16_t id);

#endif /* LT_TRACE_NAMESPACES_H */
