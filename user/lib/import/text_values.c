// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Values that a text has by name: functions, flags.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "import/text.h"

#define MAX_FUNCTIONS	(1U << 18)
#define UNKNOWN_SIZE	0x10000U	/* of a function of which the text does not say it */
#define MAX_SIZE	0x1000000U

/* ------------------------------------------------------------------------
 * Functions: "vm_area_dup+0x1e/0x100 [module]"
 */

struct lt_import_function {
	char *name;
	uint64_t address;
	uint64_t size;
};

static bool is_name(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] <= ' ' || (unsigned char)text[i] >= 0x7f)
			return false;
	}
	return len && len < 256;
}

static const struct lt_import_function *function_of(struct lt_import_text *t, const char *name,
						    size_t len, uint64_t size)
{
	uint32_t hash = lt_hash_text(name, len, t->seed), number;
	struct lt_import_function *f;

	lt_map_for_each(number, at, &t->map, hash) {
		f = &t->functions[number - 1];
		if (strlen(f->name) == len && !memcmp(f->name, name, len) && size <= f->size)
			return f;
	}
	if (t->n_functions == MAX_FUNCTIONS)
		return NULL;
	t->functions = lt_grow(t->functions, &t->cap_functions, t->n_functions,
			       sizeof(*t->functions));
	f = &t->functions[t->n_functions++];
	f->name = lt_strndup(name, len);
	f->address = t->next_code;
	f->size = (size + 0xfff) & ~0xfffULL;
	t->next_code += f->size;
	lt_map_add(&t->map, hash, (uint32_t)t->n_functions);
	lt_str_add(&t->symbols, "%016" PRIx64 " t %s\n", f->address, f->name);
	return f;
}

/* A number with "0x" in front or without, all of the text. */
static bool hex(const char *text, size_t len, uint64_t *v)
{
	size_t i = len > 2 && text[0] == '0' && text[1] == 'x' ? 2 : 0;

	*v = 0;
	if (len == i || len - i > 16)
		return false;
	for (; i < len; i++) {
		char c = text[i];
		int letter = c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
		int digit = c >= '0' && c <= '9' ? c - '0' : letter;

		if (digit < 0)
			return false;
		*v = *v << 4 | (unsigned int)digit;
	}
	return true;
}

/* 0: it cannot be read. */
uint64_t lt_import_text_code(struct lt_import_text *t, const char *text, size_t len)
{
	const char *blank = memchr(text, ' ', len), *plus, *slash;
	const struct lt_import_function *f;
	uint64_t value, size = 0, offset = 0;

	len = blank ? (size_t)(blank - text) : len;
	if (hex(text, len, &value))
		return value;
	plus = memchr(text, '+', len);
	if (!is_name(text, len))
		return 0;
	if (plus) {
		slash = memchr(plus, '/', (size_t)(text + len - plus));
		if (!hex(plus + 1, (size_t)((slash ? slash : text + len) - plus - 1), &offset))
			return 0;
		if (slash && !hex(slash + 1, (size_t)(text + len - slash - 1), &size))
			return 0;
		len = (size_t)(plus - text);
	}
	size = size ? size : UNKNOWN_SIZE;
	if (size <= offset)
		size = offset + 1;
	if (size > MAX_SIZE)
		return 0;
	f = function_of(t, text, len, size);
	return f ? f->address + offset : 0;
}

/* ------------------------------------------------------------------------
 * Flags
 */

enum {
	DMA = 1U << 0, HIGHMEM = 1U << 1, DMA32 = 1U << 2, MOVABLE = 1U << 3,
	RECLAIMABLE = 1U << 4, HIGH = 1U << 5, IO = 1U << 6, FS = 1U << 7, ZERO = 1U << 8,
	ATOMIC = 1U << 9, DIRECT = 1U << 10, KSWAPD = 1U << 11, WRITE = 1U << 12,
	NOWARN = 1U << 13, RETRY = 1U << 14, NOFAIL = 1U << 15, NORETRY = 1U << 16,
	MEMALLOC = 1U << 17, COMP = 1U << 18, NOMEMALLOC = 1U << 19, HARDWALL = 1U << 20,
	THISNODE = 1U << 21, ACCOUNT = 1U << 22, ZEROTAGS = 1U << 23, NO_OBJ_EXT = 1U << 24,
	NOWAIT_ = 1U << 25, TRANSHUGE_ = 1U << 26, LIGHT_ = 1U << 27, ATOMIC_ = 1U << 28,
	DMA_ = 1U << 29, DMA32_ = 1U << 30,
};

#define NOIO_		(DIRECT | KSWAPD)
#define KERNEL_		(NOIO_ | IO | FS)
#define USER_		(KERNEL_ | HARDWALL)

/*
 * The composite ones that have meant the same in all kernels are made of the others; the rest has
 * bits of its own, since the text does not say of which kernel it is.
 */
static const struct lt_encode_gfp gfp[] = {
	{ TRANSHUGE_, "GFP_TRANSHUGE" }, { LIGHT_, "GFP_TRANSHUGE_LIGHT" },
	{ USER_ | HIGHMEM | MOVABLE, "GFP_HIGHUSER_MOVABLE" }, { USER_ | HIGHMEM, "GFP_HIGHUSER" },
	{ USER_, "GFP_USER" }, { KERNEL_ | ACCOUNT, "GFP_KERNEL_ACCOUNT" },
	{ KERNEL_, "GFP_KERNEL" }, { NOIO_ | IO, "GFP_NOFS" }, { ATOMIC_, "GFP_ATOMIC" },
	{ NOIO_, "GFP_NOIO" }, { NOWAIT_, "GFP_NOWAIT" }, { DMA_, "GFP_DMA" },
	{ DMA32_, "GFP_DMA32" }, { NOIO_, "__GFP_RECLAIM" }, { DMA, "__GFP_DMA" },
	{ HIGHMEM, "__GFP_HIGHMEM" }, { DMA32, "__GFP_DMA32" }, { MOVABLE, "__GFP_MOVABLE" },
	{ RECLAIMABLE, "__GFP_RECLAIMABLE" }, { HIGH, "__GFP_HIGH" }, { IO, "__GFP_IO" },
	{ FS, "__GFP_FS" }, { ZERO, "__GFP_ZERO" }, { ATOMIC, "__GFP_ATOMIC" },
	{ DIRECT, "__GFP_DIRECT_RECLAIM" }, { KSWAPD, "__GFP_KSWAPD_RECLAIM" },
	{ WRITE, "__GFP_WRITE" }, { NOWARN, "__GFP_NOWARN" },
	{ RETRY, "__GFP_RETRY_MAYFAIL" }, { NOFAIL, "__GFP_NOFAIL" },
	{ NORETRY, "__GFP_NORETRY" }, { MEMALLOC, "__GFP_MEMALLOC" }, { COMP, "__GFP_COMP" },
	{ NOMEMALLOC, "__GFP_NOMEMALLOC" }, { HARDWALL, "__GFP_HARDWALL" },
	{ THISNODE, "__GFP_THISNODE" }, { ACCOUNT, "__GFP_ACCOUNT" },
	{ ZEROTAGS, "__GFP_ZEROTAGS" }, { NO_OBJ_EXT, "__GFP_NO_OBJ_EXT" },
};

const struct lt_encode_gfp *lt_import_text_gfp(size_t *n)
{
	*n = sizeof(gfp) / sizeof(gfp[0]);
	return gfp;
}

static uint32_t flag_of(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(gfp) / sizeof(gfp[0]); i++) {
		if (strlen(gfp[i].name) == len && !memcmp(gfp[i].name, text, len))
			return (uint32_t)gfp[i].mask;
	}
	/* Bits without a name are numbers of the kernel, which are not these. */
	return 0;
}

uint32_t lt_import_text_flags(const char *text, size_t len)
{
	uint32_t flags = 0;

	while (len) {
		const char *bar = memchr(text, '|', len);
		size_t n = bar ? (size_t)(bar - text) : len;

		flags |= flag_of(text, n);
		text += n + (bar != NULL);
		len -= n + (bar != NULL);
	}
	return flags;
}

/* ------------------------------------------------------------------------
 * Begin and end
 */

void lt_import_text_init(struct lt_import_text *t, enum lt_log_format format)
{
	static const struct lt_log_options o = { .unit = LT_LOG_UNIT_AUTO };

	memset(t, 0, sizeof(*t));
	lt_log_parser_init(&t->parser, format, &o);
	lt_map_init(&t->map);
	t->seed = lt_hash_seed();
	t->next_code = LT_IMPORT_CODE + 0x1000;
}

void lt_import_text_destroy(struct lt_import_text *t)
{
	for (size_t i = 0; i < t->n_functions; i++)
		free(t->functions[i].name);
	free(t->functions);
	free(t->symbols.s);
	free(t->cpu_last);
	free(t->cpu_lost);
	lt_map_destroy(&t->map);
}
