// SPDX-License-Identifier: GPL-2.0
/*
 * What records where the module does not: the BPF programs, and what they can watch here.
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "bpf/bpf.h"
#include "doctor/internal.h"

#ifdef LT_HAVE_LIBBPF

static bool all(void *arg, unsigned int channel, const char *event)
{
	(void)arg;
	(void)channel;
	(void)event;
	return true;
}

static void add_name(struct lt_str *names, const char *name)
{
	lt_str_add(names, "%s%s", names->n ? ", " : "", name);
}

/* The events that cannot be watched for one reason, and the reason. */
static void say_refused(struct lt_doctor *d, const struct lt_bpf *b, const char *reason)
{
	struct lt_str names = { 0 };

	for (size_t i = 0; i < lt_bpf_n_events(b); i++) {
		const struct lt_bpf_event *e = lt_bpf_event(b, i);

		if (!e->watched && !strcmp(e->reason, reason))
			add_name(&names, e->name);
	}
	lt_doctor_say(d, LT_DOCTOR_NOTE, "engine bpf", "cannot watch %s here: %s", names.s, reason);
	free(names.s);
}

/* Has an event before event @n the same reason? */
static bool was_said(const struct lt_bpf *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct lt_bpf_event *e = lt_bpf_event(b, i);

		if (!e->watched && !strcmp(e->reason, lt_bpf_event(b, n)->reason))
			return true;
	}
	return false;
}

static void say_events(struct lt_doctor *d, struct lt_bpf *b)
{
	struct lt_str watched = { 0 };

	for (size_t i = 0; i < lt_bpf_n_events(b); i++) {
		if (lt_bpf_event(b, i)->watched)
			add_name(&watched, lt_bpf_event(b, i)->name);
	}
	lt_doctor_say(d, LT_DOCTOR_OK, "engine bpf", "can watch %s", watched.n ? watched.s : "nothing");
	free(watched.s);
	for (size_t i = 0; i < lt_bpf_n_events(b); i++) {
		if (!lt_bpf_event(b, i)->watched && !was_said(b, i))
			say_refused(d, b, lt_bpf_event(b, i)->reason);
	}
}

void lt_doctor_engines(struct lt_doctor *d)
{
	struct lt_bpf_options o = { .wanted = all };
	struct lt_bpf *b;
	struct lt_why why;

	/* Programs can be loaded on this machine only. */
	if (*d->root)
		return;
	o.channels = 1U << LT_CHANNEL_KMEM | 1U << LT_CHANNEL_PID | 1U << LT_CHANNEL_SYSCALL |
		     1U << LT_CHANNEL_AREA;
	b = lt_bpf_open(&o, &why);
	d->programs = b;
	if (b)
		say_events(d, b);
	else
		lt_doctor_say(d, LT_DOCTOR_NOTE, "engine bpf", "cannot record here: %s", why.text);
	lt_bpf_close(b);
}

#else /* LT_HAVE_LIBBPF */

void lt_doctor_engines(struct lt_doctor *d)
{
	if (!*d->root)
		lt_doctor_say(d, LT_DOCTOR_NOTE, "engine bpf",
			      "this lifetrace was built without libbpf (Debian: apt install libbpf-dev, then make)");
}

#endif /* LT_HAVE_LIBBPF */
