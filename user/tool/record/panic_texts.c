// SPDX-License-Identifier: GPL-2.0
/*
 * What a panic needs of a recording whose packets are overwritten: the texts of the file, which
 * the module keeps in the memory that outlives the kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "out/log.h"
#include "record/internal.h"

/* Return: 0 or an errno. */
static int copy(int from, int to, uint64_t size)
{
	char buf[1 << 16];

	for (uint64_t at = 0; at < size; ) {
		size_t want = size - at < sizeof(buf) ? (size_t)(size - at) : sizeof(buf);
		ssize_t n = pread(from, buf, want, (off_t)at);

		if (n <= 0)
			return n ? errno : EIO;
		/* The module takes all, or nothing. */
		if (write(to, buf, (size_t)n) != n)
			return errno;
		at += (uint64_t)n;
	}
	return 0;
}

static void explain(int err, uint64_t size)
{
	const char *lost = "a panic would lose this recording";

	switch (err) {
	case EBUSY:
		lt_warn("%s: what an earlier panic has left is not read yet: 'lifetrace recover' does",
			lost);
		break;
	case EFBIG:
		lt_warn("%s: the module's panic_mem= must have twice the %llu bytes of its texts",
			lost, (unsigned long long)size);
		break;
	default:
		lt_warn("%s: the module's file %s: %s", lost, LT_FILE_PANIC, strerror(err));
	}
}

void lt_record_keep_texts(const struct lt_record_session *s, const char *info,
			  const struct lt_writer *w)
{
	int fd, err;

	if (!s->flight || !strstr(info, "\npanic_mem="))
		return;
	if (!w || w->is_stdout) {
		lt_warn("a panic would lose this recording: for lifetrace recover, name a file: -o FILE");
		return;
	}
	fd = lt_engine_open(s->engine, LT_FILE_PANIC, O_WRONLY);
	err = fd < 0 ? errno : copy(w->fd, fd, w->offset);
	/* Closing it says that the texts are complete. */
	if (fd >= 0)
		close(fd);
	if (err)
		explain(err, w->offset);
}
