/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An interpreter of the steps of uapi/lifetrace_call.h, on registers and memory that a test makes
 * up. It was written from that header, and shares no code with the compiler or the module.
 */
#ifndef STEPRUN_H
#define STEPRUN_H

#include "testlib.h"
#include "uapi/lifetrace_call.h"

#define STEPRUN_REGIONS	24
#define STEPRUN_ARGS	16

/* Memory at an address of the machine; the bytes may change between entry and return. */
struct steprun_region {
	uint64_t address;
	const void *bytes;
	size_t size;
	bool user;
};

/**
 * struct steprun - a call
 * @word: bytes of a register
 * @args: words of the calling convention; @result: of the result
 * @left_out: a test did not hold
 * @values: of the record, @n of them, the last one up to @size
 */
struct steprun {
	unsigned int word;
	uint64_t args[STEPRUN_ARGS];
	uint64_t result[2];
	uint64_t task;
	struct steprun_region regions[STEPRUN_REGIONS];
	size_t n_regions;
	uint64_t kept[LT_CALL_MAX_KEPT];
	bool left_out;
	unsigned int n;
	size_t size;
	uint8_t values[LT_CALL_MAX_BYTES];
	size_t at[LT_CALL_MAX_VALUES + 1];
	uint32_t unread;
	uint32_t cut;
};

/* Makes memory, at an address. */
void steprun_memory(struct steprun *r, uint64_t address, const void *bytes, size_t size, bool user);

/* Runs steps: those of the entry, then those of the return. */
void steprun_run(struct steprun *r, const struct lt_call_step *steps, unsigned int n,
		 bool at_return);

#endif /* STEPRUN_H */
