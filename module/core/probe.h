/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes. Each is attached by itself; one that fails costs its event alone.
 */
#ifndef LT_PROBE_H
#define LT_PROBE_H

#include <linux/kprobes.h>
#include <linux/tracepoint.h>

#include "core/compat.h"

struct seq_file;

enum lt_probe_kind {
	LT_TRACEPOINT,
	LT_FUNCTION,
	LT_KRETPROBE,
	LT_NOTIFIER,
};

#define LT_PROBE_SYMBOLS	3
#define LT_PROBE_ALIASES	6

/**
 * struct lt_notifier - a chain of the kernel's notifiers
 * @attach: Return: 0 or an errno
 * @detach: waits for a notifier that runs
 */
struct lt_notifier {
	int (*attach)(void);
	void (*detach)(void);
};

/**
 * struct lt_probe - something to attach to
 * @name: of the event, as in the parameter "events" and in the file "events"
 * @kind: how it is attached
 * @group: word of the parameter "events" that chooses it with others; NULL: the probe
 *	serves the channel itself and is always chosen
 * @by_name: the word "all" does not choose it
 * @aliases: other words that choose it
 * @symbols: of the tracepoint or function; the first that exists is taken
 * @fn: tracepoint: the probe
 * @variants: tracepoint: versions of the probe, one of which the channel stores in @fn
 *	at each start; NULL: there is one version
 * @function: function: with the handler that is called at its entry
 * @rp: kretprobe: with its handlers set
 * @notifier: notifier: how it is attached
 *
 * The rest is the state, under the session's lock:
 *
 * @tp: the tracepoint, NULL: this kernel has none
 * @wanted: chosen for the session
 * @attached: the probe is attached
 * @symbol: which of @symbols was taken
 * @error: errno of the attempt; 0: no attempt was made, or it succeeded
 * @missed: hits that the kernel missed in this session, as of its end
 */
struct lt_probe {
	const char *name;
	enum lt_probe_kind kind;
	const char *group;
	bool by_name;
	const char *aliases[LT_PROBE_ALIASES];
	const char *symbols[LT_PROBE_SYMBOLS];
	void *fn;
	void * const *variants;
	struct lt_function *function;
	struct kretprobe *rp;
	const struct lt_notifier *notifier;

	struct tracepoint *tp;
	bool wanted;
	bool attached;
	const char *symbol;
	int error;
	unsigned long missed;
};

/**
 * struct lt_probes - the probes of a channel
 * @probe: in the order of attaching
 * @n: how many
 */
struct lt_probes {
	struct lt_probe *probe;
	unsigned int n;
};

void lt_probes_find(const struct lt_probes *t);
void lt_probes_unchoose(const struct lt_probes *t);
bool lt_probes_choose(const struct lt_probes *t, const char *word);
bool lt_probes_wanted(const struct lt_probes *t);
unsigned int lt_probes_attach(const struct lt_probes *t);
void lt_probes_detach(const struct lt_probes *t);
void lt_probes_wait(void);
bool lt_probes_watched(const struct lt_probes *t, const char *name);
void lt_probes_show(struct seq_file *m, const struct lt_probes *t);
void lt_probes_show_missed(struct seq_file *m, const struct lt_probes *t);

#endif /* LT_PROBE_H */
