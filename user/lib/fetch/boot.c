// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The file from which the module takes functions when it is loaded: struct lt_call_boot, a set and
 * the text that describes it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fetch/fetch.h"

static uint64_t sum_of(const uint8_t *file, size_t size)
{
	uint64_t sum = LT_CALL_BOOT_SUM_BEGIN;

	for (size_t i = offsetof(struct lt_call_boot, set); i < size; i++)
		sum = LT_CALL_BOOT_SUM(sum, file[i]);
	return sum;
}

static bool put_name(char *to, size_t size, const char *name, struct lt_why *why)
{
	size_t len = strlen(name);

	if (len >= size) {
		lt_why_set(why, "the kernel's name is too long: '%.100s'", name);
		return false;
	}
	memcpy(to, name, len);
	return true;
}

void *lt_fetch_boot_make(struct lt_fetch_set *set, const struct lt_fetch_boot *b, size_t *size,
			 struct lt_why *why)
{
	struct lt_call_boot head = { .magic = LT_CALL_BOOT_MAGIC, .version = LT_CALL_BOOT_VERSION };
	uint8_t *bytes, *file;
	size_t set_size;
	char *text;

	if (!put_name(head.release, sizeof(head.release), b->release, why) ||
	    !put_name(head.build, sizeof(head.build), b->build, why))
		return NULL;
	/* In another boot they are elsewhere. */
	for (size_t i = 0; i < set->n; i++)
		set->functions[i].address = 0;
	bytes = lt_fetch_set_bytes(set, b->min_duration, b->depth, &set_size, why);
	if (!bytes)
		return NULL;
	text = lt_fetch_set_text(set);
	if (strlen(text) > LT_CALL_BOOT_MOST_TEXT) {
		lt_why_set(why, "their names and types have more than %u MiB",
			   LT_CALL_BOOT_MOST_TEXT >> 20);
		free(bytes);
		free(text);
		return NULL;
	}
	head.set = (uint32_t)set_size;
	head.text = (uint32_t)strlen(text);
	*size = sizeof(head) + set_size + head.text;
	file = lt_alloc(*size);
	memcpy(file, &head, sizeof(head));
	memcpy(file + sizeof(head), bytes, set_size);
	memcpy(file + sizeof(head) + set_size, text, head.text);
	head.sum = sum_of(file, *size);
	memcpy(file, &head, sizeof(head));
	free(bytes);
	free(text);
	return file;
}

static const char *fault_of(const struct lt_call_boot *head, const uint8_t *file, size_t size)
{
	if (head->version != LT_CALL_BOOT_VERSION || head->reserved)
		return "it is of another version of lifetrace";
	if ((uint64_t)head->set + head->text != size - sizeof(*head) ||
	    head->set < sizeof(struct lt_call_set))
		return "it is not whole";
	if (head->sum != sum_of(file, size))
		return "it is damaged";
	if (!memchr(head->release, 0, sizeof(head->release)) ||
	    !memchr(head->build, 0, sizeof(head->build)))
		return "it names no kernel";
	return NULL;
}

bool lt_fetch_is_boot(const void *file, size_t size)
{
	uint32_t magic;

	if (size < sizeof(magic))
		return false;
	memcpy(&magic, file, sizeof(magic));
	return magic == LT_CALL_BOOT_MAGIC;
}

bool lt_fetch_boot_read(const void *file, size_t size, struct lt_fetch_boot *b, struct lt_why *why)
{
	const char *fault = "it is none";
	struct lt_call_boot head;
	struct lt_call_set set;

	if (size >= sizeof(head) && lt_fetch_is_boot(file, size)) {
		memcpy(&head, file, sizeof(head));
		fault = fault_of(&head, file, size);
	}
	if (fault) {
		lt_why_set(why, "%s", fault);
		return false;
	}
	memcpy(&set, (const uint8_t *)file + sizeof(head), sizeof(set));
	*b = (struct lt_fetch_boot){ .functions = set.functions, .depth = set.depth };
	memcpy(b->release, head.release, sizeof(b->release));
	memcpy(b->build, head.build, sizeof(b->build));
	b->set = (const uint8_t *)file + sizeof(head);
	b->set_size = head.set;
	b->text = (const char *)b->set + head.set;
	b->text_size = head.text;
	return true;
}
