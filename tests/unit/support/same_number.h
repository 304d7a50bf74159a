/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the plain way answers, and what the way answers that takes each event with care.
 */
#ifndef SAME_NUMBER_H
#define SAME_NUMBER_H

#include <stdint.h>

/* @what: the number; @path: the trace */
static inline void check_number(const char *what, const char *path, uint64_t plain,
				uint64_t with_care)
{
	if (plain != with_care)
		fail_msg("%s: %s is %llu, with care %llu", path, what, (unsigned long long)plain,
			 (unsigned long long)with_care);
}

/* Members of the structs a and b. */
#define SAME(member) check_number(#member, path, a->member, b->member)

#endif /* SAME_NUMBER_H */
