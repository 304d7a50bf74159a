// SPDX-License-Identifier: GPL-2.0
/*
 * rate-perf-lost FILE - what a perf.data file holds and lacks: "SAMPLES LOST"
 *
 * perf itself prints how many times something was lost, not how much; its reports
 * with the numbers print every event, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of linux/perf_event.h and perf's file format. */
#define RECORD_LOST		2	/* id, lost */
#define RECORD_SAMPLE		9
#define RECORD_LOST_SAMPLES	13	/* lost */

struct file_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	uint64_t attrs_offset, attrs_size;
	uint64_t data_offset, data_size;
};

struct record_header {
	uint32_t type;
	uint16_t misc;
	uint16_t size;
};

int main(int argc, char **argv)
{
	uint64_t samples = 0, lost = 0, at, end;
	const struct file_header *h;
	const uint8_t *data;
	struct stat st;
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: rate-perf-lost FILE\n");
		return 2;
	}
	fd = open(argv[1], O_RDONLY);
	if (fd < 0 || fstat(fd, &st)) {
		fprintf(stderr, "rate-perf-lost: %s: %s\n", argv[1], strerror(errno));
		return 2;
	}
	if ((size_t)st.st_size < sizeof(*h))
		goto bad;
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED) {
		fprintf(stderr, "rate-perf-lost: %s: %s\n", argv[1], strerror(errno));
		return 2;
	}
	h = (const void *)data;
	end = h->data_offset + h->data_size;
	if (memcmp(h->magic, "PERFILE2", 8) || end > (uint64_t)st.st_size)
		goto bad;
	for (at = h->data_offset; at + sizeof(struct record_header) <= end;) {
		struct record_header r;
		uint64_t n;

		memcpy(&r, data + at, sizeof(r));
		if (r.size < sizeof(r) || at + r.size > end)
			goto bad;
		if (r.type == RECORD_SAMPLE) {
			samples++;
		} else if (r.type == RECORD_LOST && r.size >= 24) {
			memcpy(&n, data + at + 16, sizeof(n));
			lost += n;
		} else if (r.type == RECORD_LOST_SAMPLES && r.size >= 16) {
			memcpy(&n, data + at + 8, sizeof(n));
			lost += n;
		}
		at += r.size;
	}
	printf("%llu %llu\n", (unsigned long long)samples, (unsigned long long)lost);
	return 0;
bad:
	fprintf(stderr, "rate-perf-lost: %s: not a whole perf.data file\n", argv[1]);
	return 2;
}
