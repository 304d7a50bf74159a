// SPDX-License-Identifier: GPL-2.0
/*
 * What arguments of system calls point to: texts, and addresses of sockets.
 *
 * They are read when the call returns: the kernel has just read them itself, so their pages are
 * there. What an execve was given is gone by then, and is read at its begin. No probe waits for
 * a page, also where the kernel would allow it: the owner of the memory may take as long as he
 * likes to provide the page, and nobody could unload the module meanwhile.
 */
#include <linux/compat.h>
#include <linux/nospec.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "syscall/compat.h"
#include "syscall/internal.h"

#define PIECE		64	/* bytes that are read at once */
#define LONGEST		255	/* text; fits the field "size" */
#define LONGEST_ADDR	128	/* struct sockaddr_storage */
#define SHORT_ADDR	32
#define SHORTEST	16	/* room for a text */
#define KIND_BITS	4

#define ENUM_KIND(letter, NAME)	KIND_##NAME,
enum kind { LT_SYS_TEXT_KINDS(ENUM_KIND) };

#define KIND_LETTER(letter, NAME)	letter,
static const char letters[] = { LT_SYS_TEXT_KINDS(KIND_LETTER) };

/*
 * KIND_BITS for each argument of a call: native, ABI of 32 bits. They change while no probe is
 * attached.
 */
static u32 kinds_of[2][LT_FILTER_CALLS];

bool lt_texts_on __read_mostly;

/* ------------------------------------------------------------------------
 * The parameters
 */

/* "59:tv" */
static int parse_call(u32 *kinds, char *word)
{
	char *letter = strchr(word, ':');
	unsigned int nr, i, k;

	if (!letter)
		return -EINVAL;
	*letter++ = 0;
	if (kstrtouint(word, 10, &nr) || nr >= LT_FILTER_CALLS || strlen(letter) > LT_CALL_MAX_ARGS)
		return -EINVAL;
	/* Two letters of an argument would make a third one. */
	if (kinds[nr])
		return -EINVAL;
	for (i = 0; letter[i]; i++) {
		for (k = 0; k < ARRAY_SIZE(letters) && letters[k] != letter[i]; k++)
			;
		if (k == ARRAY_SIZE(letters))
			return -EINVAL;
		/* The size of an address stands in the next argument. */
		if ((k == KIND_ADDR || k == KIND_ADDR_GOT) && i + 1 == LT_CALL_MAX_ARGS)
			return -EINVAL;
		kinds[nr] |= k << i * KIND_BITS;
	}
	return 0;
}

static int parse(u32 *kinds, char *rest)
{
	char *word;
	int err = 0;

	while (!err && (word = strsep(&rest, ",")) != NULL)
		if (*word)
			err = parse_call(kinds, word);
	return err;
}

/**
 * lt_texts_parse() - choose what is recorded of calls, from the next session on
 * @native: "2:t,59:tv": numbers of calls of the machine's ABI, and of each argument the letter of
 *	LT_SYS_TEXT_KINDS; is changed
 * @compat: the same of its ABI of 32 bits
 *
 * Context: process; no probe is attached.
 * Return: 0 or -EINVAL; then nothing is recorded.
 */
int lt_texts_parse(char *native, char *compat)
{
	int err;

	memset(kinds_of, 0, sizeof(kinds_of));
	lt_texts_on = *native || *compat;
	err = parse(kinds_of[0], native) ?: parse(kinds_of[1], compat);
	if (!err)
		return 0;
	memset(kinds_of, 0, sizeof(kinds_of));
	lt_texts_on = false;
	return err;
}

/* ------------------------------------------------------------------------
 * Reading
 */

/**
 * struct source - of which call records are made
 * @texts: where they go
 * @args: registers
 * @result: what the call returned
 * @compat: it is of the ABI of 32 bits
 */
struct source {
	struct lt_texts *texts;
	const unsigned long *args;
	s64 result;
	bool compat;
};

/* Of @n bytes, those that are read at once: none of another page. */
static size_t piece_of(unsigned long from, size_t n)
{
	return min3(n, (size_t)PIECE, (size_t)(PAGE_SIZE - offset_in_page(from)));
}

/* Reads memory of the running program. Return: how many bytes could be read. */
static size_t read_bytes(void *to, unsigned long from, size_t n)
{
	size_t done = 0, piece;

	for (; done < n; done += piece) {
		piece = piece_of(from + done, n - done);
		if (copy_from_user_nofault(to + done, (const void __user *)(from + done), piece))
			break;
	}
	return done;
}

/* Reads a text of at most @max bytes. Return: its size, without the zero; @flags are added to. */
static size_t read_text(char *to, unsigned long from, size_t max, unsigned int *flags)
{
	size_t n = 0, piece, got;

	while (n <= max) {
		piece = piece_of(from + n, max + 1 - n);
		if (copy_from_user_nofault(to + n, (const void __user *)(from + n), piece)) {
			*flags |= LT_SYS_TEXT_FAULT;
			return n;
		}
		got = strnlen(to + n, piece);
		n += got;
		if (got < piece)
			return n;
	}
	*flags |= LT_SYS_TEXT_CUT;
	return max;
}

static unsigned int id_of(enum kind kind, size_t n)
{
	if (kind == KIND_ADDR)
		return n <= SHORT_ADDR ? LT_EV_SYS_ADDR : LT_EV_SYS_ADDR_128;
	if (n <= 32)
		return n <= 16 ? LT_EV_SYS_STR : LT_EV_SYS_STR_32;
	if (n <= 128)
		return n <= 64 ? LT_EV_SYS_STR_64 : LT_EV_SYS_STR_128;
	return LT_EV_SYS_STR_256;
}

/* Bytes of a record. */
static size_t size_of(unsigned int id)
{
	switch (id) {
	case LT_EV_SYS_STR:
		return LT_REC_WORD + sizeof(struct lt_rec_SYS_STR);
	case LT_EV_SYS_STR_32:
		return LT_REC_WORD + sizeof(struct lt_rec_SYS_STR_32);
	case LT_EV_SYS_STR_64:
		return LT_REC_WORD + sizeof(struct lt_rec_SYS_STR_64);
	case LT_EV_SYS_STR_128:
		return LT_REC_WORD + sizeof(struct lt_rec_SYS_STR_128);
	case LT_EV_SYS_STR_256:
		return LT_REC_WORD + sizeof(struct lt_rec_SYS_STR_256);
	case LT_EV_SYS_ADDR:
		return LT_REC_WORD + sizeof(struct lt_rec_SYS_ADDR);
	default:
		return LT_REC_WORD + sizeof(struct lt_rec_SYS_ADDR_128);
	}
}

/* The head of all these records. */
#define HEAD	(LT_REC_WORD + offsetof(struct lt_rec_SYS_STR, text))

/* The longest text for which there is room besides @kept bytes; 0: there is none. */
static size_t room(const struct lt_texts *texts, size_t kept)
{
	size_t left = LT_TEXTS_ROOM - texts->size, n;

	if (left >= kept + HEAD + LONGEST + 1)
		return LONGEST;
	for (n = (LONGEST + 1) / 2; n >= SHORTEST; n /= 2)
		if (left >= kept + HEAD + n)
			return n;
	return 0;
}

/* The longest address for which there is room; its records have other sizes than those of texts. */
static size_t room_for_address(const struct lt_texts *texts)
{
	size_t left = LT_TEXTS_ROOM - texts->size;

	if (left >= HEAD + LONGEST_ADDR)
		return LONGEST_ADDR;
	return left >= HEAD + SHORT_ADDR ? SHORT_ADDR : 0;
}

/* What is read here may be one byte longer than what is kept. */
static char *place(struct lt_texts *texts)
{
	return (char *)texts->bytes + texts->size + HEAD;
}

/* Makes a record of @n bytes that stand at place(). The word of the record has its id only. */
static void add(struct lt_texts *texts, enum kind kind, unsigned int arg, unsigned int element,
		unsigned int flags, size_t n)
{
	struct lt_rec_SYS_STR *rec = (void *)(texts->bytes + texts->size + LT_REC_WORD);
	unsigned int id = id_of(kind, n);
	size_t size = size_of(id);

	put_unaligned((u32)id, (u32 *)(texts->bytes + texts->size));
	rec->arg = arg;
	rec->element = element;
	rec->flags = flags | LT_SYS_TEXT_MORE;
	rec->size = n;
	memset(place(texts) + n, 0, size - HEAD - n);
	texts->last = &rec->flags;
	texts->size += size;
	texts->n++;
}

static void add_text(struct source *s, unsigned int arg, unsigned int element, unsigned long from,
		     size_t max)
{
	unsigned int flags = 0;
	size_t n;

	n = read_text(place(s->texts), from, max, &flags);
	add(s->texts, KIND_TEXT, arg, element, flags, n);
}

/* A text of known size, which the call has written. */
static void add_result(struct source *s, unsigned int arg, size_t max)
{
	size_t n = clamp_t(s64, s->result, 0, max), got;
	unsigned int flags = s->result > n ? LT_SYS_TEXT_CUT : 0;

	if (s->result < 0)
		return;
	got = read_bytes(place(s->texts), s->args[arg], n);
	if (got < n)
		flags |= LT_SYS_TEXT_FAULT;
	add(s->texts, KIND_TEXT, arg, 0, flags, got);
}

static void add_address(struct source *s, unsigned int arg, bool got_it)
{
	size_t max = room_for_address(s->texts), n;
	u32 size = s->args[arg + 1];
	unsigned int flags = 0;

	if (got_it) {
		/* Calls without a result have not written it. */
		if (s->result < 0)
			return;
		if (read_bytes(&size, s->args[arg + 1], sizeof(size)) < sizeof(size))
			return;
	}
	if ((s32)size <= 0 || !max)
		return;
	if (size > max)
		flags |= LT_SYS_TEXT_CUT;
	size = min_t(u32, size, max);
	n = read_bytes(place(s->texts), s->args[arg], size);
	if (n < size)
		flags |= LT_SYS_TEXT_FAULT;
	add(s->texts, KIND_ADDR, arg, 0, flags, n);
}

/* A pointer of the program. Return: false: it cannot be read. */
static bool read_pointer(const struct source *s, unsigned long array, unsigned int i,
			 unsigned long *pointer)
{
#ifdef CONFIG_COMPAT
	compat_uptr_t p;

	if (s->compat) {
		if (read_bytes(&p, array + i * sizeof(p), sizeof(p)) < sizeof(p))
			return false;
		*pointer = (unsigned long)compat_ptr(p);
		return true;
	}
#endif
	array += i * sizeof(*pointer);
	return read_bytes(pointer, array, sizeof(*pointer)) == sizeof(*pointer);
}

/* An array of texts. If not all of them are there, an element without bytes says so. */
static void add_vector(struct source *s, unsigned int arg)
{
	unsigned int i, flags = LT_SYS_TEXT_CUT;
	const size_t kept = HEAD + SHORTEST;
	unsigned long pointer;
	size_t max;

	for (i = 0; i < LT_SYS_TEXT_REST; i++) {
		max = room(s->texts, kept);
		if (!max)
			break;
		if (!read_pointer(s, s->args[arg], i, &pointer)) {
			flags = LT_SYS_TEXT_FAULT;
			break;
		}
		if (!pointer)
			return;
		add_text(s, arg, i, pointer, max);
	}
	add(s->texts, KIND_TEXT, arg, LT_SYS_TEXT_REST, flags, 0);
}

/**
 * lt_texts_read() - read what the arguments of a call point to
 * @texts: result; perhaps none
 * @call: with number, flags, arguments, and the result; at the begin, a result of 0
 *
 * Context: a probe on a call of the running thread.
 */
void lt_texts_read(struct lt_texts *texts, const struct lt_call *call)
{
	struct source s = {
		.texts = texts, .args = call->args, .result = call->result,
		.compat = call->flags & LT_SYS_COMPAT,
	};
	unsigned int arg;
	u32 kinds = 0;

	texts->n = 0;
	texts->size = 0;
	if (call->nr >= 0 && call->nr < LT_FILTER_CALLS)
		kinds = kinds_of[s.compat][array_index_nospec(call->nr, LT_FILTER_CALLS)];
	for (arg = 0; kinds; arg++, kinds >>= KIND_BITS) {
		enum kind kind = kinds & (BIT(KIND_BITS) - 1);
		size_t max = room(texts, 0);

		if (kind == KIND_NONE || !call->args[arg] || !max)
			continue;
		if (kind == KIND_TEXT)
			add_text(&s, arg, 0, call->args[arg], max);
		else if (kind == KIND_VECTOR)
			add_vector(&s, arg);
		else if (kind == KIND_RESULT)
			add_result(&s, arg, max);
		else
			add_address(&s, arg, kind == KIND_ADDR_GOT);
	}
	if (texts->n)
		*texts->last &= ~LT_SYS_TEXT_MORE;
}

/**
 * lt_texts_put() - write what was read behind the record of its call
 * @texts: some
 * @to: in the packet, texts->size bytes
 * @now: time of the call's record
 *
 * Context: between lt_enter() and lt_leave().
 */
void lt_texts_put(struct lt_texts *texts, void *to, u64 now)
{
	size_t at = 0;
	u32 id;

	while (at < texts->size) {
		id = get_unaligned((u32 *)(texts->bytes + at));
		lt_put_word(texts->bytes + at, id, now, false);
		at += size_of(id);
	}
	memcpy(to, texts->bytes, texts->size);
}
