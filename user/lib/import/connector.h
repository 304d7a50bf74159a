/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages of the kernel's proc connector (linux/cn_proc.h) as events of tasks.
 *
 * Each CPU numbers its messages. So it is known how many of a CPU are missing, and between which
 * two of its messages: lt_import_lost() gets them. The numbers also count messages that are not
 * taken in, as those of users and sessions; what is lost may have been one of these.
 *
 * A message is stamped before its CPU numbers it. A task that is preempted between the two has an
 * earlier time than the message before: it gets the time of that one, since the numbers are right.
 */
#ifndef LT_IMPORT_CONNECTOR_H
#define LT_IMPORT_CONNECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "import/import.h"

/* Bytes of one message, with the header of netlink. */
#define LT_IMPORT_CONNECTOR_SIZE	76U
#define LT_IMPORT_CONNECTOR_CPU		40U	/* where its CPU stands */

/**
 * struct lt_import_connector_cpu - the messages of a CPU
 * @any: there was one
 * @seq: the number of the last one
 * @time: its time
 */
struct lt_import_connector_cpu {
	bool any;
	uint32_t seq;
	uint64_t time;
};

/**
 * struct lt_import_connector - the messages of a socket
 * @im: gets the events
 * @cpus: @n_cpus of them
 * @messages: that were taken
 * @latest: the latest time of one, ns
 * @stamped_late: of them had a time before that of the one before
 * @late_ns: by so much at the most
 * @asked: the number of the question to which an answer is waited for; the caller sets it
 * @answered: the kernel has, with the errno @refused
 */
struct lt_import_connector {
	struct lt_import *im;
	struct lt_import_connector_cpu *cpus;
	size_t n_cpus;
	uint64_t messages;
	uint64_t latest;
	uint64_t stamped_late;
	uint64_t late_ns;
	uint32_t asked;
	bool answered;
	uint32_t refused;
};

/* What an import of such messages is. @release, @machine_name, @host: texts that stay */
void lt_import_connector_source(struct lt_import_source *source);

void lt_import_connector_init(struct lt_import_connector *c, struct lt_import *im);
void lt_import_connector_destroy(struct lt_import_connector *c);

/**
 * lt_import_connector_take() - take in what a read of the socket gave
 * @bytes: messages in the byte order of this machine, as netlink has them; @n bytes
 * Return: false: @why says what is wrong; what stands before that was taken in.
 */
bool lt_import_connector_take(struct lt_import_connector *c, const void *bytes, size_t n,
			      struct lt_why *why);

#endif /* LT_IMPORT_CONNECTOR_H */
