/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A command under several engines: which can record here, all at once, each alone.
 */
#ifndef LT_CMD_ENGINES_RUN_H
#define LT_CMD_ENGINES_RUN_H

#include <stddef.h>
#include <stdint.h>

/* From the one that is believed most to the one that is believed least. */
extern const char *const lt_engines_names[];

/**
 * struct lt_engines_how - how is recorded
 * @dir: gets ENGINE.lt
 * @events: of --events of record, for those engines that have others than tasks
 * @counters: of --counters of record, for those engines that can count; NULL: none
 */
struct lt_engines_how {
	const char *dir;
	const char *events;
	const char *counters;
};

/**
 * lt_engines_probe() - whether an engine can record here; its trace is removed
 * Return: why not, to be freed; NULL: it can.
 */
char *lt_engines_probe(const struct lt_engines_how *how, const char *engine);

/**
 * lt_engines_together() - run a command under engines, all at once
 * @engines: @n of them
 * Return: the exit status of the command; -1 after lt_error().
 */
int lt_engines_together(const struct lt_engines_how *how, const char *const *engines, size_t n,
			char **command);

/**
 * lt_engines_times() - how long a command takes without an engine, and with each one alone, in turn
 * @engines: @n of them
 * @runs: of which the medians are taken
 * @medians: @n + 1, in ns; the first one is without an engine
 * Return: -1 after lt_error().
 */
int lt_engines_times(const struct lt_engines_how *how, const char *const *engines, size_t n,
		     unsigned int runs, char **command, uint64_t *medians);

/* Runs a command, and writes the ns that it took into a file. Return: its exit status. */
int lt_engines_stopwatch(const char *file, char **command);

#endif /* LT_CMD_ENGINES_RUN_H */
