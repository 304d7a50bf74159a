// SPDX-License-Identifier: GPL-2.0
/*
 * Receiving: bytes from standard input are checked, and then written. A sender that can go on after
 * a break is sent how many of them are on the disk.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/now.h"
#include "out/log.h"
#include "stream/receive.h"

#define CHUNK		(1U << 20)	/* is written at once; INFO is shorter */
/* what came is written after this time, also if it is little */
#define WRITE_NS	1000000000ULL
#define SYNC_BYTES	(8U << 20)	/* and is on the disk after this, or the same time */

/**
 * struct receive - a stream that is being received
 * @check: of what came
 * @token: by which the stream is known
 * @greeted: its sender can go on after a break, and waits for answers
 * @buf: @n bytes that are checked, and not written: those from @at on
 * @synced: bytes that are on the disk, of which the sender was sent the number
 * @wrote_ns: when something was written last, @synced_ns: when that was sent
 */
struct receive {
	struct lt_store store;
	struct lt_stream_check check;
	char token[LT_TOKEN + 1];
	bool greeted;
	char *buf;
	size_t n;
	uint64_t at;
	uint64_t synced;
	uint64_t wrote_ns;
	uint64_t synced_ns;
};

bool lt_receive_host(const char *text)
{
	static const char *const chars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					 "0123456789.-";
	size_t len = strlen(text);

	return len && len < LT_STREAM_HOST && *text != '.' && *text != '-' &&
		strspn(text, chars) == len;
}

/* ------------------------------------------------------------------------
 * Bytes
 */

/*
 * Return: bytes; 0: the end; -1: nothing came until @ns passed. A connection that fails is at its
 * end.
 */
static ssize_t read_some(void *to, size_t size, uint64_t ns)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	int ready = poll(&p, 1, (int)((ns + 999999) / 1000000));
	ssize_t n;

	if (!ready || (ready < 0 && errno == EINTR))
		return -1;
	n = read(STDIN_FILENO, to, size);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return -1;
	if (n < 0)
		lt_warn("standard input: %s", strerror(errno));
	return n < 0 ? 0 : n;
}

/* Exactly so many bytes. Return: false: there are fewer. */
static bool read_all(void *to, size_t size, size_t *got)
{
	for (*got = 0; *got < size;) {
		ssize_t n = read_some((char *)to + *got, size - *got, 3600 * WRITE_NS);

		if (!n)
			return false;
		*got += n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* A line for the sender, who may be gone. */
static void answer(const struct receive *r, const char *fmt,
		   ...) __attribute__((format(printf, 2, 3)));

static void answer(const struct receive *r, const char *fmt, ...)
{
	char line[LT_ANSWER_MAX];
	va_list ap;
	int len;

	if (!r->greeted)
		return;
	va_start(ap, fmt);
	len = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (len >= (int)sizeof(line)) {
		len = sizeof(line) - 1;
		line[len - 1] = '\n';
	}
	if (write(STDOUT_FILENO, line, (size_t)len) < 0)
		return;
}

/* ------------------------------------------------------------------------
 * Writing
 */

static int flush(struct receive *r, struct lt_why *why)
{
	if (r->n)
		lt_store_name(&r->store, &r->check.about, r->token);
	if (r->n && lt_store_write(&r->store, r->buf, r->n, r->at, why)) {
		/* Some of it may have had room. */
		if (r->store.fd >= 0 && r->store.size > r->at)
			r->at = r->store.size < r->at + r->n ? r->store.size : r->at + r->n;
		r->n = 0;
		return -1;
	}
	r->at += r->n;
	r->n = 0;
	r->wrote_ns = lt_now_ns();
	return 0;
}

/* Makes sure of what was written, and confirms it to the sender. */
static int sync_file(struct receive *r, struct lt_why *why)
{
	if (!r->greeted || r->store.fd < 0 || r->at <= r->synced)
		return 0;
	if (fdatasync(r->store.fd)) {
		lt_why_set(why, "cannot write: %s", strerror(errno));
		return -1;
	}
	r->synced = r->at;
	r->synced_ns = lt_now_ns();
	answer(r, "at %" PRIu64 "\n", r->synced);
	return 0;
}

/* Nothing is written before it is known what it is of; a full buffer has INFO. */
static int write_if_due(struct receive *r, struct lt_why *why)
{
	uint64_t now = lt_now_ns();

	if (r->n && (r->n == CHUNK || (r->check.has_info && now - r->wrote_ns >= WRITE_NS)) &&
	    flush(r, why))
		return -1;
	return now - r->synced_ns >= WRITE_NS || r->at >= r->synced + SYNC_BYTES ?
	       sync_file(r, why) : 0;
}

/* ------------------------------------------------------------------------
 * A stream
 */

/* Takes bytes that are in the buffer behind its end. Return: 0; -1: they are wrong. */
static int take(struct receive *r, size_t n, struct lt_why *why)
{
	size_t taken = lt_stream_take(&r->check, r->buf + r->n, n, why);

	r->n += taken;
	return taken == n ? 0 : -1;
}

/* Return: 0 at the end of the stream; -1: no more is taken, see @why. */
static int receive_all(struct receive *r, struct lt_why *why)
{
	ssize_t n = 1;

	r->wrote_ns = lt_now_ns();
	while (n && !r->check.whole) {
		n = read_some(r->buf + r->n, CHUNK - r->n, WRITE_NS);
		if ((n > 0 && take(r, (size_t)n, why)) || write_if_due(r, why))
			return -1;
	}
	return 0;
}

/* Checks the first bytes of the file, @most of them. */
static int check_file(struct receive *r, uint64_t most)
{
	struct lt_why why;
	bool right = true;
	ssize_t n;

	do {
		uint64_t left = most - r->check.taken;

		/* A slow disk is no receiver that hangs. */
		answer(r, "wait\n");
		n = pread(r->store.fd, r->buf, left < CHUNK ? (size_t)left : CHUNK,
			  (off_t)r->check.taken);
		if (n > 0)
			right = lt_stream_take(&r->check, r->buf, (size_t)n, &why) == (size_t)n;
	} while (n > 0 && right);
	return n < 0 ? -1 : 0;
}

static void begin_again(struct receive *r)
{
	lt_stream_end(&r->check);
	lt_stream_begin(&r->check);
}

/*
 * Goes on behind what came before: the last whole block, since bytes behind it may be others than
 * came if this machine has crashed; or the byte @confirmed, up to which they are on the disk, as
 * the sender has read.
 */
static int check_again(struct receive *r, uint64_t confirmed)
{
	int ret = check_file(r, UINT64_MAX);

	if (confirmed <= r->check.good) {
		lt_stream_go_back(&r->check);
	} else {
		begin_again(r);
		ret = check_file(r, confirmed);
	}
	r->at = r->synced = r->check.taken;
	return ret;
}

/* What there is of the stream that the sender has named. Return: whether it may go on. */
static bool find(struct receive *r, uint64_t confirmed, int *status)
{
	*status = LT_EXIT_OK;
	switch (lt_store_find(&r->store, r->token)) {
	case LT_STORE_WHOLE:
		answer(r, "whole\n");
		return false;
	case LT_STORE_CUT:
		answer(r, "end it was ended here before\n");
		*status = LT_EXIT_NO;
		return false;
	case LT_STORE_PART:
		if (!check_again(r, confirmed))
			break;
		answer(r, "end the part that came before cannot be read\n");
		*status = LT_EXIT_BAD;
		return false;
	default:
		break;
	}
	answer(r, "at %" PRIu64 "\n", r->at);
	return true;
}

/* The words of a greeting behind its magic. */
static bool parse_greeting(struct receive *r, const char *words, uint64_t *confirmed)
{
	char number[LT_TOKEN + 1] = "";

	if (strspn(words, "0123456789abcdef") != (size_t)2 * LT_TOKEN ||
	    words[2 * LT_TOKEN] != '\n')
		return false;
	memcpy(r->token, words, LT_TOKEN);
	memcpy(number, words + LT_TOKEN, LT_TOKEN);
	*confirmed = strtoull(number, NULL, 16);
	return true;
}

static void make_token(char token[LT_TOKEN + 1])
{
	uint64_t n;

	if (getrandom(&n, sizeof(n), 0) != (ssize_t)sizeof(n))
		lt_die("getrandom: %s", strerror(errno));
	snprintf(token, LT_TOKEN + 1, "%016" PRIx64, n);
}

/* Reads the greeting, if there is one. Return: whether a trace follows; else @status. */
static bool begin(struct receive *r, int *status)
{
	const size_t magic = strlen(LT_GREETING_MAGIC);
	char greeting[LT_GREETING + 1] = "";
	struct lt_why why;
	uint64_t confirmed;
	size_t got;

	*status = LT_EXIT_BAD;
	make_token(r->token);
	if (!read_all(greeting, magic, &got) || memcmp(greeting, LT_GREETING_MAGIC, magic)) {
		memcpy(r->buf, greeting, got);
		if (!take(r, got, &why))
			return true;
		lt_error("standard input: %s", why.text);
		return false;
	}
	if (!read_all(greeting + magic, LT_GREETING - magic, &got) ||
	    !parse_greeting(r, greeting + magic, &confirmed)) {
		lt_error("standard input: expected the greeting of 'lifetrace send', found another one");
		return false;
	}
	r->greeted = true;
	return find(r, confirmed, status);
}

/* How long the whole blocks are that were written. Not all that was checked may have had room. */
static uint64_t good_size(struct receive *r)
{
	if (r->store.fd < 0)
		return 0;
	if (r->check.good > r->at) {
		begin_again(r);
		check_file(r, r->at);
	}
	return r->check.has_info ? r->check.good : 0;
}

/* What came is kept up to the last whole block. */
static int finish(struct receive *r, bool refused, const struct lt_why *why)
{
	uint64_t size = good_size(r);
	bool whole = r->check.whole && size == r->check.good;

	if (r->store.fd < 0 && !refused)
		lt_error("standard input: expected a trace, found %" PRIu64 " bytes; nothing is kept",
			 r->check.taken);
	else if (!whole && !refused)
		lt_warn("the stream ended before the trace did; it is kept up to its last whole block");
	if (size)
		lt_store_name(&r->store, &r->check.about, r->token);
	if (lt_store_finish(&r->store, size, whole)) {
		answer(r, "end the file could not be given its name\n");
		return LT_EXIT_BAD;
	}
	if (whole)
		answer(r, "whole\n");
	else
		answer(r, "end %s\n", refused ? why->text : "the trace has no end");
	return whole ? LT_EXIT_OK : r->store.fd >= 0 && size ? LT_EXIT_NO : LT_EXIT_BAD;
}

/* The stream is at its end; or, @refused, no more is taken of it. */
static int end(struct receive *r, bool refused, struct lt_why *why)
{
	struct lt_why other;

	/* A beginning that does not say what it is of is not kept. */
	if (r->store.fd < 0 && !r->check.has_info)
		r->n = 0;
	if (flush(r, refused ? &other : why))
		refused = true;
	if (refused)
		lt_error("standard input: offset %" PRIu64 ": %s", r->check.good, why->text);
	/* Its sender may come back. */
	if (!refused && !r->check.whole && r->greeted && !sync_file(r, why)) {
		lt_warn("the connection has ended; %" PRIu64 " bytes wait for the rest", r->synced);
		return LT_EXIT_NO;
	}
	return finish(r, refused, why);
}

int lt_receive(const struct lt_store_options *o)
{
	struct receive r = { .buf = lt_alloc(CHUNK) };
	struct lt_why why = { 0 };
	int status = LT_EXIT_BAD;

	signal(SIGPIPE, SIG_IGN);
	lt_stream_begin(&r.check);
	if (!lt_store_open(&r.store, o) && begin(&r, &status))
		status = end(&r, receive_all(&r, &why), &why);
	lt_store_close(&r.store);
	lt_stream_end(&r.check);
	free(r.buf);
	return status;
}
