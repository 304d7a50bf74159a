/* SPDX-License-Identifier: GPL-2.0 */
/* Packets of an encoder, kept and read again by the reader's decoder. */
#ifndef ENCODETEST_H
#define ENCODETEST_H

#include "encode/encode.h"
#include "format/record.h"
#include "testlib.h"

#define PTR	0xffff888000000000ULL
#define TEXT	0xffffffff80000000ULL

/**
 * struct et - packets that were handed out, and a walk over their records
 * @packets, @n: in their order, each parsed
 * @schema: that of lt_encode_schema()
 */
struct et {
	struct lt_packet *packets;
	size_t n, cap;
	struct lt_schema *schema;
	size_t at;		/* the packet that is walked, plus 1; 0: none yet */
	struct lt_records records;
	struct lt_sites sites;
	struct lt_stacks stacks;
};

struct lt_encode_machine et_machine(bool big);

void et_init(struct et *t);
void et_free(struct et *t);
/* For lt_encoder_init(), with the struct as argument. Checks that the packet can be parsed. */
int et_take(void *arg, const struct lt_encode_packet *packet);

/* The next record of all packets; checks that none is damaged. False: at the end. */
bool et_next(struct et *t, struct lt_record *r);
/* The packet of that record. */
const struct lt_packet *et_packet(const struct et *t);

/*
 * The next record that is no announcement; @task: the payload of the last announcement of a task in
 * its packet, NULL: none.
 */
bool et_next_event(struct et *t, struct lt_record *r, struct lt_record *task);

/* The next record of this event, LT_EV_*; there is one. */
void et_expect(struct et *t, unsigned int event, struct lt_record *r);

uint64_t et_value(const struct et *t, const struct lt_record *r, const char *field);
/* The text of a field has these bytes, and zeros behind them if there is room. */
void et_assert_text(const struct lt_record *r, const char *field, const char *text);

/*
 * Packets follow each other in numbers and time, and in each header seen is what was written up to
 * its end and what was not. Channels and CPUs may be mixed.
 */
void et_assert_conserved(const struct et *t);

uint64_t et_random(uint64_t *state);

#endif /* ENCODETEST_H */
