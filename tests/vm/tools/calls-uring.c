// SPDX-License-Identifier: GPL-2.0
/*
 * calls uring: requests of io_uring. Prints those that it submits and those that complete:
 *
 *	submitted USER_DATA OPCODE
 *	completed USER_DATA RESULT FLAGS
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"

#define ENTRIES	64
#define ROUNDS	50

static struct {
	int fd;
	char *sq;
	char *cq;
	struct io_uring_sqe *sqes;
	struct io_uring_params p;
	unsigned int submitted;		/* since the last enter */
} ring;

static unsigned int *sq(uint32_t offset) { return (unsigned int *)(ring.sq + offset); }
static unsigned int *cq(uint32_t offset) { return (unsigned int *)(ring.cq + offset); }

static void *map(size_t size, off_t what)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		       ring.fd, what);

	if (p == MAP_FAILED)
		die("mmap of a ring");
	return p;
}

/* Return: 0; 1: this kernel has no io_uring. */
static int setup(void)
{
	ring.fd = (int)syscall(SYS_io_uring_setup, ENTRIES, &ring.p);
	if (ring.fd < 0)
		return 1;
	ring.sq = map(ring.p.sq_off.array + ring.p.sq_entries * sizeof(unsigned int),
		      IORING_OFF_SQ_RING);
	ring.cq = map(ring.p.cq_off.cqes + ring.p.cq_entries * sizeof(struct io_uring_cqe),
		      IORING_OFF_CQ_RING);
	ring.sqes = map(ring.p.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
	return 0;
}

/* The next request: not yet submitted, with a user_data of its own. */
static struct io_uring_sqe *next(uint8_t opcode)
{
	static uint64_t user_data = 0x5000000000;
	unsigned int tail = *sq(ring.p.sq_off.tail), i = tail & *sq(ring.p.sq_off.ring_mask);
	struct io_uring_sqe *sqe = &ring.sqes[i];

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = opcode;
	sqe->user_data = ++user_data;
	sqe->fd = -1;
	sq(ring.p.sq_off.array)[i] = i;
	__atomic_store_n(sq(ring.p.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
	ring.submitted++;
	printf("submitted %#llx %u\n", (unsigned long long)sqe->user_data, opcode);
	return sqe;
}

static void reap(void)
{
	unsigned int head = *cq(ring.p.cq_off.head), mask = *cq(ring.p.cq_off.ring_mask);

	for (; head != __atomic_load_n(cq(ring.p.cq_off.tail), __ATOMIC_ACQUIRE); head++) {
		const struct io_uring_cqe *cqe =
			(struct io_uring_cqe *)cq(ring.p.cq_off.cqes) + (head & mask);

		printf("completed %#llx %d %u\n", (unsigned long long)cqe->user_data, cqe->res,
		       cqe->flags);
	}
	__atomic_store_n(cq(ring.p.cq_off.head), head, __ATOMIC_RELEASE);
}

/*
 * Submits all, and waits for so many completions. On older kernels a submission ends behind a
 * request that is refused.
 */
static void enter(unsigned int wait)
{
	while (ring.submitted) {
		long n = syscall(SYS_io_uring_enter, ring.fd, ring.submitted, wait,
				 IORING_ENTER_GETEVENTS, NULL, 0);

		if (n <= 0)
			die("io_uring_enter");
		ring.submitted -= (unsigned int)n;
	}
	reap();
}

static void to_buffer(struct io_uring_sqe *sqe, int fd, void *buf, uint32_t size)
{
	sqe->fd = fd;
	sqe->addr = (uintptr_t)buf;
	sqe->len = size;
	sqe->off = UINT64_MAX;
}

/* What fails, what waits for another, what is handed to a worker, what is cancelled. */
static void kinds(int zero, const int p[2])
{
	static struct __kernel_timespec t = { .tv_nsec = 20000000 };
	static char buf[64];
	struct io_uring_sqe *sqe;
	uint64_t waits;

	to_buffer(next(IORING_OP_READ), -1, buf, 8);
	sqe = next(IORING_OP_OPENAT);
	to_buffer(sqe, AT_FDCWD, "/none", 0);
	sqe->flags = IOSQE_ASYNC;
	sqe = next(IORING_OP_TIMEOUT);
	to_buffer(sqe, -1, &t, 1);
	sqe->off = 0;
	sqe = next(IORING_OP_READ);
	to_buffer(sqe, zero, buf, sizeof(buf));
	sqe->flags = IOSQE_ASYNC;
	sqe = next(IORING_OP_WRITE);
	to_buffer(sqe, p[1], "text", 4);
	sqe->flags = IOSQE_IO_LINK;
	to_buffer(next(IORING_OP_READ), p[0], buf, 4);
	enter(6);
	sqe = next(IORING_OP_POLL_ADD);
	sqe->fd = p[0];
	sqe->poll_events = POLLIN;
	waits = sqe->user_data;
	enter(0);
	usleep(10000);
	sqe = next(IORING_OP_ASYNC_CANCEL);
	sqe->addr = waits;
	enter(2);
	next(200);		/* there is no such opcode */
	enter(1);
}

int uring(void)
{
	static char buf[8];
	int zero, p[2];

	if (setup()) {
		printf("none %d\n", errno);
		return 0;
	}
	zero = open("/dev/zero", O_RDWR);
	if (zero < 0 || pipe(p))
		die("zero, pipe");
	for (int i = 0; i < ROUNDS; i++) {
		for (int k = 0; k < 4; k++)
			next(IORING_OP_NOP);
		to_buffer(next(IORING_OP_READ), zero, buf, sizeof(buf));
		enter(5);
	}
	kinds(zero, p);
	close(zero);
	return 0;
}
