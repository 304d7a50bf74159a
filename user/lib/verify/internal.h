/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by check.c, findings.c and stats.c. */
#ifndef LT_LIB_CHECK_PRIVATE_H
#define LT_LIB_CHECK_PRIVATE_H

#include "verify/check.h"
#include "format/dir.h"
#include "format/record.h"

#define LT_NO_OFFSET	UINT64_MAX

/* State of one lt_verify(). */
struct lt_checker {
	struct lt_verify_result *v;
	struct lt_file *f;
	struct lt_dir dir;
	struct lt_schema *schema;
	struct lt_sites sites;
	struct lt_buf buf;
	struct lt_buf packed;
	bool have_first;
	struct lt_packet first;		/* what all headers must agree with */
	uint64_t missed_probes;		/* whose hits the kernel left out, and how many */
	uint64_t missed_hits;
};

/* findings.c; @arg of the first one is the checker. */
void lt_add_note(void *arg, uint64_t offset, const char *text);
void lt_fail(struct lt_checker *c, enum lt_check_id id);

/* What was found, and where; and the numbers of a check. */
void lt_note(struct lt_checker *c, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void lt_say(struct lt_checker *c, enum lt_check_id id, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The last text of a type, to be freed; NULL: there is none that can be read. */
char *lt_check_text(struct lt_checker *c, unsigned int type);

/* stats.c */
void lt_check_stats(struct lt_checker *c);

#endif /* LT_LIB_CHECK_PRIVATE_H */
