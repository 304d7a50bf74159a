// SPDX-License-Identifier: GPL-2.0
/*
 * The thread that writes the parts of a recording, and one that lets the disk have what was
 * written.
 *
 * The recorder puts copies of texts and packets into a queue. What has no room there, or none on
 * the disk, is left out, and the part says so.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/block.h"
#include "format/schema.h"
#include "out/log.h"
#include "record/part_writer.h"
#include "record/parts_dir.h"

#define QUEUE_BYTES	(256U << 20)
#define SYNC_SECONDS	5
#define LOOK_BYTES	(16U << 20)	/* look at the room on the disk this often */

enum job_kind {
	JOB_OPEN,
	JOB_TEXT,
	JOB_PACKET,
	JOB_BEGUN,
	JOB_CLOSE,
	JOB_END,
};

struct job {
	struct job *next;
	enum job_kind kind;
	unsigned int type;
	bool zstd;
	uint32_t cpu;
	uint32_t channel;
	uint64_t number;	/* of a part; where it ends; of a packet in its stream */
	uint64_t begin;		/* of a packet; of those of the part that have no job */
	uint64_t end;
	size_t size;
	uint8_t data[];
};

/**
 * struct lt_part_writer - the writer
 * @schema: of the packets
 * @lock: of what follows, up to @sync
 * @more: a job was added
 * @head, @tail: the queue; @queued: its bytes, with the job that is being done
 * @state: for the recorder
 * @wanted: the part that was asked for last, of which @state counts bytes
 * @sync_fd: of the open part; -1: none
 * @ended: the thread @sync ends
 *
 * Of the recorder alone, which is some parts ahead of @thread:
 * @from: where the part @wanted begins, clock units
 * @refused: the earliest begin of a packet of it that had no room in the queue; UINT64_MAX: none
 *
 * Of the thread @thread alone:
 * @w: the open part; NULL: none
 * @path: of the open part, @number
 * @gap_from: the earliest begin of a packet of it that was not written; UINT64_MAX: none
 * @closed_bytes: of the other parts in the directory
 * @looked_at: offset at which the room was looked at
 * @has_packets: it is worth to be kept
 * @reported: nothing was written since it was said that there is no room
 */
struct lt_part_writer {
	struct lt_part_writer_options o;
	const char *schema;
	pthread_t thread;
	pthread_t sync;
	pthread_mutex_t lock;
	pthread_cond_t more;
	pthread_cond_t end;
	struct job *head;
	struct job **tail;
	size_t queued;
	struct lt_writing state;
	uint64_t wanted;
	int sync_fd;
	bool ended;
	uint64_t from;
	uint64_t refused;
	struct lt_writer *w;
	char *path;
	uint64_t number;
	uint64_t gap_from;
	uint64_t closed_bytes;
	uint64_t looked_at;
	bool has_packets;
	bool reported;
};

/* ------------------------------------------------------------------------
 * Room
 */

/* Deletes the oldest part. Return: false: there is none. */
static bool delete_oldest(struct lt_part_writer *p)
{
	struct lt_parts_found found;

	if (!lt_parts_dir_scan(p->o.dir, p->path, &found) || !found.oldest[0] ||
	    !lt_parts_dir_delete(p->o.dir, &found))
		return false;
	p->closed_bytes = found.bytes - found.oldest_bytes;
	pthread_mutex_lock(&p->lock);
	p->state.deleted++;
	pthread_mutex_unlock(&p->lock);
	return true;
}

static bool over_budget(const struct lt_part_writer *p, size_t size)
{
	uint64_t open = p->w ? p->w->offset : 0;

	return (p->o.keep && p->closed_bytes + open + size > p->o.keep) ||
	       lt_parts_dir_is_full(p->o.dir, p->o.keep_free);
}

static void delete_some(struct lt_part_writer *p, size_t size)
{
	bool more = true;

	while (more && over_budget(p, size))
		more = delete_oldest(p);
}

/* The disk is looked at when a part begins, and now and then. */
static void make_room(struct lt_part_writer *p, size_t size)
{
	uint64_t open = p->w ? p->w->offset : 0;

	if (!(p->o.keep && p->closed_bytes + open + size > p->o.keep) &&
	    open - p->looked_at < LOOK_BYTES)
		return;
	p->looked_at = open;
	delete_some(p, size);
}

static void count_closed(struct lt_part_writer *p)
{
	struct lt_parts_found found;

	if (lt_parts_dir_scan(p->o.dir, p->path, &found))
		p->closed_bytes = found.bytes;
}

/* ------------------------------------------------------------------------
 * The thread
 */

static void set_stuck(struct lt_part_writer *p, bool stuck, int err)
{
	pthread_mutex_lock(&p->lock);
	p->state.stuck = stuck;
	pthread_mutex_unlock(&p->lock);
	if (stuck && !p->reported)
		lt_warn("%s: %s; nothing is written until that is over, the recording goes on",
			p->path, strerror(err));
	p->reported |= stuck;
}

static bool is_stuck(struct lt_part_writer *p)
{
	bool stuck;

	pthread_mutex_lock(&p->lock);
	stuck = p->state.stuck;
	pthread_mutex_unlock(&p->lock);
	return stuck || !p->w;
}

/* Whether there is room after an error. The writer has cut off the block that did not fit. */
static bool retry(struct lt_part_writer *p)
{
	int err = p->w->error;

	if ((err == ENOSPC || err == EDQUOT) && delete_oldest(p)) {
		p->w->error = 0;
		return true;
	}
	set_stuck(p, true, err);
	return false;
}

static void leave_out(struct lt_part_writer *p, uint64_t begin, uint64_t *from)
{
	pthread_mutex_lock(&p->lock);
	p->state.left_out++;
	pthread_mutex_unlock(&p->lock);
	if (begin < *from)
		*from = begin;
}

static bool write_text(struct lt_part_writer *p, const struct job *job)
{
	while (lt_writer_text(p->w, job->type, job->zstd, job->data, job->size)) {
		if (!retry(p))
			return false;
	}
	return true;
}

static bool write_packet(struct lt_part_writer *p, const struct job *job)
{
	while (lt_writer_packet(p->w, job->data, job->size, job->cpu, job->channel, job->number,
				job->begin, job->end)) {
		if (!retry(p))
			return false;
	}
	p->has_packets = true;
	p->reported = false;
	return true;
}

static void put(struct lt_part_writer *p, const struct job *job)
{
	bool packet = job->kind == JOB_PACKET;
	uint64_t from;

	if (!is_stuck(p)) {
		make_room(p, job->size);
		from = p->w->offset;
		if (packet ? write_packet(p, job) : write_text(p, job)) {
			pthread_mutex_lock(&p->lock);
			if (p->wanted == p->number)
				p->state.bytes = p->w->offset;
			if (p->wanted == p->number && job->type == LT_BLOCK_STATE)
				p->state.carried += p->w->offset - from;
			pthread_mutex_unlock(&p->lock);
			return;
		}
	}
	if (packet)
		leave_out(p, job->begin, &p->gap_from);
}

static void set_sync_fd(struct lt_part_writer *p, int fd)
{
	pthread_mutex_lock(&p->lock);
	p->sync_fd = fd;
	pthread_mutex_unlock(&p->lock);
}

static void open_part(struct lt_part_writer *p, uint64_t number)
{
	struct lt_schema *schema;

	free(p->path);
	p->path = lt_part_path(p->o.dir, p->o.name, number);
	p->number = number;
	p->gap_from = UINT64_MAX;
	p->has_packets = false;
	p->looked_at = 0;
	count_closed(p);
	delete_some(p, 0);
	do {
		p->w = lt_writer_open_new(p->path);
	} while (!p->w && errno == ENOSPC && delete_oldest(p));
	if (!p->w) {
		set_stuck(p, true, errno);
		return;
	}
	set_stuck(p, false, 0);
	p->w->zstd = p->o.zstd;
	schema = p->o.zstd ? lt_schema_parse(p->schema, p->path) : NULL;
	if (schema)
		lt_writer_pack(p->w, schema);
	lt_schema_free(schema);
	set_sync_fd(p, p->w->fd);
}

/* The end of a part; it is small, and has often room where a packet had none. */
static void write_end(struct lt_part_writer *p, uint64_t until, uint64_t gap_from)
{
	struct lt_str text = { 0 };

	p->w->error = 0;
	if (until != UINT64_MAX)
		lt_str_add(&text, "until=%llu\n", (unsigned long long)until);
	if (gap_from != UINT64_MAX)
		lt_str_add(&text, "gap=%llu %llu\n", (unsigned long long)gap_from,
			   (unsigned long long)until);
	if (text.n)
		lt_writer_text(p->w, LT_BLOCK_PART, false, text.s, text.n);
	if (!p->w->error)
		lt_writer_finish(p->w);
	free(text.s);
}

static void close_part(struct lt_part_writer *p, uint64_t until, uint64_t refused)
{
	bool whole, failed;

	if (!p->w)
		return;
	write_end(p, until, refused < p->gap_from ? refused : p->gap_from);
	whole = !p->w->error;
	set_sync_fd(p, -1);
	/* Without a packet it has nothing that the part before it does not lead to. */
	if (!whole && p->has_packets)
		lt_writer_keep_part(p->w);
	failed = lt_writer_close(p->w);
	if (failed && whole)
		lt_warn("%s: %s", p->path, strerror(errno));
	p->w = NULL;
	pthread_mutex_lock(&p->lock);
	p->state.parts += whole && !failed;
	pthread_mutex_unlock(&p->lock);
}

static void set_begun(struct lt_part_writer *p)
{
	pthread_mutex_lock(&p->lock);
	p->state.begun = p->wanted == p->number;
	pthread_mutex_unlock(&p->lock);
}

static struct job *take(struct lt_part_writer *p)
{
	struct job *job;

	pthread_mutex_lock(&p->lock);
	while (!p->head)
		pthread_cond_wait(&p->more, &p->lock);
	job = p->head;
	p->head = job->next;
	if (!p->head)
		p->tail = &p->head;
	pthread_mutex_unlock(&p->lock);
	return job;
}

static void *write_thread(void *arg)
{
	struct lt_part_writer *p = arg;
	enum job_kind kind;

	do {
		struct job *job = take(p);

		kind = job->kind;
		if (kind == JOB_OPEN)
			open_part(p, job->number);
		else if (kind == JOB_CLOSE)
			close_part(p, job->number, job->begin);
		else if (kind == JOB_BEGUN)
			set_begun(p);
		else if (kind != JOB_END)
			put(p, job);
		pthread_mutex_lock(&p->lock);
		p->queued -= sizeof(*job) + job->size;
		pthread_mutex_unlock(&p->lock);
		free(job);
	} while (kind != JOB_END);
	return NULL;
}

/* fdatasync() may take seconds. */
static void *sync_thread(void *arg)
{
	struct lt_part_writer *p = arg;

	pthread_mutex_lock(&p->lock);
	while (!p->ended) {
		struct timespec until;
		int fd;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += SYNC_SECONDS;
		pthread_cond_timedwait(&p->end, &p->lock, &until);
		fd = p->sync_fd >= 0 && !p->ended ? dup(p->sync_fd) : -1;
		if (fd < 0)
			continue;
		pthread_mutex_unlock(&p->lock);
		fdatasync(fd);
		close(fd);
		pthread_mutex_lock(&p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* ------------------------------------------------------------------------
 * The recorder's side
 */

struct lt_part_writer *lt_part_writer_new(const struct lt_part_writer_options *o)
{
	struct lt_part_writer *p;

	if (lt_parts_dir_make(o->dir))
		return NULL;
	p = lt_alloc(sizeof(*p));
	p->o = *o;
	p->o.queue = o->queue ? o->queue : QUEUE_BYTES;
	p->path = lt_strdup("");
	p->tail = &p->head;
	p->refused = UINT64_MAX;
	p->sync_fd = -1;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->more, NULL);
	pthread_cond_init(&p->end, NULL);
	if (pthread_create(&p->thread, NULL, write_thread, p) ||
	    pthread_create(&p->sync, NULL, sync_thread, p))
		lt_die("no thread could be created");
	return p;
}

void lt_part_writer_schema(struct lt_part_writer *p, const char *text)
{
	p->schema = text;
}

static struct job *new_job(enum job_kind kind, const void *data, size_t size)
{
	struct job *job = lt_alloc(sizeof(*job) + size);

	job->kind = kind;
	job->size = size;
	if (size)
		memcpy(job->data, data, size);
	return job;
}

static void add(struct lt_part_writer *p, struct job *job)
{
	pthread_mutex_lock(&p->lock);
	*p->tail = job;
	p->tail = &job->next;
	p->queued += sizeof(*job) + job->size;
	pthread_cond_signal(&p->more);
	pthread_mutex_unlock(&p->lock);
}

void lt_part_writer_open(struct lt_part_writer *p, uint64_t number)
{
	struct job *job = new_job(JOB_OPEN, NULL, 0);

	job->number = number;
	pthread_mutex_lock(&p->lock);
	p->wanted = number;
	p->state.begun = false;
	p->state.bytes = 0;
	p->state.carried = 0;
	pthread_mutex_unlock(&p->lock);
	add(p, job);
}

void lt_part_writer_begun(struct lt_part_writer *p)
{
	add(p, new_job(JOB_BEGUN, NULL, 0));
}

void lt_part_writer_text(struct lt_part_writer *p, unsigned int type, bool zstd, const void *text,
			 size_t size)
{
	struct job *job = new_job(JOB_TEXT, text, size);

	job->type = type;
	job->zstd = zstd;
	add(p, job);
}

void lt_part_writer_packet(struct lt_part_writer *p, const struct lt_packet *packet)
{
	struct job *job;
	bool full;

	pthread_mutex_lock(&p->lock);
	full = p->queued + packet->size > p->o.queue;
	pthread_mutex_unlock(&p->lock);
	if (full) {
		/* What a cut divides stands in the part before, too. */
		leave_out(p, packet->begin > p->from ? packet->begin : p->from, &p->refused);
		return;
	}
	job = new_job(JOB_PACKET, packet->data, packet->size);
	job->cpu = packet->cpu;
	job->channel = packet->channel;
	job->number = packet->seq;
	job->begin = packet->begin;
	job->end = packet->end;
	add(p, job);
}

void lt_part_writer_close(struct lt_part_writer *p, uint64_t until)
{
	struct job *job = new_job(JOB_CLOSE, NULL, 0);

	job->number = until;
	job->begin = p->refused;
	p->from = until;
	p->refused = UINT64_MAX;
	add(p, job);
}

struct lt_writing lt_part_writer_look(struct lt_part_writer *p)
{
	struct lt_writing state;

	pthread_mutex_lock(&p->lock);
	state = p->state;
	state.queued = p->queued;
	pthread_mutex_unlock(&p->lock);
	return state;
}

struct lt_writing lt_part_writer_free(struct lt_part_writer *p)
{
	struct lt_writing state = { 0 };

	if (!p)
		return state;
	add(p, new_job(JOB_END, NULL, 0));
	pthread_join(p->thread, NULL);
	pthread_mutex_lock(&p->lock);
	p->ended = true;
	pthread_cond_signal(&p->end);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->sync, NULL);
	state = p->state;
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->more);
	pthread_cond_destroy(&p->end);
	free(p->path);
	free(p);
	return state;
}
