// SPDX-License-Identifier: GPL-2.0
/*
 * The engine "bpf": a session of BPF programs that looks as the module's does.
 *
 * What is recorded becomes packets when a stream is read. The recorder waits for streams by poll():
 * here each has a copy of a timer's descriptor, which says now and then that it is time to look.
 */
#include "bpf/engine.h"
#include "out/log.h"

#ifdef LT_HAVE_LIBBPF

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "base/mem.h"
#include "bpf/session.h"
#include "engine/clocks.h"
#include "engine/engine.h"
#include "engine/marks.h"

#define LOOK_NS		5000000		/* how often: buffers of 4 MiB must not run full */

struct bpf_engine {
	struct lt_engine engine;
	struct lt_bpf_params params;
	struct lt_bpf_session *session;	/* NULL: none has begun */
	int timer;
	int marks;		/* socket of lifetrace mark; -1: none */
	struct lt_why why;	/* why none has */
};

static struct bpf_engine *bpf_of(const struct lt_engine *e)
{
	return (struct bpf_engine *)e;
}

static int own(struct lt_engine *e)
{
	struct bpf_engine *b = bpf_of(e);
	struct itimerspec every = {
		.it_value.tv_nsec = LOOK_NS, .it_interval.tv_nsec = LOOK_NS,
	};

	/* One who is not root has none: see lifetrace-mark(1). */
	b->marks = lt_marks_open();
	b->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (b->timer >= 0 && !timerfd_settime(b->timer, 0, &every, NULL))
		return 0;
	lt_error("no timer: %s", strerror(errno));
	return -1;
}

static void leave(struct lt_engine *e)
{
	struct bpf_engine *b = bpf_of(e);

	lt_marks_close(b->marks);
	b->marks = -1;
	if (b->timer >= 0)
		close(b->timer);
	b->timer = -1;
}

static void close_bpf(struct lt_engine *e)
{
	struct bpf_engine *b = bpf_of(e);

	leave(e);
	lt_bpf_session_free(b->session);
	lt_bpf_params_free(&b->params);
	free(b);
}

static void add_snapshot(const struct lt_bpf_session *s, struct lt_str *text)
{
	if (s->epoch)
		lt_str_add(text, "epoch %u purpose done tasks %u\n", s->epoch, s->tasks);
}

/* What a text needs of a session; before there is one, none but the clocks are there. */
static char *text(const struct lt_engine *e, const char *name)
{
	const struct bpf_engine *b = bpf_of(e);
	struct lt_str t = { 0 };

	if (!strcmp(name, LT_FILE_CLOCK))
		lt_engine_clock_text(&t);
	else if (!b->session && !strcmp(name, LT_FILE_STATS))
		lt_str_add(&t, "state idle\n%s%s\n", *b->why.text ? "error " : "", b->why.text);
	else if (b->session && !strcmp(name, LT_FILE_INFO))
		lt_bpf_session_info(b->session, &t);
	else if (b->session && !strcmp(name, LT_FILE_SCHEMA))
		lt_bpf_session_schema(b->session, &t);
	else if (b->session && !strcmp(name, LT_FILE_EVENTS))
		lt_bpf_session_events(b->session, &t);
	else if (b->session && !strcmp(name, LT_FILE_STATS))
		lt_bpf_session_stats(b->session, &t);
	else if (b->session && !strcmp(name, LT_FILE_SNAPSHOT))
		add_snapshot(b->session, &t);
	if (!t.s)
		errno = ENOENT;
	return t.s;
}

static int write_word(const struct lt_engine *e, const char *name, const char *word)
{
	struct bpf_engine *b = bpf_of(e);

	if (!b->session || b->session->stopped)
		return ENODATA;
	if (!strcmp(name, LT_FILE_MARKER))
		return lt_bpf_session_mark(b->session, word);
	if (strcmp(name, LT_FILE_SNAPSHOT))
		return EOPNOTSUPP;
	if (!(b->session->channels & 1U << LT_CHANNEL_PID))
		return ENODATA;
	/* So it is known who holds a number, and which namespaces there are. */
	lt_bpf_session_flush(b->session);
	lt_bpf_session_snapshot(b->session, !strcmp(word, "final") ? LT_SNAPSHOT_FINAL :
								    LT_SNAPSHOT_DEMAND);
	return 0;
}

static int command(struct lt_engine *e, const char *word)
{
	struct bpf_engine *b = bpf_of(e);

	if (!strcmp(word, "0") && b->session) {
		lt_bpf_session_stop(b->session);
		return 0;
	}
	if (strcmp(word, "1") || b->session)
		return EINVAL;
	b->session = lt_bpf_session_begin(&b->params, &b->why);
	return b->session ? 0 : EOPNOTSUPP;
}

static bool recording(const struct lt_engine *e)
{
	const struct bpf_engine *b = bpf_of(e);

	return b->session && !b->session->stopped;
}

static int flush(struct lt_engine *e, uint64_t *clock)
{
	struct bpf_engine *b = bpf_of(e);

	if (!recording(e))
		return ENODATA;
	*clock = lt_bpf_session_flush(b->session);
	return 0;
}

static char *get(const struct lt_engine *e, const char *name)
{
	const char *value = lt_bpf_param(&bpf_of(e)->params, name);

	return value ? lt_strdup(value) : NULL;
}

static int set(const struct lt_engine *e, const char *name, const char *value)
{
	return lt_bpf_param_set(&bpf_of(e)->params, name, value);
}

static int streams(const struct lt_engine *e, lt_stream_fn *fn, void *arg)
{
	const struct lt_bpf_session *s = bpf_of(e)->session;
	int n = 0;

	for (size_t i = 0; s && i < s->n_streams; i++)
		n += fn(arg, s->streams[i].channel, s->streams[i].cpu);
	return n;
}

static int open_stream(const struct lt_engine *e, unsigned int channel, uint32_t cpu)
{
	(void)channel;
	(void)cpu;
	return fcntl(bpf_of(e)->timer, F_DUPFD_CLOEXEC, 0);
}

static int take_mark(void *arg, const char *text)
{
	return lt_bpf_session_mark(arg, text);
}

/* All rings are looked at when it is time, whichever stream is read first then. */
static void pump_if_due(struct bpf_engine *b)
{
	uint64_t ticks;

	if (b->session->stopped || read(b->timer, &ticks, sizeof(ticks)) != sizeof(ticks))
		return;
	/*
	 * Before the look, so that their times are not before those of the records that it gives.
	 */
	lt_marks_take(b->marks, take_mark, b->session);
	lt_bpf_session_pump(b->session);
}

/* Bytes of the first packet of a stream. */
static size_t first_size(const struct lt_bpf_stream *stream)
{
	struct lt_packet_header h;

	memcpy(&h, stream->bytes + stream->at, sizeof(h));
	return (size_t)(h.packet_bits / 8);
}

static ssize_t read_stream(const struct lt_engine *e, int fd, unsigned int channel, uint32_t cpu,
			   void *buf, size_t size)
{
	struct bpf_engine *b = bpf_of(e);
	struct lt_bpf_stream *stream;
	size_t done = 0;

	(void)fd;
	pump_if_due(b);
	stream = lt_bpf_session_stream(b->session, channel, cpu);
	if (stream->at == stream->n) {
		if (b->session->stopped)
			return 0;
		errno = EAGAIN;
		return -1;
	}
	while (stream->at < stream->n) {
		size_t n = first_size(stream);

		if (n > size - done)
			break;
		memcpy((uint8_t *)buf + done, stream->bytes + stream->at, n);
		stream->at += n;
		done += n;
	}
	if (done)
		return (ssize_t)done;
	errno = EMSGSIZE;
	return -1;
}

static const struct lt_engine_ops ops = {
	.name = "bpf",
	.said = "the engine bpf",
	.own = own,
	.leave = leave,
	.close = close_bpf,
	.text = text,
	.write = write_word,
	.command = command,
	.recording = recording,
	.flush = flush,
	.get = get,
	.set = set,
	.streams = streams,
	.open_stream = open_stream,
	.read_stream = read_stream,
};

struct lt_engine *lt_engine_bpf(void)
{
	struct bpf_engine *b = lt_alloc(sizeof(*b));

	b->engine.ops = &ops;
	strcpy(b->engine.dir, "bpf");
	b->timer = -1;
	b->marks = -1;
	return &b->engine;
}

#else /* LT_HAVE_LIBBPF */

#include <stddef.h>

struct lt_engine *lt_engine_bpf(void)
{
	lt_error("this lifetrace was built without libbpf, which the engine bpf needs (Debian: apt install libbpf-dev, "
		 "then make)");
	return NULL;
}

#endif /* LT_HAVE_LIBBPF */
