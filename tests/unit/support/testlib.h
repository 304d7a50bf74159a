/* SPDX-License-Identifier: GPL-2.0 */
/* What every unit test needs: cmocka, temporary files, silence. */
#ifndef TESTLIB_H
#define TESTLIB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct lt_ctf_packet;
struct lt_schema;
struct lt_packet;
struct tg;

/* A path in this program's own temporary directory; valid until the next call. */
const char *test_path(const char *name);

/* Writes a file below the directory @root, NULL: at the path @name, and makes the folders to it. */
void test_put(const char *root, const char *name, const void *data, size_t size);

/*
 * Between the two calls stderr goes to a file; test_stderr_end() gives what was
 * written there, valid until the next call.
 */
void test_stderr_begin(void);
const char *test_stderr_end(void);

/* A number from the environment. */
uint64_t test_number(const char *name, uint64_t otherwise);

/*
 * Puts the export @c of the packet @p into the layout of recorded packets, without the last
 * event, so that lt_packet_parse() can fill in @q. Its records have no labels and no stacks.
 * Return: the data of @q, to be freed.
 */
uint8_t *test_recorded(struct lt_packet *q, const struct lt_ctf_packet *c,
		       const struct lt_packet *p, const struct lt_schema *s);

/*
 * Puts the head of the exported record at @at into the layout of recorded ones. The name of the
 * context becomes its number.
 * @head: receives up to LT_REC_LONG bytes
 * @id: receives its id
 * Return: its payload
 */
const uint8_t *test_recorded_head(uint8_t *head, const uint8_t *at, bool big, unsigned int *id);

/* Hands out the packets that @g has closed, each in memory of its own, and removes them from it. */
void test_take_packets(struct tg *g, void (*take)(void *arg, const struct lt_packet *p), void *arg);

/**
 * test_table_main() - run a table of tests as text, and C tests
 * @test: gets an element of the table as its state
 * @table: @n elements of @size bytes, each of which begins with its name
 * Return: the exit status for main().
 */
int test_table_main(const char *group, CMUnitTestFunction test, const void *table, size_t n,
		    size_t size, const struct CMUnitTest *tests, size_t n_tests);

#endif /* TESTLIB_H */
