/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session of the BPF programs: from its begin to its end, what they write becomes packets.
 */
#ifndef LT_BPF_SESSION_H
#define LT_BPF_SESSION_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/why.h"
#include "bpf/bpf.h"
#include "bpf/merge.h"
#include "bpf/params.h"
#include "bpf/transcode.h"

/* Packets of a stream that were not read yet: from @at to @n of @bytes. */
struct lt_bpf_stream {
	unsigned int channel;
	uint32_t cpu;
	uint8_t *bytes;
	size_t n;
	size_t cap;
	size_t at;
};

/* A line that another thread has written into the file "marker". */
struct lt_bpf_marker {
	uint64_t time;
	char text[sizeof(((struct lt_rec_MARKER *)0)->text)];
};

/* Events without a class; lt_bpf_unclassed_name() */
enum lt_bpf_without_class {
	LT_BPF_WITHOUT_CACHE_GONE,
	LT_BPF_N_WITHOUT,
};

/* What is lost of one. @before: at the poll before; @sure: then and now */
struct lt_bpf_without {
	uint64_t before;
	uint64_t sure;
};

#define LT_BPF_PROOFS	64	/* events that there may be */
#define LT_BPF_MARKERS	64	/* that wait */

/**
 * struct lt_bpf_session - the session
 * @params: what it was begun with, which is @own
 * @channels: bits of the channels that are recorded
 * @n_cpus: streams of a channel have numbers below it, and one more: what is not of a CPU is in the
 *	last: markers, snapshots of tasks, losses of which it is not known on which CPU they were
 * @polled: clock, just before the last poll that gave something
 * @looked: clock, just behind it
 * @counts: of each channel's and CPU's ring, loaded just before @polled
 * @next_counts: room for those of the next poll
 * @merge: records of the channel pid that wait for the next poll
 * @merged: clock, before which all records of that channel were given to @t
 * @stopped: clock, of the stop; 0: it is recording
 * @epoch: of the last snapshot
 * @tasks: that it had
 * @unproven: events that the self-test has found wrong, which are not watched
 * @without: what is lost of events without a class
 * @doubted: clock, when slab caches were doubted where their end is not watched
 * @differ: events that were counted and not found in their ring, or the other way
 * @damaged: a ring is damaged, and the session over
 * @lock: of @markers
 */
struct lt_bpf_session {
	struct lt_bpf_params own;
	const struct lt_bpf_params *params;
	struct lt_bpf *b;
	struct lt_transcode *t;
	unsigned int channels;
	uint32_t n_cpus;
	struct lt_bpf_stream *streams;
	size_t n_streams;
	struct lt_encode_machine machine;
	uint64_t begun;
	uint64_t polled;
	uint64_t looked;
	struct lt_class_counts (*counts)[LT_N_CLASSES];
	struct lt_class_counts (*next_counts)[LT_N_CLASSES];
	struct lt_bpf_merge merge;
	uint64_t merged;
	uint64_t stopped;
	uint32_t epoch;
	uint32_t tasks;
	struct lt_bpf_proof unproven[LT_BPF_PROOFS];
	size_t n_unproven;
	struct lt_bpf_without without[LT_BPF_N_WITHOUT];
	uint64_t doubted;
	uint64_t differ;
	bool damaged;
	pthread_mutex_t lock;
	struct lt_bpf_marker markers[LT_BPF_MARKERS];
	unsigned int n_markers;
};

/*
 * Begins. @params: are copied, so that a recorder may set them back at once.
 * Return: NULL after setting @why: nothing can be recorded here.
 */
struct lt_bpf_session *lt_bpf_session_begin(const struct lt_bpf_params *params,
					    struct lt_why *why);

/* Stops recording; what was recorded can be read. */
void lt_bpf_session_stop(struct lt_bpf_session *s);
/* NULL is none. */
void lt_bpf_session_free(struct lt_bpf_session *s);

/* Is each number seen that is given to a task, or taken back? */
bool lt_bpf_session_is_exact(const struct lt_bpf_session *s);

/* Is an event watched? */
bool lt_bpf_session_watches(const struct lt_bpf_session *s, const char *event);
const char *lt_bpf_unclassed_name(enum lt_bpf_without_class event);

/* Takes in what the programs have written. Not for two threads at once, as all but the marker. */
bool lt_bpf_session_pump(struct lt_bpf_session *s);

/* Ends all packets that are open. Return: clock, before which all events are in packets. */
uint64_t lt_bpf_session_flush(struct lt_bpf_session *s);

/* The stream of a channel and CPU; NULL: there is none. */
struct lt_bpf_stream *lt_bpf_session_stream(struct lt_bpf_session *s, unsigned int channel,
					    uint32_t cpu);

/* session_state.c: a snapshot of all tasks; the system calls that were open at the stop. */
void lt_bpf_session_snapshot(struct lt_bpf_session *s, enum lt_snapshot_purpose purpose);
void lt_bpf_session_open_calls(struct lt_bpf_session *s);

/* Writes a marker, with the next pump. From any thread. Return: 0 or an errno. */
int lt_bpf_session_mark(struct lt_bpf_session *s, const char *text);

/* session_texts.c: the texts of a session, as the module's files have them */
void lt_bpf_session_info(const struct lt_bpf_session *s, struct lt_str *text);
void lt_bpf_session_events(const struct lt_bpf_session *s, struct lt_str *text);
void lt_bpf_session_stats(const struct lt_bpf_session *s, struct lt_str *text);
void lt_bpf_session_schema(const struct lt_bpf_session *s, struct lt_str *text);

#endif /* LT_BPF_SESSION_H */
