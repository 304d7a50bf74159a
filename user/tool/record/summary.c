// SPDX-License-Identifier: GPL-2.0
/*
 * What a recording prints: a progress line while it runs, a summary at the end.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/now.h"
#include "base/text.h"
#include "format/schema.h"
#include "out/next.h"
#include "out/units.h"
#include "record/internal.h"

#define PROGRESS_NS	1000000000ULL

struct totals {
	uint64_t events;
	uint64_t lost;
	uint64_t pid_lost;	/* those of them that are of the channel pid */
};

/* Events written and lost, as of the last packet of each stream. */
static struct totals totals(const struct lt_drain *d)
{
	struct totals sum = { 0 };

	for (size_t i = 0; i < d->n; i++) {
		const struct lt_drain_cpu *c = &d->cpus[i];

		for (unsigned int k = 0; k < LT_N_CLASSES; k++) {
			sum.events += lt_written(&c->counts[k]);
			sum.lost += lt_lost(&c->counts[k]);
			if (lt_channel_get(c->channel)->space == LT_SPACE_TASK)
				sum.pid_lost += lt_lost(&c->counts[k]);
		}
	}
	return sum;
}

void lt_record_progress(struct lt_recording *r, uint64_t now)
{
	char bytes[32], events_s[32], rate_s[32], lost_s[32], of_tasks[48] = "";
	struct totals sum;
	uint64_t rate = 0;

	if (r->opts->quiet || now < r->shown.next_ns)
		return;
	r->shown.next_ns = now + PROGRESS_NS;
	if (!isatty(STDERR_FILENO))
		return;
	sum = totals(&r->drain);
	if (r->shown.at_ns && now > r->shown.at_ns && sum.events > r->shown.events)
		rate = (uint64_t)((double)(sum.events - r->shown.events) * 1e9 /
				  (double)(now - r->shown.at_ns));
	r->shown.events = sum.events;
	r->shown.at_ns = now;
	if (sum.pid_lost)
		snprintf(of_tasks, sizeof(of_tasks), " (of tasks %s)",
			 lt_human_count(sum.pid_lost, lost_s, sizeof(lost_s)));
	fprintf(stderr, "\r%7.1f s  %s events  %s/s  %s  lost %s%s \033[K",
		(double)(now - r->started_ns) / 1e9,
		lt_human_count(sum.events, events_s, sizeof(events_s)),
		lt_human_count(rate, rate_s, sizeof(rate_s)),
		lt_human_bytes(r->drain.bytes, bytes, sizeof(bytes)),
		lt_human_count(sum.lost, lost_s, sizeof(lost_s)), of_tasks);
	r->shown.line = true;
}

void lt_record_progress_end(struct lt_record_shown *shown)
{
	if (shown->line)
		fprintf(stderr, "\r\033[K");
	shown->line = false;
}

const char *lt_record_stop_reason(enum lt_stop stop)
{
	switch (stop) {
	case LT_STOP_SIGNAL:
		return "stopped by a signal";
	case LT_STOP_COMMAND:
		return "the command has ended";
	case LT_STOP_TIME:
		return "limit of --duration";
	case LT_STOP_SIZE:
		return "limit of --max-size";
	case LT_STOP_OUTPUT:
		return "the output cannot be written";
	case LT_STOP_SINK:
		return "the lifetimes cannot be written";
	case LT_STOP_ENOUGH:
		return "enough was seen";
	case LT_STOP_FLUSH:
		return "the module cannot flush its packets";
	case LT_STOP_TRIGGER:
		return "a trigger came";
	case LT_STOP_BUDGET:
		return "events that are left out cost more than --budget";
	case LT_STOP_MODULE:
		return "the module has stopped the session";
	default:
		return "stopped";
	}
}

static void print_classes(const struct lt_drain *d, const char *schema_text, const char *dir)
{
	struct lt_schema *schema = lt_schema_parse(schema_text, dir);

	fprintf(stderr, "\n  %-18s %13s %11s %9s %9s %9s %11s\n", "class", "recorded",
		"lost: full", "nmi", "nested", "no buffer", "filtered");
	for (unsigned int k = 0; k < LT_MAX_CLASSES; k++) {
		struct lt_class_counts sum = { 0 };

		for (size_t i = 0; i < d->n; i++) {
			if (d->cpus[i].channel == LT_CLASS_CHANNEL(k))
				lt_add_counts(&sum, &d->cpus[i].counts[LT_CLASS_INDEX(k)]);
		}
		if (!sum.seen)
			continue;
		fprintf(stderr, "  %-18s %13llu %11llu %9llu %9llu %9llu %11llu\n",
			schema ? schema->class_names[k] : "?",
			(unsigned long long)lt_written(&sum), (unsigned long long)sum.lost_full,
			(unsigned long long)sum.lost_nmi, (unsigned long long)sum.lost_nested,
			(unsigned long long)sum.lost_nobuf, (unsigned long long)sum.filtered);
	}
	lt_schema_free(schema);
}

/* Events that were not watched or were missed may have happened: they are reported. */
static void print_not_watched(const struct lt_record_texts *t)
{
	const char *pos = t->events;
	char buf[300];

	while (lt_line_text(&pos, buf, sizeof(buf))) {
		char name[64], kind[32], reason[160];

		if (sscanf(buf, "%63[^\t]\t%31[^\t]\tnot watched\t%159[^\n]", name, kind,
			   reason) == 3)
			fprintf(stderr, "  not watched: %s (%s)\n", name, reason);
	}
	for (pos = t->stats; lt_line_text(&pos, buf, sizeof(buf));) {
		char name[64];
		uint64_t n;

		if (sscanf(buf, "missed %63s %" SCNu64, name, &n) == 2 && n)
			fprintf(stderr, "  missed: %s, %" PRIu64 " times\n", name, n);
		if (sscanf(buf, "ksymbol lost %" SCNu64, &n) == 1)
			fprintf(stderr, "  lost: names of BPF programs or trampolines; frames in such "
				"code may have none, or that of what was there before\n");
	}
}

void lt_record_say_command(const struct lt_record_command *c, const struct lt_record_options *o)
{
	if (!o->command || c->pid || c->failed)
		return;
	/* --root=PID chooses what it did. */
	if (WIFEXITED(c->status))
		fprintf(stderr, "%s (pid %d): exit status %d\n", o->command[0], (int)c->number,
			WEXITSTATUS(c->status));
	else if (WIFSIGNALED(c->status))
		fprintf(stderr, "%s (pid %d): ended by signal %d\n", o->command[0], (int)c->number,
			WTERMSIG(c->status));
}

static void print_overwritten(const struct lt_drain *d)
{
	uint64_t packets = 0;

	for (size_t i = 0; i < d->n; i++)
		packets += d->cpus[i].first;
	fprintf(stderr, "\n  overwritten: %" PRIu64 " packets; 'lifetrace verify' says how many events, "
		"'lifetrace info' how much time is left\n", packets);
}

void lt_record_summary(const struct lt_recording *r)
{
	char bytes[32], span[32], events_s[32], lost_s[32];
	struct totals sum = totals(&r->drain);
	/* Its number is behind those of the CPUs; without it there is no such stream. */
	uint32_t no_cpu = (uint32_t)lt_record_info_number(r->texts.info, "no_cpu");

	/* --quiet does not hide a loss. */
	if (r->opts->quiet && sum.lost)
		lt_warn("%s events were lost", lt_human_count(sum.lost, lost_s, sizeof(lost_s)));
	if (r->opts->quiet)
		return;
	lt_record_say_command(&r->command, r->opts);
	fprintf(stderr, "recorded for %s (%s): %s events in %" PRIu64 " packets of %zu CPUs, %s\n",
		lt_human_ns(lt_now_ns() - r->started_ns, span, sizeof(span)),
		lt_record_stop_reason(r->stop),
		lt_human_count(sum.events, events_s, sizeof(events_s)), r->drain.packets,
		lt_drain_n_cpus(&r->drain, no_cpu ? no_cpu : UINT32_MAX),
		lt_human_bytes(r->drain.bytes, bytes, sizeof(bytes)));
	lt_record_print_parameters(r->texts.info, r->session.used_events,
				   r->texts.n_functions);
	print_classes(&r->drain, r->texts.schema, r->session.engine->dir);
	if (sum.lost > sum.pid_lost)
		fprintf(stderr, "\n  LOST %s events: larger buffers (--n-subbufs, --subbuf-size) or "
			"fewer events (--events, --sample) help\n",
			lt_human_count(sum.lost - sum.pid_lost, lost_s, sizeof(lost_s)));
	if (sum.pid_lost)
		fprintf(stderr, "\n  LOST %s events of tasks: larger buffers (--pid-n-subbufs, "
			"--pid-subbuf-size) help\n",
			lt_human_count(sum.pid_lost, lost_s, sizeof(lost_s)));
	if (!sum.lost)
		fprintf(stderr, "\n  nothing lost\n");
	if (r->session.flight)
		print_overwritten(&r->drain);
	lt_spending_say(r);
	print_not_watched(&r->texts);
}

/* The end of the summary, when FILE is closed: what to do with it. */
void lt_record_next(const struct lt_record_file *f, const struct lt_record_texts *t,
		    const struct lt_record_options *o)
{
	const char *channels = t->info ? strstr(t->info, "\nchannels=") : NULL;
	struct lt_next has = lt_next_of(t->events, channels ? channels + 10 : NULL);
	const char *name = o->output;
	char bytes[32];

	if (f->left_out)
		lt_warn("--max-size has no room for the last %llu packets (%llu bytes), which were left "
			"out; the file says so, and its lifetimes end before them",
			(unsigned long long)f->left_out, (unsigned long long)f->left_out_bytes);
	if (f->rotate) {
		f->rotate->summary(f->rotation, o, &has);
		return;
	}
	if (o->quiet || !name || !strcmp(name, "-"))
		return;
	fprintf(stderr, "\n%s: %s\n", name, lt_human_bytes(f->size, bytes, sizeof(bytes)));
	if (f->kept_old)
		fprintf(stderr, "the trace that was there before: %s.old\n", name);
	has.verify = true;
	lt_next_say(stderr, name, &has);
}
