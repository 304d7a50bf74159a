// SPDX-License-Identifier: GPL-2.0
/*
 * The engine "proc-connector": messages that the kernel sends about all tasks, to a socket with
 * room for some. What has no room is lost; the numbers in the messages are those of each CPU.
 *
 * A loss shows in the next message of that CPU. So this process makes a message on each CPU when it
 * has begun to listen, and when it ends: it sets its own name, to what it is. Between the two
 * nothing is lost unseen.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/now.h"
#include "import/connector.h"
#include "out/log.h"
#include "watch/internal.h"

#define ROOM		(64U << 20)	/* bytes of the socket; a message takes some 800 of them */
#define BATCH		256
#define ANSWER_NS	(1000 * NSEC_PER_MSEC)
#define ROUNDS		5

/**
 * struct listener - the socket, and what it says
 * @c: what the messages mean; it lives as long as its import
 * @overruns: how often the kernel had no room
 * @unmarked: CPUs on which this process may not run, so that a loss at the end does not show
 */
struct listener {
	struct lt_import_connector c;
	int fd;
	bool listening;
	uint64_t overruns;
	uint32_t unmarked;
};

static bool subscribe(int fd, uint32_t asked, enum proc_cn_mcast_op op)
{
	union {
		struct nlmsghdr h;
		uint8_t bytes[sizeof(struct nlmsghdr) + sizeof(struct cn_msg) + sizeof(op)];
	} m = { .h = { .nlmsg_len = sizeof(m.bytes), .nlmsg_type = NLMSG_DONE } };
	struct cn_msg msg = {
		.id = { CN_IDX_PROC, CN_VAL_PROC }, .ack = asked, .len = sizeof(op),
	};

	memcpy(m.bytes + sizeof(m.h), &msg, sizeof(msg));
	memcpy(m.bytes + sizeof(m.h) + sizeof(msg), &op, sizeof(op));
	return send(fd, m.bytes, sizeof(m.bytes), 0) == (ssize_t)sizeof(m.bytes);
}

/* ------------------------------------------------------------------------
 * Reading
 */

/* Takes in what is there. Return: -1 after lt_error(). */
static int read_all(struct lt_watch *w, struct listener *l)
{
	char buf[4096];
	struct lt_why why;

	for (unsigned int i = 0; i < BATCH; i++) {
		struct sockaddr_nl from = { 0 };
		socklen_t size = sizeof(from);
		ssize_t n = recvfrom(l->fd, buf, sizeof(buf), MSG_DONTWAIT,
				     (struct sockaddr *)&from, &size);

		if (n < 0 && errno == ENOBUFS) {
			l->overruns++;
			continue;
		}
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n < 0) {
			lt_error("the proc connector: %s", strerror(errno));
			return -1;
		}
		/* Any process may send to a socket; the kernel has the number 0. */
		if (from.nl_pid)
			continue;
		if (!lt_import_connector_take(&l->c, buf, (size_t)n, &why)) {
			lt_error("the proc connector: %s", why.text);
			return -1;
		}
	}
	return lt_import_ret(w->file.im) ? -1 : 1;
}

/*
 * Takes in what is there now. On a busy machine there is always more, so this ends at the first
 * message of after its begin. Return: -1 after lt_error().
 */
static int read_up_to_now(struct lt_watch *w, struct listener *l)
{
	uint64_t now = lt_now_ns();
	int more;

	do {
		more = read_all(w, l);
	} while (more > 0 && l->c.latest < now);
	return more < 0 ? -1 : 0;
}

/* No message comes any more, so what is there has an end. Return: -1 after lt_error(). */
static int read_rest(struct lt_watch *w, struct listener *l)
{
	int group = CN_IDX_PROC, more;

	if (setsockopt(l->fd, SOL_NETLINK, NETLINK_DROP_MEMBERSHIP, &group, sizeof(group))) {
		lt_error("the proc connector: %s", strerror(errno));
		return -1;
	}
	do {
		more = read_all(w, l);
	} while (more > 0);
	return more;
}

/* Makes a message on each CPU on which this process may run. */
static void mark(struct listener *l)
{
	size_t size = CPU_ALLOC_SIZE(LT_IMPORT_MAX_CPU);
	cpu_set_t *all = CPU_ALLOC(LT_IMPORT_MAX_CPU), *one = CPU_ALLOC(LT_IMPORT_MAX_CPU);
	char name[16];

	l->unmarked = 0;
	if (!all || !one || sched_getaffinity(0, size, all) || prctl(PR_GET_NAME, name)) {
		l->unmarked = 1;
		CPU_FREE(all);
		CPU_FREE(one);
		return;
	}
	for (int cpu = 0; cpu < (int)LT_IMPORT_MAX_CPU; cpu++) {
		if (!CPU_ISSET_S(cpu, size, all))
			continue;
		CPU_ZERO_S(size, one);
		CPU_SET_S(cpu, size, one);
		if (sched_setaffinity(0, size, one) || prctl(PR_SET_NAME, name))
			l->unmarked++;
	}
	sched_setaffinity(0, size, all);
	CPU_FREE(all);
	CPU_FREE(one);
}

/* ------------------------------------------------------------------------
 * The engine
 */

static uint64_t parameter(const char *text, uint64_t otherwise)
{
	return text ? strtoull(text, NULL, 10) : otherwise;
}

/* The buffer of the channel pid is the socket's. */
static void make_room(int fd, const struct lt_record_options *o)
{
	uint64_t bytes = parameter(o->pid_subbuf_size, ROOM / 64) * parameter(o->pid_n_subbufs, 64);
	int half = bytes / 2 < INT32_MAX / 2 ? (int)(bytes / 2) : INT32_MAX / 2;

	/* The kernel takes twice of what is asked for. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &half, sizeof(half)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &half, sizeof(half));
}

static int open_socket(struct listener *l, const struct lt_record_options *o)
{
	struct sockaddr_nl group = { .nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC };

	l->fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_CONNECTOR);
	if (l->fd < 0) {
		lt_error("there is no proc connector here: %s; the kernel needs CONFIG_PROC_EVENTS=y, and this process the first namespace of the network",
			 strerror(errno));
		return -1;
	}
	make_room(l->fd, o);
	if (bind(l->fd, (struct sockaddr *)&group, sizeof(group)) ||
	    !subscribe(l->fd, l->c.asked, PROC_CN_MCAST_LISTEN)) {
		lt_error("the proc connector: %s; it needs CONFIG_PROC_EVENTS=y, the first namespace of the network, and before Linux 6.6 root",
			 strerror(errno));
		return -1;
	}
	l->listening = true;
	return 0;
}

/* A kernel, or a namespace, without it does not answer. */
static int wait_for_answer(struct lt_watch *w, struct listener *l)
{
	uint64_t until = lt_now_ns() + ANSWER_NS;

	while (!l->c.answered && lt_now_ns() < until && !w->stop) {
		lt_watch_wait(w, l->fd, 10);
		if (read_up_to_now(w, l))
			return -1;
	}
	if (l->c.answered && !l->c.refused)
		return 0;
	if (l->c.answered)
		lt_error("the proc connector refuses to report: %s", strerror((int)l->c.refused));
	else
		lt_error("the proc connector does not answer: the kernel has no CONFIG_PROC_EVENTS, or this process is in another namespace of users or processes than the first");
	return -1;
}

static int begin(struct lt_watch *w)
{
	struct listener *l = lt_alloc(sizeof(*l));

	w->own = l;
	l->fd = -1;
	lt_import_connector_init(&l->c, w->file.im);
	l->c.asked = (uint32_t)getpid();
	if (open_socket(l, w->o) || wait_for_answer(w, l))
		return -1;
	mark(l);
	return read_up_to_now(w, l);
}

static void go(struct lt_watch *w)
{
	lt_record_go(&w->command, w->o->command[0]);
}

static int step(struct lt_watch *w, int timeout_ms)
{
	struct listener *l = w->own;
	int more = read_all(w, l);

	lt_watch_wait(w, l->fd, more ? 0 : timeout_ms);
	if (w->command.pid > 0 && lt_record_reap(&w->command))
		lt_watch_ended(w, w->command.status);
	return more < 0 ? -1 : 0;
}

/*
 * Where the message that makes a loss visible is lost itself, there is room for the next one. Only
 * behind the last of these messages the socket leaves its group; what is lost between the two, with
 * all room free, would be seen by the overrun alone.
 */
static int end(struct lt_watch *w)
{
	struct listener *l = w->own;
	uint64_t overruns;

	if (read_up_to_now(w, l))
		return -1;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		overruns = l->overruns;
		mark(l);
		if (read_up_to_now(w, l))
			return -1;
		if (l->overruns == overruns)
			break;
	}
	overruns = l->overruns;
	if (read_rest(w, l))
		return -1;
	if (l->overruns != overruns)
		lt_warn("the socket had no room at the end: what was lost there last is not counted");
	if (l->overruns && l->unmarked)
		lt_warn("on %u CPUs this process may not run: what was lost there last is not counted",
			l->unmarked);
	return 0;
}

static void stats(const struct lt_watch *w, struct lt_str *text)
{
	const struct listener *l = w->own;

	lt_str_add(text, "connector messages %" PRIu64 " overruns %" PRIu64 " stamped_late %" PRIu64
		   " late_ns %" PRIu64 " unmarked %u\n", l->c.messages, l->overruns,
		   l->c.stamped_late, l->c.late_ns, l->unmarked);
}

static void close_connector(struct lt_watch *w)
{
	struct listener *l = w->own;

	if (!l)
		return;
	if (l->listening)
		subscribe(l->fd, l->c.asked, PROC_CN_MCAST_IGNORE);
	if (l->fd >= 0)
		close(l->fd);
	lt_import_connector_destroy(&l->c);
	free(l);
	w->own = NULL;
}

const struct lt_watch_ops lt_watch_connector = {
	.name = "proc-connector",
	.source = lt_import_connector_source,
	.begin = begin,
	.go = go,
	.step = step,
	.end = end,
	.stats = stats,
	.close = close_connector,
};
