/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Engines: what fills a trace. An engine has a session, which the recorder starts and stops, texts
 * about it, and streams of packets, one for each channel and CPU. All of this has the names and the
 * forms of the module's files (uapi/lifetrace_file.h, Documentation/abi.rst), whatever the engine
 * is: so the recorder, the file and all that reads it know one kind.
 */
#ifndef LT_ENGINE_ENGINE_H
#define LT_ENGINE_ENGINE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct lt_engine;

/* Called for each stream of an engine. Return: whether it was new. */
typedef bool lt_stream_fn(void *arg, unsigned int channel, uint32_t cpu);

/**
 * struct lt_engine_ops - an engine
 * @name: as users type it
 * @said: as messages call it
 * @own: becomes the owner of the session. Return: 0, or -1 after printing why not, and what to do
 * @leave: closes the descriptors that a forked child has of it; async-signal-safe
 * @close: ends the session, frees the engine
 * @open: opens a file by its name, for what is read and written in pieces. Return: a descriptor, or
 *	-1 with errno set; NULL: this engine has no files
 * @text: a text by its name, to be freed; NULL with errno set
 * @write: writes a word, a marker. Return: 0 or an errno
 * @command: "1" and "0", starts and stops the session. Return: 0 or an errno
 * @recording: whether a session is recording
 * @flush: closes all open packets. Return: 0 with @clock set to the end of these packets, or an
 *	errno
 * @get: the value of a parameter without a newline, to be freed; NULL: there is none
 * @set: sets a parameter. Return: 0, or -1 after printing why not
 * @may_set: whether this user may set a parameter; NULL: each
 * @kept: the file in which changed parameters are noted, to be freed; NULL: they are this process's
 * @streams: calls @fn for each stream that can be opened. Return: how many were new, -1 after
 *	lt_error()
 * @open_stream: Return: a descriptor to wait for, or -1 with errno set: EAGAIN, the CPU is coming
 *	up
 * @read_stream: reads whole packets. Return: bytes; 0: there is nothing, and nothing will come; -1
 *	with errno set: EAGAIN, nothing now; EMSGSIZE: a packet is larger than @size
 */
struct lt_engine_ops {
	const char *name;
	const char *said;
	int (*own)(struct lt_engine *e);
	void (*leave)(struct lt_engine *e);
	void (*close)(struct lt_engine *e);
	int (*open)(const struct lt_engine *e, const char *name, int flags);
	char *(*text)(const struct lt_engine *e, const char *name);
	int (*write)(const struct lt_engine *e, const char *name, const char *text);
	int (*command)(struct lt_engine *e, const char *word);
	bool (*recording)(const struct lt_engine *e);
	int (*flush)(struct lt_engine *e, uint64_t *clock);
	char *(*get)(const struct lt_engine *e, const char *name);
	int (*set)(const struct lt_engine *e, const char *name, const char *value);
	bool (*may_set)(const struct lt_engine *e, const char *name);
	char *(*kept)(const struct lt_engine *e);
	int (*streams)(const struct lt_engine *e, lt_stream_fn *fn, void *arg);
	int (*open_stream)(const struct lt_engine *e, unsigned int channel, uint32_t cpu);
	ssize_t (*read_stream)(const struct lt_engine *e, int fd, unsigned int channel,
			       uint32_t cpu, void *buf, size_t size);
};

/**
 * struct lt_engine - the beginning of an engine's own struct
 * @dir: what the names of its texts are relative to in messages
 */
struct lt_engine {
	const struct lt_engine_ops *ops;
	char dir[PATH_MAX];
};

int lt_engine_own(struct lt_engine *e);
/* NULL is none. */
void lt_engine_close(struct lt_engine *e);
int lt_engine_open(const struct lt_engine *e, const char *name, int flags);
char *lt_engine_text(const struct lt_engine *e, const char *name);
int lt_engine_command(struct lt_engine *e, const char *word);
bool lt_engine_recording(const struct lt_engine *e);
int lt_engine_flush(struct lt_engine *e, uint64_t *clock);
char *lt_engine_get(const struct lt_engine *e, const char *name);
int lt_engine_set(const struct lt_engine *e, const char *name, const char *value);
bool lt_engine_may_set(const struct lt_engine *e, const char *name);

/*
 * Why the engine refused a session, or stopped it: ": REASON", to be freed; "" if it gives
 * no reason.
 */
char *lt_engine_reason(const struct lt_engine *e);

/* Whether a trigger has frozen the buffers of the session. */
bool lt_engine_frozen(const struct lt_engine *e);

/* Writes a marker into the trace. Return: 0 or an errno. */
int lt_engine_mark(const struct lt_engine *e, const char *text);

/* Starts a snapshot of all tasks; @word is "1" or "final". Return: 0 or an errno. */
int lt_engine_snapshot(const struct lt_engine *e, const char *word);

enum lt_snapshot_state {
	LT_SNAPSHOT_NONE,	/* tasks are not recorded, or there was no snapshot yet */
	LT_SNAPSHOT_RUNNING,
	LT_SNAPSHOT_DONE,
	LT_SNAPSHOT_ABORTED,
};

/* The state of the latest snapshot, and how many tasks it has written so far. */
enum lt_snapshot_state lt_engine_snapshot_state(const struct lt_engine *e, uint64_t *tasks);

/* The kernel module. @dir: its directory, NULL: the usual ones. */
struct lt_engine *lt_engine_module(const char *dir);

#endif /* LT_ENGINE_ENGINE_H */
