// SPDX-License-Identifier: GPL-2.0
/*
 * What arguments of system calls point to: texts, and addresses of sockets.
 *
 * What a call is given is read when it begins, as the kernel is about to read it. Until it returns
 * it may write there itself, and another thread may while it sleeps. A page that is not there yet
 * is there when the call returns, since the kernel has read it: what could not be read at the begin
 * is read then, and marked if it may be something else by then. No probe waits for a page, also
 * where the kernel would allow it: the owner of the memory may take as long as he likes to provide
 * the page, and nobody could unload the module meanwhile.
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
static u32 kinds_of[2][LT_FILTER_SYSCALLS];

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
	if (kstrtouint(word, 10, &nr) || nr >= LT_FILTER_SYSCALLS ||
	    strlen(letter) > LT_SYSCALL_MAX_ARGS)
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
		if ((k == KIND_ADDR || k == KIND_ADDR_GOT) && i + 1 == LT_SYSCALL_MAX_ARGS)
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
 * @late: LT_SYS_TEXT_LATE: what is read now may not be what the call has read; else 0
 */
struct source {
	struct lt_texts *texts;
	const unsigned long *args;
	s64 result;
	bool compat;
	unsigned int late;
};

/* Where an argument points to. On s390x the ABI of 32 bits has addresses of 31. */
static unsigned long address_of(const struct source *s, unsigned int arg)
{
#ifdef CONFIG_COMPAT
	if (s->compat)
		return (unsigned long)compat_ptr(s->args[arg]);
#endif
	return s->args[arg];
}

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
	/* Of what cannot be read it does not matter when. */
	if (flags & LT_SYS_TEXT_FAULT)
		flags &= ~LT_SYS_TEXT_LATE;
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
	unsigned int flags = s->late;
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
	got = read_bytes(place(s->texts), address_of(s, arg), n);
	if (got < n)
		flags |= LT_SYS_TEXT_FAULT;
	add(s->texts, KIND_TEXT, arg, 0, flags, got);
}

static void add_address(struct source *s, unsigned int arg, bool got_it)
{
	size_t max = room_for_address(s->texts), n;
	unsigned int flags = got_it ? 0 : s->late;
	u32 size = s->args[arg + 1];

	if (got_it) {
		/* Calls without a result have not written it. */
		if (s->result < 0)
			return;
		if (read_bytes(&size, address_of(s, arg + 1), sizeof(size)) < sizeof(size))
			return;
	}
	if ((s32)size <= 0 || !max)
		return;
	if (size > max)
		flags |= LT_SYS_TEXT_CUT;
	size = min_t(u32, size, max);
	n = read_bytes(place(s->texts), address_of(s, arg), size);
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
	unsigned int i, flags = LT_SYS_TEXT_CUT | s->late;
	const size_t kept = HEAD + SHORTEST;
	unsigned long pointer;
	size_t max;

	for (i = 0; i < LT_SYS_TEXT_REST; i++) {
		max = room(s->texts, kept);
		if (!max)
			break;
		if (!read_pointer(s, address_of(s, arg), i, &pointer)) {
			flags = LT_SYS_TEXT_FAULT;
			break;
		}
		if (!pointer)
			return;
		add_text(s, arg, i, pointer, max);
	}
	add(s->texts, KIND_TEXT, arg, LT_SYS_TEXT_REST, flags, 0);
}

/* ------------------------------------------------------------------------
 * Begin and end of a call
 */

/* KIND_BITS for each argument of a call. */
static u32 kinds_of_call(const struct lt_syscall *call)
{
	if (call->nr < 0 || call->nr >= LT_FILTER_SYSCALLS)
		return 0;
	return kinds_of[!!(call->flags & LT_SYS_COMPAT)]
		       [array_index_nospec(call->nr, LT_FILTER_SYSCALLS)];
}

static enum kind kind_of(u32 kinds, unsigned int arg)
{
	return kinds >> arg * KIND_BITS & (BIT(KIND_BITS) - 1);
}

/* Is it given to the call, and not made by it? */
static bool is_given(enum kind kind)
{
	return kind == KIND_TEXT || kind == KIND_VECTOR || kind == KIND_ADDR;
}

/* Is anything of what a call is given recorded? */
bool lt_texts_given(const struct lt_syscall *call)
{
	u32 kinds = kinds_of_call(call);
	unsigned int arg;

	for (arg = 0; kinds >> arg * KIND_BITS; arg++)
		if (is_given(kind_of(kinds, arg)))
			return true;
	return false;
}

static struct source source_of(struct lt_texts *texts, const struct lt_syscall *call)
{
	texts->n = 0;
	texts->size = 0;
	return (struct source) {
		.texts = texts, .args = call->args, .result = call->result,
		.compat = call->flags & LT_SYS_COMPAT,
	};
}

/* @max: bytes of a text */
static void read_argument(struct source *s, enum kind is, unsigned int arg, size_t max)
{
	if (is == KIND_TEXT)
		add_text(s, arg, 0, address_of(s, arg), max);
	else if (is == KIND_VECTOR)
		add_vector(s, arg);
	else if (is == KIND_RESULT)
		add_result(s, arg, max);
	else
		add_address(s, arg, is == KIND_ADDR_GOT);
}

/**
 * lt_texts_read() - read what a call is given, when it begins
 * @texts: result; perhaps none
 * @call: with number, flags and arguments
 *
 * Context: a probe on a call of the running thread.
 */
void lt_texts_read(struct lt_texts *texts, const struct lt_syscall *call)
{
	struct source s = source_of(texts, call);
	u32 kinds = kinds_of_call(call);
	unsigned int arg;

	for (arg = 0; kinds >> arg * KIND_BITS; arg++) {
		enum kind kind = kind_of(kinds, arg);
		size_t max = room(texts, 0);

		if (is_given(kind) && call->args[arg] && max)
			read_argument(&s, kind, arg, max);
	}
	if (texts->n)
		*texts->last &= ~LT_SYS_TEXT_MORE;
}

/*
 * Takes what was read of an argument when the call began. Return: false: it was not, or not all of
 * it, or there is no room for it.
 */
static bool add_kept(struct lt_texts *texts, const struct lt_kept *kept, unsigned int arg)
{
	struct lt_rec_SYS_STR *rec;
	size_t at, size, of_arg = 0, last = 0;
	unsigned int n = 0;

	for (at = 0; at < kept->size; at += size) {
		rec = (void *)(kept->bytes + at + LT_REC_WORD);
		size = size_of(get_unaligned((u32 *)(kept->bytes + at)));
		if (rec->arg != arg)
			continue;
		if (rec->flags & LT_SYS_TEXT_FAULT || of_arg + size > LT_TEXTS_ROOM - texts->size)
			return false;
		memcpy(texts->bytes + texts->size + of_arg, kept->bytes + at, size);
		last = texts->size + of_arg;
		of_arg += size;
		n++;
	}
	if (!n)
		return false;
	rec = (void *)(texts->bytes + last + LT_REC_WORD);
	rec->flags |= LT_SYS_TEXT_MORE;
	texts->last = &rec->flags;
	texts->size += of_arg;
	texts->n += n;
	return true;
}

/* The most that a call with a text writes from an address on: an attribute of a file. */
#define WRITES		65536

/*
 * May the call have written where the argument points to: is another one, by which it may write,
 * before the end of the longest text, and not too far before it?
 */
static bool may_have_written(const struct lt_syscall *call, u32 kinds, unsigned int arg)
{
	unsigned long from = call->args[arg];
	unsigned int i;

	/* An address behind the text makes the difference large. */
	for (i = 0; i < call->n; i++)
		if (!is_given(kind_of(kinds, i)) &&
		    from + LONGEST - call->args[i] < WRITES + LONGEST)
			return true;
	return false;
}

/**
 * lt_texts_read_end() - read what the arguments of a call point to, when it returns
 * @texts: result; perhaps none
 * @call: with number, flags, arguments and result
 * @kept: what was read when it began; NULL: nothing
 * @late: what is read now may not be what the call has read
 *
 * What was to be read at the begin, and could not be, is always late: the page may have come with
 * other bytes, or a thread on another CPU may have changed them.
 *
 * Context: a probe on a call of the running thread.
 */
void lt_texts_read_end(struct lt_texts *texts, const struct lt_syscall *call,
		       const struct lt_kept *kept, bool late)
{
	struct source s = source_of(texts, call);
	u32 kinds = kinds_of_call(call);
	unsigned int arg;

	for (arg = 0; kinds >> arg * KIND_BITS; arg++) {
		enum kind kind = kind_of(kinds, arg);
		size_t max = room(texts, 0);

		if (kind == KIND_NONE || !call->args[arg] || !max)
			continue;
		if (kept && is_given(kind) && add_kept(texts, kept, arg))
			continue;
		s.late = kept || late || may_have_written(call, kinds, arg) ? LT_SYS_TEXT_LATE : 0;
		read_argument(&s, kind, arg, max);
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
