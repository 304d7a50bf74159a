// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/byteorder.h"
#include "base/mem.h"
#include "export/ctf/packet.h"
#include "out/log.h"
#include "testlib.h"
#include "tracegen.h"

static char dir[64];
static char captured[65536];
static int saved_stderr = -1;

/* Tests compare the messages of the library as the tool prints them. */
__attribute__((constructor)) static void install_log(void)
{
	lt_log_to_stderr();
}

static void remove_dir(void)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	if (system(cmd))
		fprintf(stderr, "could not remove %s\n", dir);
}

const char *test_path(const char *name)
{
	static char path[512];

	if (!dir[0]) {
		strcpy(dir, "/tmp/lifetrace-unit-XXXXXX");
		if (!mkdtemp(dir))
			abort();
		atexit(remove_dir);
	}
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

void test_put(const char *root, const char *name, const void *data, size_t size)
{
	char path[1024];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s%s", root ? root : "", root ? "/" : "", name);
	for (char *p = path + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(path, 0700);
		*p = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

void test_stderr_begin(void)
{
	int fd;

	/* A file of the same name may be another one: its notes are new. */
	lt_log_to_stderr();
	fflush(stderr);
	saved_stderr = dup(2);
	fd = open(test_path("stderr"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || dup2(fd, 2) < 0)
		abort();
	close(fd);
}

const char *test_stderr_end(void)
{
	ssize_t n;
	int fd;

	fflush(stderr);
	dup2(saved_stderr, 2);
	close(saved_stderr);
	fd = open(test_path("stderr"), O_RDONLY);
	n = read(fd, captured, sizeof(captured) - 1);
	close(fd);
	captured[n > 0 ? n : 0] = 0;
	return captured;
}

#define AT(member)	offsetof(struct lt_packet_header, member)

/* Puts bytes back to their place. Return: what stands behind them in the export. */
static const uint8_t *put_back(uint8_t *data, size_t from, size_t to, const uint8_t *at)
{
	memcpy(data + from, at, to - from);
	return at + (to - from);
}

/* The length of the export is to be right; then it becomes that of what was rebuilt. */
static void correct_length(uint8_t *at, size_t exported, size_t rebuilt, bool big)
{
	assert_int_equal(lt_get64(at, big), 8 * (uint64_t)exported);
	for (unsigned int i = 0; i < 8; i++)
		at[big ? 7 - i : i] = (uint8_t)(8 * (uint64_t)rebuilt >> 8 * i);
}

const uint8_t *test_recorded_head(uint8_t *head, const uint8_t *at, bool big, unsigned int *id)
{
	static const char *const names[] = { "task", "softirq", "hardirq", "nmi" };
	unsigned int first = big ? *at >> 2 : *at & LT_ID_MASK, context = 0;
	bool is_long = first == LT_EV_LONG;
	size_t n = is_long ? LT_LONG_CTX : LT_REC_WORD;
	uint8_t *last = head + (is_long ? LT_LONG_CTX : LT_REC_WORD - 1);

	memset(head, 0, LT_REC_LONG);
	memcpy(head, at, n);
	*id = is_long ? lt_get16(at + LT_LONG_ID, big) : first;
	at += n;
	while (strcmp((const char *)at, names[context]))
		assert_in_range(++context, 1, 3);
	/* Two bits: of the long form's last byte, or of the short form's word. */
	if (big)
		*last = (uint8_t)(is_long ? context << 6 : (*last & ~3U) | context);
	else
		*last = (uint8_t)(is_long ? context : (*last & 0x3fU) | context << 6);
	return at + strlen(names[context]) + 1;
}

/*
 * Puts the records of an export back. Return: their size; @at: receives the begin of the last
 * event.
 */
static size_t put_records_back(uint8_t *data, const uint8_t **at, const struct lt_packet *p,
			       const struct lt_schema *s)
{
	size_t size = 0;

	for (;;) {
		const struct lt_event_desc *d;
		uint8_t head[LT_REC_LONG];
		unsigned int id;
		const uint8_t *payload = test_recorded_head(head, *at, p->big, &id);
		size_t n = (p->big ? *head >> 2 : *head & LT_ID_MASK) == LT_EV_LONG ? LT_REC_LONG :
										    LT_REC_WORD;

		if (id == LT_CTF_COUNTERS)
			return size;
		d = lt_schema_event(s, LT_EV(p->channel, id));
		assert_non_null(d);
		memcpy(data + size, head, n);
		memcpy(data + size + n, payload, d->size);
		size += n + d->size;
		*at = payload + d->size;
	}
}

uint8_t *test_recorded(struct lt_packet *q, const struct lt_ctf_packet *c,
		       const struct lt_packet *p, const struct lt_schema *s)
{
	const uint8_t *at = c->data;
	uint8_t head[LT_REC_LONG], *data;
	struct lt_why why;
	unsigned int id;
	size_t size;

	/* A context has as many characters as a number has bytes, at the least. */
	data = calloc(1, p->header_size + c->size + LT_SLACK);
	assert_non_null(data);
	at = put_back(data, 0, AT(version_major), at);
	at = put_back(data, AT(cpu), AT(n_classes), at);
	at = put_back(data, AT(seq), AT(text_base), at);
	size = p->header_size + put_records_back(data + p->header_size, &at, p, s);
	/* The last event, which is long as its id and the packet's end need it. */
	assert_int_equal(at[0], p->big ? LT_EV_LONG << 2 : LT_EV_LONG);
	assert_int_equal(lt_get64(at + LT_LONG_TIME, p->big), p->end);
	at = test_recorded_head(head, at, p->big, &id);
	assert_int_equal(id, LT_CTF_COUNTERS);
	assert_int_equal(head[LT_LONG_CTX], 0);
	at = put_back(data, AT(version_major), AT(cpu), at);
	at = put_back(data, AT(n_classes), AT(seq), at);
	at = put_back(data, AT(text_base), p->header_size, at);
	assert_ptr_equal(at, c->data + c->size);
	correct_length(data + AT(content_bits), c->size, size, p->big);
	correct_length(data + AT(packet_bits), c->size, size, p->big);
	assert_int_equal(lt_packet_parse(q, data, size, &why), 0);
	return data;
}

uint64_t test_number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

void test_take_packets(struct tg *g, void (*take)(void *arg, const struct lt_packet *p), void *arg)
{
	struct tg_packet *p;
	size_t n;

	p = tg_packets(g, &n);
	for (size_t i = 0; i < n; i++) {
		uint8_t *data = lt_alloc(p[i].size + LT_SLACK);
		struct lt_packet packet;
		struct lt_why why;

		memcpy(data, p[i].data, p[i].size);
		assert_int_equal(lt_packet_parse(&packet, data, p[i].size, &why), 0);
		take(arg, &packet);
		free(data);
		free(p[i].data);
	}
	tg_set_n_packets(g, 0);
}

int test_table_main(const char *group, CMUnitTestFunction test, const void *table, size_t n,
		    size_t size, const struct CMUnitTest *tests, size_t n_tests)
{
	struct CMUnitTest *all = calloc(n + n_tests, sizeof(*all));
	int status;

	for (size_t i = 0; i < n; i++) {
		void *element = (char *)table + i * size;

		all[i] = (struct CMUnitTest){
			.name = *(const char *const *)element, .test_func = test,
			.initial_state = element,
		};
	}
	if (n_tests)
		memcpy(all + n, tests, n_tests * sizeof(*all));
	status = _cmocka_run_group_tests(group, all, n + n_tests, NULL, NULL);
	free(all);
	return status;
}
