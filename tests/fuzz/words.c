// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of text that consists of lines and words.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "words.h"

/* Words that the reader interprets. */
static const char *const words[] = {
	"lifetrace-schema", "1.0", "1.9", "class", "event", "field", "gfp", "channel", "u8", "u16",
	"u24", "u32", "u40", "u64", "s8", "s16", "s32", "s64", "char16", "char1", "char0",
	"char8192", "addr", "code", "pfn", "bytes", "node", "cache", "order", "tid", "tgid",
	"pidns", "uid", "nsec", "bits", "num", "site", "text", "ptr", "call_site", "bytes_req",
	"bytes_alloc", "gfp_flags", "migratetype", "start", "comm", "kmalloc", "kfree", "task",
	"task_new", "exit", "exec", "state", "-", "0xcc0", "clock=", "clock_freq=", "counter",
	"mono", "session=", "page_shift=", "channels=kmem,pid", "channels=kmem", "late_free=1",
	"cpus_online=", "0-65535", "0-3,5", "kernel_release=5.4", "text_base=", "realtime=",
	"boottime=", "monotonic=", "raw=", "cpu", "packets", "pid_packets", "seen", "lost_full",
	"lost_nmi", "missed", "stopped", "pid_ns", "untracked", "when=start", "when=end", "cache",
	"active", "total", "objsize", "slots_per_slab", "alias", "slabattr", "cpu_slabs", "watched",
	"not watched", "tracepoint", "kprobe", "T", "t", "w", "[mod]", "Live", "0x0", "Uid:",
};

struct range {
	size_t at;
	size_t size;
};

static void replace(struct fuzz_image *text, struct range r, const void *with, size_t size)
{
	struct fuzz_image out = { NULL, 0 };

	out.data = malloc(text->size - r.size + size + 1);
	if (!out.data)
		abort();
	if (r.at)
		memcpy(out.data, text->data, r.at);
	if (size)
		memcpy(out.data + r.at, with, size);
	memcpy(out.data + r.at + size, text->data + r.at + r.size, text->size - r.at - r.size);
	out.size = text->size - r.size + size;
	fuzz_image_free(text);
	*text = out;
}

/* A random line with its newline, or a word without. */
static struct range find(const struct fuzz_image *text, bool line)
{
	size_t at = fuzz_below(text->size), end;

#define ENDS(c) ((c) == '\n' || (!line && ((c) == ' ' || (c) == '\t' || (c) == '=')))
	while (at && !ENDS(text->data[at - 1]))
		at--;
	for (end = at; end < text->size && !ENDS(text->data[end]); end++)
		;
#undef ENDS
	return (struct range){ at, end - at + (line && end < text->size) };
}

static void change_number(struct fuzz_image *text, struct range r)
{
	uint64_t v = fuzz_interesting();
	char word[32];

	switch (fuzz_below(4)) {
	case 0:
		snprintf(word, sizeof(word), "%" PRIu64, v);
		break;
	case 1:
		snprintf(word, sizeof(word), "0x%" PRIx64, v);
		break;
	case 2:
		snprintf(word, sizeof(word), "%zu", fuzz_below(70));
		break;
	default:
		snprintf(word, sizeof(word), "%" PRIu64 "0", v);
	}
	replace(text, r, word, strlen(word));
}

void fuzz_text_change(struct fuzz_image *text)
{
	bool line = fuzz_below(2);
	struct range r = find(text, line), to = find(text, line);
	const char *word = words[fuzz_below(sizeof(words) / sizeof(words[0]))];

	switch (fuzz_below(10)) {
	case 0:
		replace(text, r, "", 0);
		return;
	case 1:
		fuzz_copy_range(text, r.at, r.size, to.at, false);
		return;
	case 2:
		fuzz_copy_range(text, r.at, r.size, to.at, true);
		return;
	case 3: case 4:
		replace(text, find(text, false), word, strlen(word));
		return;
	case 5: case 6:
		change_number(text, find(text, false));
		return;
	case 7:
		if (text->size)
			text->data[fuzz_below(text->size)] = (uint8_t)fuzz_draw();
		return;
	case 8:
		replace(text, (struct range){ r.at, 0 }, "\n", fuzz_below(2));
		return;
	default:
		if (LLVMFuzzerMutate && r.size)
			LLVMFuzzerMutate(text->data + r.at, r.size, r.size);
	}
}

const char *fuzz_text_sample(unsigned int type)
{
	static const char *const samples[] = {
		[LT_BLOCK_INFO] = "kernel_release=6.1.0\nclock=counter\nclock_freq=1000000\n"
			"channels=kmem,pid\nlate_free=1\npage_shift=14\nsession=24149\n",
		[LT_BLOCK_EVENTS] = "exit\tkprobe\tnot watched\tno such function\n"
			"task_new\tkprobe\twatched\t-\nexec\tkprobe\tnot watched\tnot recording\n",
		[LT_BLOCK_CLOCK] = "clock=2000 realtime=1700000000000001000 boottime=6000 "
			"monotonic=2000 raw=2000\n",
		[LT_BLOCK_SYMBOLS] = "ffffffff81000100 T one\nffffffff81000108 t two [mod]\n",
		[LT_BLOCK_MODULES] = "mod 4096 0 - Live 0xffffffff81000000\n",
		[LT_BLOCK_SLAB] = "when=end clock=9\nshrunk 0 of 2\n"
			"cache kmalloc-64 active 9 total 64 objsize 64 slots_per_slab 64\n"
			"slabattr kmalloc-64 cpu_slabs 3 N0=3\nalias a kmalloc-64\n",
		[LT_BLOCK_STATS] = "state idle\ncpu 0 packets 7\ncpu 3 packets 1\nmissed kfree 2\n"
			"stopped 1020\npid_ns 1 level 0 inum 4026531836 generation 1 wraps 1 "
			"allocated 2 born 2 burned 0\nuntracked 1\n"
			"limited max_size 4096 packets 2 bytes 900\nleft_out cpu 0 packets 2\n"
			"left_out cpu 0 class kfree seen 9 lost_full 0 lost_nmi 0 lost_nested 0 "
			"lost_nobuf 0 filtered 1\n",
		[LT_BLOCK_CGROUPS] = "1 /\n5001 /a\\x20b/\\xff\n5002 /\\x4\nleft_out 2\n",
		[LT_BLOCK_BUILDS] = "kernel 0123456789abcdef\nmodule mod fe .text="
			"0xffffffff81000000 .init.text=0xffffffff81001000\nmodule a -\n",
		[LT_BLOCK_FUNCTIONS] = "function\t0\tf\t-\t0\tint f(char *s)\n"
			"value\t0\ts\treturn\ttext\t16\tchar *\nvalue\t0\te\tentry\tenum\t4\tint\te\n"
			"enum\te\tONE\t-1\ncounts\t0\twatched\t1\t1\t0\t0\t0\t0\t\n",
	};

	return type < sizeof(samples) / sizeof(samples[0]) ? samples[type] : NULL;
}

size_t fuzz_text_mutate(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	struct fuzz_image im = { NULL, 0 };

	fuzz_seed(seed);
	if (size < 2 || !fuzz_below(3))
		return LLVMFuzzerMutate(data, size, max);
	fuzz_image_set(&im, data, size);
	for (size_t i = fuzz_below(3); i < 3; i++)
		fuzz_text_change(&im);
	if (im.size <= max) {
		memcpy(data, im.data, im.size);
		size = im.size;
	}
	fuzz_image_free(&im);
	return size;
}
