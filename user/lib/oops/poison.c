// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Values that are no addresses: patterns that the kernel writes where nothing may be read (its
 * include/linux/poison.h), numbers, text.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "oops/oops.h"

#define NEAR		4096		/* members are this near to the begin of an object */
#define LIST_BASE	UINT64_C(0xdead000000000000)
#define KASAN_SHADOW	UINT64_C(0xdffffc0000000000)
#define MAX_ERRNO	4095

static const struct {
	uint8_t byte;
	const char *text;
} bytes[] = {
	{ 0x6b, "poison of a freed object (POISON_FREE 0x6b): it was read after its free" },
	{ 0x5a, "poison of an object that was never written (POISON_INUSE 0x5a): its memory was read "
		"uninitialized" },
	{ 0xaa, "poison of a free page (PAGE_POISON 0xaa): it was read after its free" },
	{ 0xbb, "the red zone of a free object (SLUB_RED_INACTIVE 0xbb): read outside of an "
		"object" },
	{ 0xcc, "the red zone of an object in use (SLUB_RED_ACTIVE 0xcc), or code of an int3: read "
		"outside of an object" },
	{ 0xa5, "the end of a poisoned object (POISON_END 0xa5)" },
	{ 0xf2, "poison of a stack (STACK_POISON)" },
	{ 0xfe, "a variable that was not initialized (INIT_STACK_ALL_PATTERN)" },
};

static const struct {
	uint64_t value;
	const char *text;
} words[] = {
	{ LIST_BASE + 0x100, "LIST_POISON1: next of an entry that was deleted from its list" },
	{ LIST_BASE + 0x122, "LIST_POISON2: prev of an entry that was deleted from its list" },
	{ LIST_BASE + 0x200, "LIST_POISON2 of older kernels: prev of an entry that was deleted" },
	{ LIST_BASE + 0x300, "TIMER_ENTRY_STATIC: a timer that is not queued" },
};

/*
 * The byte that all upper bytes of a value are; -1: they differ. An offset may be in the last two.
 */
static int repeated(uint64_t v, unsigned int ptr_size, uint64_t *offset)
{
	uint8_t byte = (uint8_t)(v >> (8 * ptr_size - 8));
	uint64_t whole = 0;

	for (unsigned int i = 0; i < ptr_size; i++)
		whole = whole << 8 | byte;
	*offset = v - whole;
	if (*offset < NEAR)
		return byte;
	*offset = whole - v;
	if (*offset >= NEAR)
		return -1;
	*offset = v - whole;	/* below it */
	return byte;
}

static const char *with_offset(const char *text, uint64_t offset, char *buf, size_t size)
{
	int64_t by = (int64_t)offset;

	if (!by)
		return text;
	snprintf(buf, size, "%s 0x%" PRIx64 " %s %s", by < 0 ? "-" : "+",
		 by < 0 ? 0 - offset : offset, by < 0 ? "before" : "behind", text);
	return buf;
}

static const char *repeated_text(uint64_t v, unsigned int ptr_size, char *buf, size_t size)
{
	uint64_t offset;
	int byte = repeated(v, ptr_size, &offset);

	for (size_t i = 0; byte >= 0 && i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		if (bytes[i].byte == byte)
			return with_offset(bytes[i].text, offset, buf, size);
	}
	return NULL;
}

/* Eight printable characters: somebody wrote text over a pointer. */
static const char *ascii_text(uint64_t v, char *buf, size_t size)
{
	char s[9] = "";

	for (unsigned int i = 0; i < 8; i++) {
		s[i] = (char)(v >> 8 * i);
		if (s[i] < 0x20 || s[i] > 0x7e)
			return NULL;
	}
	snprintf(buf, size, "text, in little-endian order \"%s\": a pointer that was overwritten",
		 s);
	return buf;
}

static const char *small_text(uint64_t v, unsigned int ptr_size, char *buf, size_t size)
{
	uint64_t top = ptr_size == 8 ? UINT64_MAX : UINT32_MAX;

	if (!v)
		return "NULL";
	if (v < NEAR) {
		snprintf(buf, size, "a small number; as an address NULL + 0x%" PRIx64, v);
		return buf;
	}
	if (v <= top && top - v < MAX_ERRNO) {
		snprintf(buf, size, "an error number, -%" PRIu64 ", as the kernel keeps it in pointers",
			 top - v + 1);
		return buf;
	}
	return NULL;
}

static const char *word_text(uint64_t v, char *buf, size_t size)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (v == words[i].value)
			return words[i].text;
	}
	/* A member of the entry that a poisoned pointer would be of. */
	if (v - LIST_BASE < 0x10000 || LIST_BASE - v < NEAR) {
		snprintf(buf, size, "near LIST_POISON1 (0x%" PRIx64 "%s): through an entry that was deleted "
			 "from its list", LIST_BASE + 0x100, v < LIST_BASE + 0x100 ? ", below it" : "");
		return buf;
	}
	if ((v & 0xffffffff) == 0xdead4ead)
		return "the magic number of a spinlock (0xdead4ead)";
	if (v - KASAN_SHADOW < NEAR) {
		snprintf(buf, size, "KASAN's shadow of the address 0x%" PRIx64 " to 0x%" PRIx64
			 ": NULL and a small offset was used as an address",
			 (v - KASAN_SHADOW) << 3, ((v - KASAN_SHADOW) << 3) + 7);
		return buf;
	}
	return NULL;
}

/* Whether a pointer of 64 bits can be of the kernel; machines that are not known: it can. */
static bool may_be_kernel(uint64_t v, const char *machine)
{
	if (!strncmp(machine, "ppc64", 5))
		return v >> 60 == 0xc;
	/* The first byte may be a tag, as of hardware-assisted KASAN. */
	if (!strcmp(machine, "aarch64"))
		return v >> 60 == 0xf && (v >> 52 & 0xf) == 0xf;
	if (!strcmp(machine, "x86_64") || !strcmp(machine, "riscv64"))
		return v >> 56 == 0xff;
	return true;
}

const char *lt_poison(uint64_t v, unsigned int ptr_size, const char *machine, char *buf,
		      size_t size)
{
	const char *text = small_text(v, ptr_size, buf, size);

	if (!text)
		text = repeated_text(v, ptr_size, buf, size);
	if (text || ptr_size != 8)
		return text;
	text = word_text(v, buf, size);
	if (!text)
		text = ascii_text(v, buf, size);
	if (text || may_be_kernel(v, machine))
		return text;
	if (v >> 56)
		return "no address of the kernel (not canonical): overwritten memory, or the free pointer of a "
		       "free object, which CONFIG_SLAB_FREELIST_HARDENED encodes";
	return "a number, or an address of user space";
}
