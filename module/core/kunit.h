/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the KUnit suites share: a channel without files, and a walk over the
 * records that were written to it.
 */
#ifndef LT_KUNIT_H
#define LT_KUNIT_H

#include <kunit/test.h>

#include "core/channel.h"

extern struct kunit_suite lt_channel_suite;
extern struct kunit_suite lt_overwrite_suite;
extern struct kunit_suite lt_cache_suite;
extern struct kunit_suite lt_caller_suite;
extern struct kunit_suite lt_filter_suite;
extern struct kunit_suite lt_resample_suite;
extern struct kunit_suite lt_kmem_suite;
extern struct kunit_suite lt_object_suite;
extern struct kunit_suite lt_form_suite;
extern struct kunit_suite lt_pid_suite;
extern struct kunit_suite lt_pid_ids_suite;
extern struct kunit_suite lt_site_suite;
extern struct kunit_suite lt_stack_suite;
extern struct kunit_suite lt_texts_suite;
extern struct kunit_suite lt_trigger_suite;
extern struct kunit_suite lt_clock_suite;
extern struct kunit_suite lt_syscalls_suite;
extern struct kunit_suite lt_call_suite;
extern struct kunit_suite lt_call_gate_suite;
extern struct kunit_suite lt_call_check_suite;
extern struct kunit_suite lt_call_boot_suite;
extern struct kunit_suite lt_call_thread_suite;
extern struct kunit_suite lt_call_fetch_suite;
extern struct kunit_suite lt_call_fuzz_suite;

/**
 * struct lt_test_record - a record as a reader sees it
 * @packet: header of its packet
 */
struct lt_test_record {
	const struct lt_packet_header *packet;
	unsigned int id;
	unsigned int context;
	bool longer;
	u64 time;
	const void *payload;
	size_t size;
};

int lt_test_stay_on(unsigned int cpu);
size_t lt_test_packets(struct lt_channel *ch);
const struct lt_packet_header *lt_test_packet(struct lt_channel *ch, size_t n);
size_t lt_test_records(struct kunit *test, struct lt_channel *ch,
		       struct lt_test_record *out, size_t max);
bool lt_test_write(struct lt_channel *ch, u64 number);

#endif /* LT_KUNIT_H */
