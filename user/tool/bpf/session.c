// SPDX-License-Identifier: GPL-2.0
/*
 * A session of the BPF programs.
 *
 * What a poll finds is given to the transcoder ring by ring. A poll gives what there was at the
 * poll before, so the time until which all is known is that of the poll before, too.
 */
#ifdef LT_HAVE_LIBBPF

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/now.h"
#include "bpf/bases.h"
#include "bpf/session.h"

struct lt_bpf_stream *lt_bpf_session_stream(struct lt_bpf_session *s, unsigned int channel,
					    uint32_t cpu)
{
	for (size_t i = 0; i < s->n_streams; i++) {
		if (s->streams[i].channel == channel && s->streams[i].cpu == cpu)
			return &s->streams[i];
	}
	return NULL;
}

/* Takes a packet of the transcoder. */
static int take_packet(void *arg, const struct lt_encode_packet *p)
{
	struct lt_bpf_stream *stream = lt_bpf_session_stream(arg, p->channel, p->cpu);

	if (!stream)
		return 0;
	if (stream->at == stream->n)
		stream->at = stream->n = 0;
	while (stream->cap - stream->n < p->size)
		stream->bytes = lt_grow(stream->bytes, &stream->cap, stream->cap, 1);
	memcpy(stream->bytes + stream->n, p->data, p->size);
	stream->n += p->size;
	return 0;
}

static bool pfn(void *source, uint64_t page, uint64_t *number)
{
	return lt_bpf_pfn(source, page, number);
}

static bool cache(void *source, uint64_t addr, struct lt_rec_CACHE *rec)
{
	struct lt_bpf_asked_cache found;

	if (!lt_bpf_cache(source, addr, &found))
		return false;
	rec->ptr = addr;
	rec->object_size = found.object_size;
	rec->size = found.size;
	memcpy(rec->name, found.name, sizeof(rec->name));
	return true;
}

/* ------------------------------------------------------------------------
 * Taking in
 */

/* What was skipped where it is not known on which CPU: a stream has the sums of all. */
static void take_skipped(struct lt_bpf_session *s, unsigned int channel, uint64_t now)
{
	struct lt_transcode_ring *r = lt_transcode_ring(s->t, channel, s->n_cpus);
	struct lt_class_counts counts[LT_N_CLASSES] = { 0 };
	bool any = false;

	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		counts[i].lost_nested = lt_bpf_skipped(s->b, LT_CLASS(channel, i));
		counts[i].seen = counts[i].lost_nested;
		any |= counts[i].lost_nested;
	}
	if (!any)
		return;
	lt_transcode_begin(r, counts);
	lt_transcode_end(r, now);
}

static size_t ring_number(const struct lt_bpf_session *s, unsigned int channel, uint32_t cpu)
{
	return (size_t)(channel - 1) * s->n_cpus + cpu;
}

/*
 * A loss has a place between two packets: all that the counts say must have happened by the end of
 * the packet with them. So they are loaded before the clock that is this end at the next poll.
 */
static void load_counts(struct lt_bpf_session *s)
{
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		for (uint32_t cpu = 0; s->channels & 1U << channel && cpu < s->n_cpus; cpu++)
			lt_bpf_counts(s->b, channel, cpu,
				      s->next_counts[ring_number(s, channel, cpu)]);
	}
}

static void use_counts(struct lt_bpf_session *s)
{
	struct lt_class_counts (*old)[LT_N_CLASSES] = s->counts;

	s->counts = s->next_counts;
	s->next_counts = old;
}

static void take_ring(struct lt_bpf_session *s, unsigned int channel, uint32_t cpu, uint64_t now)
{
	struct lt_transcode_ring *r = lt_transcode_ring(s->t, channel, cpu);

	lt_transcode_begin(r, s->counts[ring_number(s, channel, cpu)]);
	if (lt_bpf_read(s->b, channel, cpu, lt_transcode_record, r) < 0)
		s->damaged = true;
	s->differ += lt_transcode_end(r, now);
}

/* ------------------------------------------------------------------------
 * The channel pid: what a number means depends on what came before it on other CPUs
 */

static void take_one(void *arg, uint32_t cpu, const struct lt_raw *raw)
{
	struct lt_bpf_session *s = arg;

	lt_transcode_record(lt_transcode_ring(s->t, LT_CHANNEL_PID, cpu), raw);
}

/* @before: the clock before the look up to which the rings are read */
static void take_merged(struct lt_bpf_session *s, uint64_t before)
{
	struct lt_bpf_merge *m = &s->merge;
	uint64_t until = s->stopped ? UINT64_MAX : before;

	for (m->cpu = 0; m->cpu < s->n_cpus; m->cpu++) {
		if (lt_bpf_read(s->b, LT_CHANNEL_PID, m->cpu, lt_bpf_merge_keep, m) < 0)
			s->damaged = true;
		else if (!s->stopped && lt_bpf_is_held(s->b, LT_CHANNEL_PID, m->cpu))
			until = lt_bpf_merge_until(m, m->cpu, until);
	}
	s->merged = lt_bpf_merge_clock(until, s->merged, before);
	/* While a ring is held, the counts are later than what is given: their losses wait, too. */
	for (uint32_t cpu = 0; cpu < s->n_cpus; cpu++)
		lt_transcode_begin(lt_transcode_ring(s->t, LT_CHANNEL_PID, cpu),
				   s->merged == before ?
				   s->counts[ring_number(s, LT_CHANNEL_PID, cpu)] : NULL);
	lt_bpf_merge_give(m, s->stopped ? UINT64_MAX : s->merged, take_one, s);
	for (uint32_t cpu = 0; cpu < s->n_cpus; cpu++)
		s->differ += lt_transcode_end(lt_transcode_ring(s->t, LT_CHANNEL_PID, cpu),
					      s->merged);
}

/* ------------------------------------------------------------------------
 * Events without a class: what is lost of them is seen in what follows from it
 */

#define DOUBT_NS	1000000000ULL

const char *lt_bpf_unclassed_name(enum lt_bpf_without_class event)
{
	static const char *const names[LT_BPF_N_WITHOUT] = {
		[LT_BPF_WITHOUT_CACHE_GONE] = "cache_gone",
	};

	return names[event];
}

bool lt_bpf_session_watches(const struct lt_bpf_session *s, const char *event)
{
	for (size_t i = 0; i < lt_bpf_n_events(s->b); i++) {
		const struct lt_bpf_event *e = lt_bpf_event(s->b, i);

		if (!strcmp(e->name, event))
			return e->watched;
	}
	return false;
}

/* What was lost before the last look, too, is lost. Return: more than is known. */
static bool lost_more(struct lt_bpf_session *s, enum lt_bpf_without_class event)
{
	struct lt_bpf_without *w = &s->without[event];
	uint64_t now = lt_bpf_unclassed(s->b, lt_bpf_unclassed_name(event));
	uint64_t sure = s->stopped || now < w->before ? now : w->before;

	w->before = now;
	if (sure <= w->sure)
		return false;
	w->sure = sure;
	return true;
}

static void look_at_caches(struct lt_bpf_session *s, uint64_t now)
{
	bool doubt = lost_more(s, LT_BPF_WITHOUT_CACHE_GONE);

	if (!lt_bpf_session_watches(s, "cache_gone") && now - s->doubted >= DOUBT_NS)
		doubt = true;
	if (!doubt)
		return;
	s->doubted = now;
	lt_transcode_doubt_caches(s->t, now);
}

static void write_markers(struct lt_bpf_session *s)
{
	struct lt_transcode_ring *r = lt_transcode_ring(s->t, LT_CHANNEL_KMEM, s->n_cpus);
	struct lt_encoder *e = lt_transcode_encoder(r);

	pthread_mutex_lock(&s->lock);
	for (unsigned int i = 0; i < s->n_markers; i++) {
		struct lt_rec_MARKER rec = { 0 };

		memcpy(rec.text, s->markers[i].text, sizeof(rec.text));
		lt_encode_record(e, s->markers[i].time, LT_CTX_TASK, LT_EV_MARKER, &rec);
	}
	s->n_markers = 0;
	pthread_mutex_unlock(&s->lock);
}

bool lt_bpf_session_pump(struct lt_bpf_session *s)
{
	uint64_t before = s->polled, behind = s->looked, now;

	load_counts(s);
	now = lt_now_ns();
	if (!lt_bpf_poll(s->b))
		return false;
	s->differ = 0;
	s->polled = now;
	s->looked = lt_now_ns();
	/* After the stop a poll is as of now. */
	if (s->stopped) {
		before = s->polled;
		behind = s->looked;
		use_counts(s);
	}
	if (s->channels & 1U << LT_CHANNEL_KMEM)
		look_at_caches(s, now);
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		if (!(s->channels & 1U << channel))
			continue;
		for (uint32_t cpu = 0; channel != LT_CHANNEL_PID && cpu < s->n_cpus; cpu++)
			take_ring(s, channel, cpu, before);
		if (channel == LT_CHANNEL_PID)
			take_merged(s, before);
		/* The look itself has found them: they may be later than the clock before it. */
		take_skipped(s, channel, behind);
	}
	if (!s->stopped)
		use_counts(s);
	write_markers(s);
	return true;
}

uint64_t lt_bpf_session_flush(struct lt_bpf_session *s)
{
	uint64_t now = lt_now_ns();

	/* Each waits for half a second at the most. */
	for (int polls = 0; polls < 2;) {
		if (lt_bpf_session_pump(s))
			polls++;
		else
			usleep(1000);
	}
	/* Records that wait for a ring that is held up are in no packet yet. */
	if (s->channels & 1U << LT_CHANNEL_PID && s->merged < now)
		now = s->merged;
	lt_transcode_flush(s->t, now);
	return now;
}

int lt_bpf_session_mark(struct lt_bpf_session *s, const char *text)
{
	struct lt_bpf_marker *m;
	int err = 0;

	pthread_mutex_lock(&s->lock);
	if (s->n_markers == LT_BPF_MARKERS) {
		err = EBUSY;
	} else {
		m = &s->markers[s->n_markers++];
		memset(m, 0, sizeof(*m));
		/* In the lock, so that they are in the order of their times. */
		m->time = lt_now_ns();
		memcpy(m->text, text, strnlen(text, sizeof(m->text)));
		m->text[strcspn(m->text, "\n") < sizeof(m->text) ? strcspn(m->text, "\n") :
			sizeof(m->text) - 1] = 0;
	}
	pthread_mutex_unlock(&s->lock);
	return err;
}

/* ------------------------------------------------------------------------
 * Begin and end
 */

static bool wanted(void *arg, unsigned int channel, const char *event)
{
	const struct lt_bpf_session *s = arg;

	for (size_t i = 0; i < s->n_unproven; i++) {
		if (!strcmp(s->unproven[i].event, event))
			return false;
	}
	return lt_bpf_param_wants(s->params, channel, event);
}

/*
 * A program with a wrong prototype, or one that is never called, fails silently: so each is proven
 * before the session, and is not used if it has seen less than was done.
 */
static bool prove(struct lt_bpf_session *s, const struct lt_bpf_options *o, struct lt_why *why)
{
	struct lt_bpf_proof proofs[LT_BPF_PROOFS];
	size_t n = LT_BPF_PROOFS;

	if (!lt_bpf_selftest(o, proofs, &n, why))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (proofs[i].asked && !proofs[i].good)
			s->unproven[s->n_unproven++] = proofs[i];
	}
	return true;
}

static void take_address(void *arg, const struct lt_bpf_asked_cache *row)
{
	*(uint64_t *)arg = row->addr;
}

/* An address in the kernel's map of the memory: a slab cache's own object; 0: none is known. */
static uint64_t an_address(struct lt_bpf *b)
{
	uint64_t addr = 0;
	struct lt_why why;

	lt_bpf_caches(b, take_address, &addr, &why);
	return addr;
}

static struct lt_bpf *open_programs(struct lt_bpf_session *s, struct lt_why *why)
{
	const struct lt_bpf_params *p = s->params;
	const char *cgroup = lt_bpf_param(p, "only_cgroup");
	struct lt_bpf_options o = {
		.channels = s->channels, .wanted = wanted, .arg = s,
		.sample = (unsigned int)lt_bpf_param_number(p, "sample"),
		.min_size = lt_bpf_param_number(p, "min_size"),
		.max_size = lt_bpf_param_number(p, "max_size"),
		.only_pid = (uint32_t)lt_bpf_param_number(p, "only_pid"),
		.only_cgroup = *cgroup ? cgroup : NULL,
		.stacks = (unsigned int)lt_bpf_param_number(p, "stacks"),
		.stack_min = lt_bpf_param_number(p, "stack_min"),
		.stack_depth = (unsigned int)lt_bpf_param_number(p, "stack_depth"),
		.call_errors = lt_bpf_param_flag(p, "call_errors"),
		.call_min = lt_bpf_param_number(p, "call_min"),
	};

	o.by_number = *lt_bpf_param(p, "calls") || *lt_bpf_param(p, "calls32");
	if (!lt_bpf_param_numbers(p, "calls", o.chosen[0], sizeof(o.chosen[0]) * 8) ||
	    !lt_bpf_param_numbers(p, "calls32", o.chosen[1], sizeof(o.chosen[1]) * 8)) {
		lt_why_set(why, "calls: no list of numbers below %zu", sizeof(o.chosen[0]) * 8);
		return NULL;
	}
	o.ring_bytes[LT_CHANNEL_KMEM] = lt_bpf_param_number(p, "subbuf_size") *
					lt_bpf_param_number(p, "n_subbufs");
	o.ring_bytes[LT_CHANNEL_SYSCALL] = o.ring_bytes[LT_CHANNEL_KMEM];
	o.ring_bytes[LT_CHANNEL_PID] = lt_bpf_param_number(p, "pid_subbuf_size") *
				       lt_bpf_param_number(p, "pid_n_subbufs");
	return prove(s, &o, why) ? lt_bpf_open(&o, why) : NULL;
}

static void make_streams(struct lt_bpf_session *s)
{
	s->streams = lt_alloc_array((size_t)(s->n_cpus + 1) * LT_N_CHANNELS, sizeof(*s->streams));
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		for (uint32_t cpu = 0; cpu <= s->n_cpus; cpu++) {
			if (s->channels & 1U << channel)
				s->streams[s->n_streams++] =
					(struct lt_bpf_stream){ .channel = channel, .cpu = cpu };
		}
	}
}

static void make_transcoder(struct lt_bpf_session *s)
{
	struct lt_transcode_config c = {
		.take = take_packet, .arg = s, .pfn = pfn, .cache = cache, .source = s->b,
	};
	struct utsname u;

	uname(&u);
	s->machine = lt_encode_this_machine();
	s->machine.text_base = lt_bpf_text_base();
	s->machine.ptr_base = lt_bpf_ptr_base(an_address(s->b));
	/* The kernel's random numbers are ready when a user can record. */
	if (getrandom(&s->machine.session, sizeof(s->machine.session), 0) !=
	    sizeof(s->machine.session))
		s->machine.session = s->begun;
	c.machine = s->machine;
	c.machine_name = u.machine;
	c.packet_size[LT_CHANNEL_KMEM] = lt_bpf_param_number(s->params, "subbuf_size");
	c.packet_size[LT_CHANNEL_PID] = lt_bpf_param_number(s->params, "pid_subbuf_size");
	s->t = lt_transcode_new(&c);
	/* What is of no CPU is there from the begin on, so that a loss at any time has a packet. */
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		if (s->channels & 1U << channel)
			lt_encode_begin(lt_transcode_encoder(lt_transcode_ring(s->t, channel,
									       s->n_cpus)),
					s->begun);
	}
}

struct lt_bpf_session *lt_bpf_session_begin(const struct lt_bpf_params *params,
					    struct lt_why *why)
{
	struct lt_bpf_session *s = lt_alloc(sizeof(*s));

	lt_bpf_params_copy(&s->own, params);
	s->params = &s->own;
	pthread_mutex_init(&s->lock, NULL);
	s->channels = lt_bpf_param_channels(params);
	if (s->channels & 1U << LT_CHANNEL_AREA && lt_bpf_param_filters(params)) {
		lt_why_set(why, "--max-alloc and --only-... are for slab and pages; watch no percpu, vmalloc");
		lt_bpf_session_free(s);
		return NULL;
	}
	s->begun = lt_now_ns();
	s->polled = s->looked = s->merged = s->begun;
	s->b = open_programs(s, why);
	if (s->b) {
		s->n_cpus = lt_bpf_n_cpus(s->b);
		s->counts = lt_alloc_array((size_t)LT_N_CHANNELS * s->n_cpus, sizeof(*s->counts));
		s->next_counts = lt_alloc_array((size_t)LT_N_CHANNELS * s->n_cpus,
						sizeof(*s->next_counts));
		make_streams(s);
		make_transcoder(s);
		if (lt_bpf_attach(s->b, why)) {
			if (lt_bpf_session_is_exact(s))
				lt_transcode_exact(s->t);
			if (s->channels & 1U << LT_CHANNEL_PID)
				lt_bpf_session_snapshot(s, LT_SNAPSHOT_INITIAL);
			return s;
		}
	}
	lt_bpf_session_free(s);
	return NULL;
}

bool lt_bpf_session_is_exact(const struct lt_bpf_session *s)
{
	return lt_bpf_session_watches(s, "number") && lt_bpf_session_watches(s, "number_free");
}

void lt_bpf_session_stop(struct lt_bpf_session *s)
{
	if (s->stopped)
		return;
	/* The end of what was watched, so before the first program is detached. */
	lt_bpf_session_pump(s);
	s->stopped = lt_now_ns();
	lt_bpf_detach(s->b);
	lt_bpf_session_pump(s);
	if (s->channels & 1U << LT_CHANNEL_SYSCALL)
		lt_bpf_session_open_calls(s);
	lt_transcode_last(s->t, lt_now_ns());
}

void lt_bpf_session_free(struct lt_bpf_session *s)
{
	if (!s)
		return;
	lt_transcode_free(s->t);
	lt_bpf_close(s->b);
	for (size_t i = 0; i < s->n_streams; i++)
		free(s->streams[i].bytes);
	free(s->streams);
	free(s->counts);
	free(s->next_counts);
	lt_bpf_merge_free(&s->merge);
	pthread_mutex_destroy(&s->lock);
	lt_bpf_params_free(&s->own);
	free(s);
}

#endif /* LT_HAVE_LIBBPF */
