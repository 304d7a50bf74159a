// SPDX-License-Identifier: GPL-2.0
/*
 * Sending: standard input goes to a spool at once, and from there to a command whose other end is a
 * receiver. A command that breaks is run again, and goes on from the byte that the receiver names.
 *
 * While the spool is full nothing is read. Then the recorder waits with its next packet, the
 * module's buffers fill, and the module counts the events that it could not write: so no loss is
 * without its number.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/now.h"
#include "out/log.h"
#include "out/units.h"
#include "stream/connect.h"
#include "stream/send.h"
#include "stream/spool.h"
#include "stream/words.h"

#define MS		1000000ULL
#define RETRY_FIRST	(1000 * MS)
#define RETRY_MOST	(30000 * MS)

/**
 * struct send - a trace that is being sent
 * @eof: all of it has come; @eof_ns: when
 * @token: by which the receiver knows the trace
 * @greeting: what the connection begins with
 * @c: the connection
 * @agreed: the receiver has said where to begin
 * @had_all: with that: behind the end of the trace, so that nothing is sent
 * @sent: bytes that this connection was given, with those before; of the greeting, while not
 *	@agreed
 * @heard_ns: when the receiver said something, or was sent something after it had all
 * @retry_ns: when to connect again; @wait_ns: how long after the last time
 * @status: an exit status; -1: it goes on
 */
struct send {
	const struct lt_send_options *o;
	struct lt_spool spool;
	bool eof;
	uint64_t eof_ns;
	uint64_t token;
	char greeting[LT_GREETING + 1];
	struct lt_connection c;
	bool agreed;
	bool had_all;
	uint64_t sent;
	uint64_t heard_ns;
	uint64_t retry_ns;
	uint64_t wait_ns;
	int status;
};

static volatile sig_atomic_t asked_to_end;

static void on_signal(int sig)
{
	(void)sig;
	asked_to_end = asked_to_end ? 2 : 1;
}

/* ------------------------------------------------------------------------
 * What the receiver says
 */

static void fail(struct send *s, const char *what)
{
	lt_error("%s", what);
	s->status = LT_EXIT_BAD;
}

/* "at N": it has so many bytes. */
static void take_at(struct send *s, uint64_t n)
{
	uint64_t most = s->agreed ? s->sent : s->spool.end;

	if (n > most || n < s->spool.from) {
		lt_error("the receiver has %" PRIu64 " bytes of the trace, expected %" PRIu64
			 " to %" PRIu64
			 ": what it had before is gone there, so this trace cannot be continued", n,
			 s->spool.from, most);
		s->status = LT_EXIT_BAD;
		return;
	}
	lt_spool_forget(&s->spool, n);
	if (s->agreed)
		return;
	s->agreed = true;
	s->had_all = s->eof && n == s->spool.end;
	s->sent = n;
	s->wait_ns = RETRY_FIRST;
}

static void take_answer(struct send *s, const char *line)
{
	uint64_t n;
	char end;

	s->heard_ns = lt_now_ns();
	if (sscanf(line, "at %" SCNu64 "%c", &n, &end) == 1) {
		take_at(s, n);
	} else if (!strcmp(line, "wait")) {
		return;
	} else if (!strcmp(line, "whole")) {
		s->status = LT_EXIT_OK;
	} else if (!strncmp(line, "end ", 4)) {
		lt_error("the receiver has ended the trace: %s", line + 4);
		s->status = LT_EXIT_BAD;
	} else {
		lt_error("expected an answer of 'lifetrace receive', found '%s'", line);
		s->status = LT_EXIT_BAD;
	}
}

/* ------------------------------------------------------------------------
 * The connection
 */

static void try_later(struct send *s)
{
	s->retry_ns = lt_now_ns() + s->wait_ns;
	s->wait_ns = 2 * s->wait_ns < RETRY_MOST ? 2 * s->wait_ns : RETRY_MOST;
}

/* Where there is no memory for a process, or too many run, there may be fewer later. */
static void connect_now(struct send *s)
{
	s->agreed = false;
	s->sent = 0;
	s->heard_ns = lt_now_ns();
	snprintf(s->greeting, sizeof(s->greeting), "%s%016" PRIx64 "%016" PRIx64 "\n",
		 LT_GREETING_MAGIC, s->token, s->spool.from);
	if (lt_connect(&s->c, s->o->command))
		try_later(s);
}

/* Whether all of the trace has come, and this connection was given it. */
static bool has_all(const struct send *s)
{
	return s->eof && s->agreed && s->sent == s->spool.end;
}

/*
 * Whether a connection that has ended was that of a trace without an end, all of which is
 * delivered: the receiver has said so, and that it is not whole, by its status; or, where the
 * command has one of its own, by ending once more though it was sent nothing.
 */
static bool is_cut(const struct send *s, int status)
{
	return s->eof && s->agreed && s->spool.from == s->spool.end && WIFEXITED(status) &&
	       (s->had_all || WEXITSTATUS(status) == LT_EXIT_NO);
}

/* The command has ended, or, @silent, is to be. */
static void break_off(struct send *s, bool silent)
{
	int status = lt_disconnect(&s->c);
	char waiting[32];

	if (s->status >= 0)
		return;
	if (!silent && is_cut(s, status)) {
		lt_warn("the receiver has all that came; the trace has no end");
		s->status = LT_EXIT_NO;
		return;
	}
	if (WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126)) {
		fail(s, "the command cannot be run");
		return;
	}
	lt_warn("%s: %s; %s wait, next try in %u s", s->o->command[0],
		silent ? "no answer" : "the connection has ended",
		lt_human_bytes(s->spool.end - s->spool.from, waiting, sizeof(waiting)),
		(unsigned int)(s->wait_ns / (1000 * MS)));
	try_later(s);
}

static void read_answers(struct send *s)
{
	const char *line;
	int n = lt_connection_read(&s->c);

	while (s->status < 0 && (line = lt_connection_line(&s->c)))
		take_answer(s, line);
	if (n <= 0)
		break_off(s, false);
}

/* What is to be written now. Return: false: nothing. */
static bool has_more(const struct send *s)
{
	return s->agreed ? s->sent < s->spool.end : s->sent < LT_GREETING;
}

static void write_more(struct send *s)
{
	ssize_t n = s->agreed ? lt_spool_write(&s->spool, s->c.to, s->sent) :
		    write(s->c.to, s->greeting + s->sent, LT_GREETING - s->sent);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		/* What the receiver said last is still to be read. */
		lt_connection_close_to(&s->c);
		return;
	}
	/* The time in which an answer is due begins when there is something to be answered. */
	if (s->sent == s->spool.from)
		s->heard_ns = lt_now_ns();
	s->sent += (uint64_t)n;
}

static bool is_silent(const struct send *s, uint64_t now)
{
	return s->c.pid && (!s->agreed || s->sent > s->spool.from || s->eof) &&
	       now - s->heard_ns >= s->o->timeout_ns;
}

/* ------------------------------------------------------------------------
 * The loop
 */

static void read_input(struct send *s)
{
	ssize_t n = lt_spool_read(&s->spool, STDIN_FILENO);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n < 0)
		lt_warn("standard input: %s", strerror(errno));
	if (n > 0)
		return;
	s->eof = true;
	s->eof_ns = lt_now_ns();
}

static void look_at_time(struct send *s)
{
	uint64_t now = lt_now_ns();

	/* ^C ends the recorder, too, whose last packets are still to come. */
	if ((asked_to_end && s->eof) || asked_to_end > 1 ||
	    (s->eof && s->o->wait_ns && now - s->eof_ns >= s->o->wait_ns)) {
		char bytes[32];

		lt_error("%s were not delivered",
			 lt_human_bytes(s->spool.end - s->spool.from, bytes, sizeof(bytes)));
		s->status = LT_EXIT_BAD;
	} else if (is_silent(s, now)) {
		break_off(s, true);
	} else if (!s->c.pid && now >= s->retry_ns) {
		connect_now(s);
	} else if (s->c.pid && s->c.to >= 0 && has_all(s)) {
		lt_connection_close_to(&s->c);
		s->heard_ns = now;
	}
}

static void step(struct send *s)
{
	struct pollfd fds[3] = {
		{ .fd = s->eof || lt_spool_full(&s->spool) ? -1 : STDIN_FILENO, .events = POLLIN },
		{ .fd = s->c.pid ? s->c.from : -1, .events = POLLIN },
		{ .fd = s->c.pid && has_more(s) ? s->c.to : -1, .events = POLLOUT },
	};

	if (poll(fds, 3, 100) < 0)
		return;
	if (fds[0].revents)
		read_input(s);
	if (fds[1].revents)
		read_answers(s);
	if (fds[2].revents && s->c.pid && s->c.to >= 0)
		write_more(s);
}

int lt_send(const struct lt_send_options *o)
{
	struct send s = {
		.o = o, .wait_ns = RETRY_FIRST, .status = -1, .c = { .to = -1, .from = -1 },
	};
	struct sigaction act = { .sa_handler = on_signal };

	if (lt_spool_init(&s.spool, o->spool))
		return LT_EXIT_BAD;
	if (getrandom(&s.token, sizeof(s.token), 0) != (ssize_t)sizeof(s.token))
		lt_die("getrandom: %s", strerror(errno));
	sigaction(SIGINT, &act, NULL);
	signal(SIGPIPE, SIG_IGN);
	while (s.status < 0) {
		look_at_time(&s);
		if (s.status < 0)
			step(&s);
	}
	lt_disconnect(&s.c);
	lt_spool_destroy(&s.spool);
	return s.status;
}
