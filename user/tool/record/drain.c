// SPDX-License-Identifier: GPL-2.0
/*
 * Draining: reads whole packets from the streams of an engine.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "out/log.h"
#include "record/drain.h"

#define MAX_BUFFER	(1U << 30)
#define MAX_ERRORS	10

static void alloc_buffer(struct lt_drain *d, size_t size)
{
	long page = sysconf(_SC_PAGESIZE);

	free(d->buf);
	if (posix_memalign((void **)&d->buf, page > 0 ? (size_t)page : 4096, size + LT_SLACK))
		lt_die("out of memory (%zu bytes)", size);
	memset(d->buf + size, 0, LT_SLACK);
	d->buf_size = size;
}

void lt_drain_init(struct lt_drain *d, const struct lt_engine *engine, size_t buf_size,
		   lt_packet_fn *fn, void *arg)
{
	memset(d, 0, sizeof(*d));
	d->engine = engine;
	d->fn = fn;
	d->arg = arg;
	alloc_buffer(d, buf_size);
}

void lt_drain_free(struct lt_drain *d)
{
	for (size_t i = 0; i < d->n; i++) {
		if (d->cpus[i].fd >= 0)
			close(d->cpus[i].fd);
	}
	free(d->cpus);
	free(d->fds);
	free(d->buf);
}

static void report(struct lt_drain *d, unsigned int channel, uint32_t cpu, const char *what)
{
	if (d->errors++ < MAX_ERRORS)
		lt_warn("%s/%s/cpu%u: %s", d->engine->dir, lt_channel_name(channel), cpu, what);
}

struct lt_drain_cpu *lt_drain_stream(struct lt_drain *d, unsigned int channel, uint32_t cpu)
{
	for (size_t i = 0; i < d->n; i++) {
		if (d->cpus[i].cpu == cpu && d->cpus[i].channel == channel)
			return &d->cpus[i];
	}
	return NULL;
}

size_t lt_drain_n_cpus(const struct lt_drain *d, uint32_t no_cpu)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		n += d->cpus[i].cpu != no_cpu && lt_channel_get(d->cpus[i].channel)->required;
	return n;
}

/* Adds a stream, behind those of its channel and of higher ones. */
static struct lt_drain_cpu *add(struct lt_drain *d, unsigned int channel, uint32_t cpu)
{
	size_t at = 0;

	d->cpus = lt_grow(d->cpus, &d->cap, d->n, sizeof(*d->cpus));
	while (at < d->n && d->cpus[at].channel >= channel)
		at++;
	memmove(&d->cpus[at + 1], &d->cpus[at], (d->n - at) * sizeof(*d->cpus));
	d->n++;
	d->cpus[at] = (struct lt_drain_cpu){ .channel = channel, .cpu = cpu };
	return &d->cpus[at];
}

static bool open_stream(void *arg, unsigned int channel, uint32_t cpu)
{
	struct lt_drain *d = arg;
	struct lt_drain_cpu *c = lt_drain_stream(d, channel, cpu);
	int fd;

	if (c && c->fd >= 0)
		return false;
	fd = d->engine->ops->open_stream(d->engine, channel, cpu);
	if (fd < 0) {
		/* EAGAIN: the CPU is coming up; the next scan opens its file. */
		if (errno != ENOENT && errno != EAGAIN)
			report(d, channel, cpu, strerror(errno));
		return false;
	}
	if (!c)
		c = add(d, channel, cpu);
	c->fd = fd;
	return true;
}

int lt_drain_scan(struct lt_drain *d)
{
	return d->engine->ops->streams(d->engine, open_stream, d);
}

bool lt_drain_wait(struct lt_drain *d, struct pollfd *extra, size_t n_extra, int timeout_ms,
		   bool *broken)
{
	size_t n = n_extra;
	bool ready = false;
	int ret;

	while (d->cap_fds < d->n + n_extra)
		d->fds = lt_grow(d->fds, &d->cap_fds, d->cap_fds, sizeof(*d->fds));
	memcpy(d->fds, extra, n_extra * sizeof(*extra));
	for (size_t i = 0; i < d->n; i++) {
		if (d->cpus[i].fd >= 0)
			d->fds[n++] = (struct pollfd){ .fd = d->cpus[i].fd, .events = POLLIN };
	}
	ret = poll(d->fds, n, timeout_ms);
	for (size_t i = 0; i < n_extra; i++)
		extra[i].revents = (short)(ret > 0 ? d->fds[i].revents : 0);
	for (size_t i = n_extra; ret > 0 && i < n; i++) {
		if (d->fds[i].revents & (POLLERR | POLLHUP | POLLNVAL))
			*broken = true;
		if (d->fds[i].revents)
			ready = true;
	}
	return ready;
}

static int take_packet(struct lt_drain *d, struct lt_drain_cpu *c, const struct lt_packet *p)
{
	int ret;

	if (!c->packets) {
		c->begin = p->begin;
		c->first = p->seq;
	}
	c->packets++;
	c->bytes += p->size;
	c->end = p->end;
	c->flags = p->flags;
	d->finished |= p->flags & LT_PACKET_LAST;
	d->packets++;
	d->bytes += p->size;
	ret = d->fn(d->arg, p);
	for (unsigned int i = 0; i < LT_N_CLASSES; i++)
		c->counts[i] = lt_packet_counts(p, i);
	return ret;
}

/* Cuts the bytes of one read into packets. The module returns whole packets only. */
static int split(struct lt_drain *d, struct lt_drain_cpu *c, size_t size)
{
	const uint8_t *at = d->buf;

	while (size) {
		size_t len = lt_packet_length(at, size);
		struct lt_packet p;
		struct lt_why why;

		if (!len) {
			lt_why_set(&why, "the bytes that were read do not end with a whole packet");
		} else if (!lt_packet_parse(&p, at, len, &why)) {
			if (p.channel == c->channel) {
				if (take_packet(d, c, &p))
					return -1;
				at += len;
				size -= len;
				continue;
			}
			lt_why_set(&why, "a packet of channel %u, expected %u", p.channel,
				   c->channel);
		}
		report(d, c->channel, c->cpu, why.text);
		report(d, c->channel, c->cpu, "the rest of the bytes that were read is dropped; is the "
		       "module of another version?");
		return 0;
	}
	return 0;
}

/* Reads once. Return: bytes; 0: there is nothing now; -1: fn has returned -1. */
static ssize_t read_cpu(struct lt_drain *d, struct lt_drain_cpu *c)
{
	ssize_t n;

	if (c->fd < 0)
		return 0;
	for (;;) {
		n = d->engine->ops->read_stream(d->engine, c->fd, c->channel, c->cpu, d->buf,
						d->buf_size);
		if (n >= 0)
			break;
		if (errno == EINTR)
			continue;
		if (errno == EAGAIN)
			return 0;
		if (errno == EMSGSIZE && d->buf_size < MAX_BUFFER) {
			alloc_buffer(d, d->buf_size * 2);
			continue;
		}
		report(d, c->channel, c->cpu, strerror(errno));
		close(c->fd);
		c->fd = -1;
		return 0;
	}
	if (split(d, c, (size_t)n))
		return -1;
	return n;
}

/*
 * Reads each stream of the channels with few events once. Their buffers are small, and must
 * not run full while megabytes of the channel kmem are written to the file: so they are read
 * after each read of that. Return: as read_cpu().
 */
static ssize_t read_rare(struct lt_drain *d)
{
	ssize_t total = 0;

	for (size_t i = 0; i < d->n; i++) {
		ssize_t n;

		if (!lt_channel_get(d->cpus[i].channel)->rare)
			continue;
		n = read_cpu(d, &d->cpus[i]);
		if (n < 0)
			return -1;
		total += n;
	}
	return total;
}

ssize_t lt_drain_round(struct lt_drain *d)
{
	ssize_t total = read_rare(d);

	for (size_t i = 0; i < d->n && total >= 0; i++) {
		ssize_t rare = 0, n;

		if (lt_channel_get(d->cpus[i].channel)->rare)
			continue;
		n = read_cpu(d, &d->cpus[i]);
		if (n > 0)
			rare = read_rare(d);
		if (n < 0 || rare < 0)
			return -1;
		total += n + rare;
	}
	return total;
}

int lt_drain_until(struct lt_drain *d, uint64_t clock)
{
	for (size_t i = 0; i < d->n; i++) {
		struct lt_drain_cpu *c = &d->cpus[i];
		ssize_t n;

		/* Packets of one CPU come in order of time. */
		while ((n = read_cpu(d, c)) > 0 && (!c->packets || c->end <= clock)) {
			if (!lt_channel_get(c->channel)->rare && read_rare(d) < 0)
				return -1;
		}
		if (n < 0)
			return -1;
	}
	return 0;
}
