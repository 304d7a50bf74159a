// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace top: where the events come from: a file, a pipe or a file that grows, a recording.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/now.h"
#include "format/block.h"
#include "live/feed.h"
#include "out/log.h"
#include "sums/moment.h"
#include "top/internal.h"
#include "trace/pass.h"

#define WAIT_MS		100	/* for a file to grow */

/* ------------------------------------------------------------------------
 * Signals, while there is no recording, which has its own
 */

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -1;
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/**
 * wait_for() - wait for input, keys, signals, or the time of the next screen
 * @fd: input; -1: none
 * @timeout_ms: at the most
 * Return: 0; 1: input can be read; -1: a signal ends the program.
 */
static int wait_for(struct lt_top *top, int signals, int fd, int timeout_ms)
{
	struct pollfd fds[] = {
		{ .fd = signals, .events = POLLIN }, { .fd = fd, .events = POLLIN },
		{ .fd = top->screen ? lt_screen_fd(top->screen) : -1, .events = POLLIN },
	};

	if (top->screen) {
		uint64_t now = lt_now_ns();
		uint64_t left = top->next_draw_ns > now ? top->next_draw_ns - now : 0;

		if (left / 1000000 < (uint64_t)timeout_ms)
			timeout_ms = (int)(left / 1000000) + 1;
	}
	if (poll(fds, 3, timeout_ms) <= 0)
		return 0;
	if (fds[0].revents)
		return -1;
	return fds[1].revents != 0;
}

/* Until the user quits. */
static void look(struct lt_top *top, int signals)
{
	while (top->screen && !lt_top_step(top)) {
		if (wait_for(top, signals, -1, 60000) < 0)
			return;
	}
}

/* ------------------------------------------------------------------------
 * A file that is whole
 */

static int take_event(void *top, const struct lt_event *ev)
{
	return lt_top_event(top, ev);
}

static int take_some(void *top, const struct lt_event *evs, size_t n)
{
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++)
		ret = lt_top_event(top, &evs[i]);
	return ret;
}

static int take_plain(void *top, const struct lt_plain_event *evs, size_t n)
{
	return lt_top_plain(top, evs, n);
}

/* Takes the events that a trace has now. Return: as lt_top_event(). */
static int take_events(struct lt_top *top, struct lt_trace *t)
{
	struct lt_pass pass = { .event = take_event, .arg = top };

	if (lt_top_takes_plain(top)) {
		pass.some = take_some;
		pass.plain = take_plain;
		pass.slow = true;
	}
	return lt_trace_pass(t, &pass);
}

static int from_file(struct lt_top *top)
{
	struct lt_trace *t = lt_trace_open(top->o->file);
	int seen, signals;
	uint64_t at;

	if (!t)
		return LT_EXIT_BAD;
	if (top->o->at) {
		if (lt_moment(top->o->file, "at", top->o->at, &at)) {
			lt_trace_close(t);
			return LT_EXIT_BAD;
		}
		lt_trace_stop_at(t, at);
	}
	top->whole = true;
	if (lt_top_on_screen(top->o)) {
		top->screen = lt_screen_open(top);
		if (!top->screen) {
			lt_trace_close(t);
			return LT_EXIT_BAD;
		}
	}
	signals = top->screen ? open_signals() : -1;
	seen = lt_top_begin(top, t);
	if (!seen)
		seen = take_events(top, t);
	if (seen < 0)
		top->status = LT_EXIT_BAD;
	else if (!seen && !lt_top_finish(top))
		look(top, signals);
	lt_screen_close(top->screen);
	lt_top_destroy(top);
	lt_trace_close(t);
	if (signals >= 0)
		close(signals);
	return top->status;
}

/* ------------------------------------------------------------------------
 * A pipe, or a file that grows
 */

/* Takes the events that are complete. Return: as lt_top_event(). */
static int take_complete(struct lt_top *top, struct lt_feed *f)
{
	struct lt_trace *t = lt_feed_trace(f);
	int ret = t && !top->l ? lt_top_begin(top, t) : 0;

	return t && !ret ? take_events(top, t) : ret;
}

/* Reads to the end. Return: as lt_top_event(). */
static int read_feed(struct lt_top *top, struct lt_feed *f, int fd, bool grows, int signals)
{
	int got = 1, ready, ret;

	for (;;) {
		/* A file can always be read; at its end, wait for more. */
		ready = wait_for(top, signals, got ? fd : -1, got ? 60000 : WAIT_MS);
		if (ready < 0)
			return 1;
		ret = lt_top_step(top);
		if (ret)
			return ret;
		if (got && !ready)
			continue;
		got = lt_feed_read(f);
		if (got < 0) {
			top->status = LT_EXIT_BAD;
			return 0;	/* what could be read is shown */
		}
		if (!got && (!grows || lt_feed_is_whole(f)))
			return 0;
		ret = take_complete(top, f);
		if (ret)
			return ret;
	}
}

static int end_feed(struct lt_top *top, struct lt_feed *f)
{
	int ret = lt_feed_finish(f);

	if (!ret)
		ret = take_complete(top, f);
	return ret ? ret : lt_top_finish(top);
}

static int from_feed(struct lt_top *top, int fd, bool grows)
{
	struct lt_feed *f = lt_feed_new(fd, lt_file_name(top->o->file));
	int signals, ret;

	if (lt_top_on_screen(top->o)) {
		top->screen = lt_screen_open(top);
		if (!top->screen) {
			lt_feed_free(f);
			return LT_EXIT_BAD;
		}
	}
	signals = open_signals();
	ret = read_feed(top, f, fd, grows, signals);
	if (!ret)
		ret = end_feed(top, f);
	if (ret < 0)
		top->status = LT_EXIT_BAD;
	else if (!ret)
		look(top, signals);
	lt_screen_close(top->screen);
	lt_top_destroy(top);
	lt_feed_free(f);
	if (signals >= 0)
		close(signals);
	return top->status;
}

/* Whether the last block of a file is the one that ends a whole trace. */
static bool is_whole(int fd, off_t size)
{
	uint8_t head[sizeof(struct lt_block_header)];
	off_t at = size - (off_t)(sizeof(head) + sizeof(struct lt_trailer));
	struct lt_block b;
	struct lt_why why;

	return at > 0 && pread(fd, head, sizeof(head), at) == (ssize_t)sizeof(head) &&
	       lt_block_parse(head, sizeof(head), (uint64_t)at, &b, &why) == LT_BLOCK_OK &&
	       b.type == LT_BLOCK_TRAILER;
}

static int from_path(struct lt_top *top)
{
	const char *path = top->o->file;
	bool is_stdin = !strcmp(path, "-");
	const struct lt_set *set;
	struct stat st;
	int fd, status;

	if (lt_set_find(path, &set))
		return LT_EXIT_BAD;
	if (set)
		return from_file(top);
	fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st)) {
		lt_error("%s: %s", lt_file_name(path), strerror(errno));
		return LT_EXIT_BAD;
	}
	if (is_stdin && isatty(fd)) {
		lt_error("standard input: expected a trace, found a terminal");
		return LT_EXIT_BAD;
	}
	if (S_ISREG(st.st_mode) && (top->o->once || is_whole(fd, st.st_size))) {
		if (!is_stdin)
			close(fd);
		return from_file(top);
	}
	if (top->o->at) {
		lt_error("%s: --at: the trace is still written, or was cut off: it must be whole",
			 lt_file_name(path));
		close(fd);
		return LT_EXIT_BAD;
	}
	status = from_feed(top, fd, S_ISREG(st.st_mode));
	if (!is_stdin)
		close(fd);
	return status;
}

/* ------------------------------------------------------------------------
 * A recording
 */

struct sink {
	struct lt_sink sink;
	struct lt_top *top;
	bool done;
};

/* What lt_top_event() has returned; the terminal is given back before the recording ends. */
static int end_view(struct sink *s, int ret)
{
	if (ret) {
		s->done = true;
		lt_screen_close(s->top->screen);
		s->top->screen = NULL;
	}
	return ret;
}

static int sink_begin(struct lt_sink *sink, struct lt_trace *t)
{
	struct sink *s = (struct sink *)sink;

	if (lt_top_on_screen(s->top->o)) {
		s->top->screen = lt_screen_open(s->top);
		if (!s->top->screen)
			return -1;
		sink->fd = lt_screen_fd(s->top->screen);
	}
	return end_view(s, lt_top_begin(s->top, t));
}

static int sink_event(struct lt_sink *sink, const struct lt_event *ev)
{
	struct sink *s = (struct sink *)sink;

	return end_view(s, lt_top_event(s->top, ev));
}

static int sink_step(struct lt_sink *sink)
{
	struct sink *s = (struct sink *)sink;

	return end_view(s, lt_top_step(s->top));
}

static int sink_end(struct lt_sink *sink)
{
	struct sink *s = (struct sink *)sink;
	struct lt_top *top = s->top;

	lt_screen_close(top->screen);
	top->screen = NULL;
	/* The session was stopped by something else: what it came to, for scripts. */
	if (top->l && !s->done && !lt_top_on_screen(top->o))
		lt_top_finish(top);
	lt_top_destroy(top);
	return top->status ? -1 : 0;
}

static int from_recording(struct lt_top *top)
{
	struct lt_record_options r = top->o->record;
	struct sink s = {
		.sink = { .begin = sink_begin, .event = sink_event, .end = sink_end,
			  .step = sink_step, .fd = -1 },
		.top = top,
	};
	int status;

	r.quiet = true;
	if (top->o->once && !r.duration_ns)
		r.duration_ns = top->o->delay_ns;
	status = lt_record_run(&r, &s.sink);
	return top->status ? top->status : status;
}

int lt_top_run(const struct lt_top_options *o)
{
	struct lt_top top = {
		.o = o, .out = LT_OUT_INIT(STDOUT_FILENO), .view.sort = o->sort,
		.view.names = o->columns,
	};
	int status = o->file ? from_path(&top) : from_recording(&top);

	lt_top_view_destroy(&top.view);
	return lt_out_close(&top.out) && status == LT_EXIT_OK ? LT_EXIT_BAD : status;
}
