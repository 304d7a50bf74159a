/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The channels, as the session sees them.
 */
#ifndef LT_CHANNELS_H
#define LT_CHANNELS_H

#include "core/channel.h"
#include "core/probe.h"

struct lt_channel_params;
struct lt_params;
struct lt_selftest;
struct seq_file;

/**
 * struct lt_channel_ops - what a session does with a channel
 * @id: enum lt_channel_id
 * @name: of its directory, and in the text of the files
 * @prefix: of its keys in the files "info" and "stats", and of its parameters
 * @channel: its packets
 * @probes: of its events; a session opens the channel if one of them is chosen
 * @params: its parameters of the module
 * @own_clock: its probes also read the clock where they have no room: see
 *	lt_session_leave_counter()
 * @least_subbuf: bytes of the smallest sub-buffer
 * @selftest: of the channel, or NULL
 *
 * Functions are called in process context, and may sleep. Each may be NULL.
 *
 * Once at load and unload:
 *
 * @init: after lt_channel_init(). Return: 0 or an errno
 * @exit: undo @init; no session, no file
 * @add_files: files outside of the directory; when nothing can fail any more
 * @remove_files: undo @add_files; first at unload, a session may be running
 *
 * In a session that opens the channel, under the session's lock, in this order:
 *
 * @open: after lt_channel_open(), before any probe is attached. Return: 0 or an errno
 * @started: all probes of all channels are attached
 * @stopping: before any probe is detached. Also without @started, if no probe could be
 *	attached
 * @close: undo @open, after the last probe is detached and before lt_channel_finish();
 *	after it nothing writes to the channel. Also after @open alone, if the session
 *	could not be started
 *
 * While recording, under the session's lock:
 *
 * @mark: write a marker. Return: 0, -ENOSPC
 * @resample: change the sample of addresses. Return: 0, -ENOSPC
 * @trigger: make a trigger of a text. Return: 0, -ENOSPC
 * @snapshot: begin a snapshot; enum lt_snapshot_purpose. Return: 0, -EBUSY
 *
 * The channel's lines in the files; under the session's lock, but for @show_snapshot:
 *
 * @show_info: of the running, or last, session that opened the channel
 * @show_events: also where the session did not open the channel (!@open)
 * @show_stats: as @show_info
 * @show_caches: what was announced once, and may be overwritten
 * @show_code: code that came and went
 * @show_snapshot: at any time
 */
struct lt_channel_ops {
	unsigned int id;
	const char *name;
	const char *prefix;
	struct lt_channel *channel;
	const struct lt_probes *probes;
	const struct lt_channel_params *params;
	bool own_clock;
	unsigned int least_subbuf;
	const struct lt_selftest *selftest;

	int (*init)(void);
	void (*exit)(void);
	void (*add_files)(void);
	void (*remove_files)(void);

	int (*open)(const struct lt_params *p);
	void (*started)(bool selftest);
	void (*stopping)(void);
	void (*close)(void);

	int (*mark)(const char *text, size_t len);
	int (*resample)(unsigned int one_in);
	int (*trigger)(const char *text);
	int (*snapshot)(enum lt_snapshot_purpose why);

	void (*show_info)(struct seq_file *m);
	void (*show_events)(struct seq_file *m, bool open);
	void (*show_stats)(struct seq_file *m);
	void (*show_caches)(struct seq_file *m);
	void (*show_code)(struct seq_file *m);
	void (*show_snapshot)(struct seq_file *m);
};

/* Entry i is the channel with the number i + 1. */
extern const struct lt_channel_ops lt_channels[LT_N_CHANNELS];

#define for_each_channel(i)		for ((i) = 0; (i) < LT_N_CHANNELS; (i)++)
#define for_each_channel_backward(i)	for ((i) = LT_N_CHANNELS; (i)--; )

int lt_channels_init(void);
void lt_channels_exit(void);
void lt_channels_add_files(void);
void lt_channels_remove_files(void);

#endif /* LT_CHANNELS_H */
