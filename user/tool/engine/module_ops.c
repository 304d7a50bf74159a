// SPDX-License-Identifier: GPL-2.0
/*
 * The engine "module": the kernel module, by its files.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "engine/engine.h"
#include "engine/module.h"
#include "format/channel.h"
#include "format/packet.h"
#include "out/log.h"

/* What a recorder has changed and not yet restored of the module's parameters. */
#define KEPT_FILE	"/run/lifetrace.parameters"

struct module_engine {
	struct lt_engine engine;
	struct lt_module m;
};

static struct lt_module *module_of(const struct lt_engine *e)
{
	return &((struct module_engine *)e)->m;
}

static int own(struct lt_engine *e)
{
	struct lt_module *m = module_of(e);
	int ret = lt_module_own(m);

	/* It may be the device now. */
	memcpy(e->dir, m->dir, sizeof(e->dir));
	return ret;
}

static void leave(struct lt_engine *e)
{
	lt_module_close(module_of(e));
}

static void close_module(struct lt_engine *e)
{
	leave(e);
	free(e);
}

static int open_file(const struct lt_engine *e, const char *name, int flags)
{
	return lt_module_open(module_of(e), name, flags);
}

static char *text(const struct lt_engine *e, const char *name)
{
	return lt_module_text(module_of(e), name);
}

static int write_word(const struct lt_engine *e, const char *name, const char *word)
{
	return lt_module_write(module_of(e), name, word);
}

static int command(struct lt_engine *e, const char *word)
{
	return lt_module_command(module_of(e), word);
}

static bool recording(const struct lt_engine *e)
{
	return lt_module_recording(module_of(e));
}

static int flush(struct lt_engine *e, uint64_t *clock)
{
	return lt_module_flush(module_of(e), clock);
}

static char *get(const struct lt_engine *e, const char *name)
{
	char *path = lt_format("%s/%s", module_of(e)->parameters, name);
	char *value = lt_read_text_file(path, 4096, NULL);
	size_t len = value ? strlen(value) : 0;

	/* The kernel keeps the newline of a text, and adds one. */
	while (len && value[len - 1] == '\n')
		value[--len] = 0;
	free(path);
	return value;
}

static bool may_set(const struct lt_engine *e, const char *name)
{
	return lt_module_may_set(module_of(e), name);
}

static int set(const struct lt_engine *e, const char *name, const char *value)
{
	return lt_module_set(module_of(e), name, value);
}

static char *kept(const struct lt_engine *e)
{
	const struct lt_module *m = module_of(e);

	if (!strcmp(m->parameters, LT_MODULE_PARAMETERS))
		return lt_strdup(KEPT_FILE);
	return lt_format("%s.kept", m->parameters);
}

static int scan_channel(const struct lt_module *m, unsigned int channel, lt_stream_fn *fn,
			void *arg)
{
	char *name = lt_format("%s/%s", m->dir, lt_channel_name(channel));
	DIR *dir = opendir(name);
	struct dirent *e;
	int n = 0;

	if (!dir && (errno != ENOENT || lt_channel_get(channel)->required)) {
		lt_error("%s: %s", name, strerror(errno));
		n = -1;		/* else this module does not have the channel */
	}
	while (dir && (e = readdir(dir))) {
		uint64_t cpu;

		if (!strncmp(e->d_name, "cpu", 3) && lt_number(e->d_name + 3, 10, &cpu) &&
		    cpu < LT_MAX_CPU)
			n += fn(arg, channel, (uint32_t)cpu);
	}
	if (dir)
		closedir(dir);
	free(name);
	return n;
}

/* Whether @line is the name of a stream of the channel, as the device lists it. */
static bool is_stream(const char *line, size_t len, unsigned int channel, uint64_t *cpu)
{
	unsigned int n = (unsigned int)strlen(lt_channel_name(channel));
	char text[16];

	if (len <= n + 4 || memcmp(line, lt_channel_name(channel), n) ||
	    memcmp(line + n, "/cpu", 4))
		return false;
	snprintf(text, sizeof(text), "%.*s", (int)(len - n - 4), line + n + 4);
	return lt_number(text, 10, cpu) && *cpu < LT_MAX_CPU;
}

static int scan_device(const struct lt_module *m, lt_stream_fn *fn, void *arg)
{
	char *list = lt_module_list(m);
	const char *pos = list, *line;
	size_t len;
	int n = 0;

	if (!list) {
		lt_error("%s: %s", m->dir, strerror(errno));
		return -1;
	}
	while (lt_line(&pos, &line, &len)) {
		for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
			uint64_t cpu;

			if (is_stream(line, len, channel, &cpu))
				n += fn(arg, channel, (uint32_t)cpu);
		}
	}
	free(list);
	return n;
}

static int streams(const struct lt_engine *e, lt_stream_fn *fn, void *arg)
{
	const struct lt_module *m = module_of(e);
	int n = 0;

	if (m->device >= 0)
		return scan_device(m, fn, arg);
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		int more = scan_channel(m, channel, fn, arg);

		if (more < 0)
			return -1;
		n += more;
	}
	return n;
}

static int open_stream(const struct lt_engine *e, unsigned int channel, uint32_t cpu)
{
	char name[64];

	snprintf(name, sizeof(name), "%s/cpu%u", lt_channel_name(channel), cpu);
	return lt_module_open(module_of(e), name, O_RDONLY | O_NONBLOCK);
}

static ssize_t read_stream(const struct lt_engine *e, int fd, unsigned int channel, uint32_t cpu,
			   void *buf, size_t size)
{
	(void)e;
	(void)channel;
	(void)cpu;
	return read(fd, buf, size);
}

static const struct lt_engine_ops ops = {
	.name = "module",
	.said = "the module",
	.own = own,
	.leave = leave,
	.close = close_module,
	.open = open_file,
	.text = text,
	.write = write_word,
	.command = command,
	.recording = recording,
	.flush = flush,
	.get = get,
	.set = set,
	.may_set = may_set,
	.kept = kept,
	.streams = streams,
	.open_stream = open_stream,
	.read_stream = read_stream,
};

struct lt_engine *lt_engine_module(const char *dir)
{
	struct module_engine *e = lt_alloc(sizeof(*e));

	e->engine.ops = &ops;
	lt_module_init(&e->m, dir);
	memcpy(e->engine.dir, e->m.dir, sizeof(e->engine.dir));
	return &e->engine;
}
