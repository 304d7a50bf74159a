// SPDX-License-Identifier: GPL-2.0
/*
 * Names of the flags of allocations.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bpf/gfp.h"
#include "fetch/btf.h"

#define PREFIX	"___GFP_"
#define SUFFIX	"_BIT"

enum flag {
	DMA, HIGHMEM, DMA32, MOVABLE, RECLAIMABLE, HIGH, IO, FS, ZERO, ATOMIC, DIRECT_RECLAIM,
	KSWAPD_RECLAIM, WRITE, NOWARN, RETRY_MAYFAIL, NOFAIL, NORETRY, MEMALLOC, COMP,
	NOMEMALLOC, HARDWALL, THISNODE, ACCOUNT, ZEROTAGS, SKIP_ZERO, SKIP_KASAN, NOLOCKDEP,
	N_FLAGS,
};

/* In the order of their bits, up to ZEROTAGS, from 5.10 to 6.9; later kernels say theirs. */
static const char *const names[N_FLAGS] = {
	"DMA", "HIGHMEM", "DMA32", "MOVABLE", "RECLAIMABLE", "HIGH", "IO", "FS", "ZERO", "ATOMIC",
	"DIRECT_RECLAIM", "KSWAPD_RECLAIM", "WRITE", "NOWARN", "RETRY_MAYFAIL", "NOFAIL", "NORETRY",
	"MEMALLOC", "COMP", "NOMEMALLOC", "HARDWALL", "THISNODE", "ACCOUNT", "ZEROTAGS", "SKIP_ZERO",
	"SKIP_KASAN", "NOLOCKDEP",
};

/* A value of an enum: "___GFP_NAME_BIT", and the number of the bit. */
static void take_value(const char *name, uint32_t bit, uint64_t bits[N_FLAGS])
{
	size_t len = strlen(name), p = strlen(PREFIX), s = strlen(SUFFIX);

	if (len <= p + s || strncmp(name, PREFIX, p) || strcmp(name + len - s, SUFFIX) || bit > 63)
		return;
	for (unsigned int i = 0; i < N_FLAGS; i++) {
		if (strlen(names[i]) == len - p - s && !strncmp(name + p, names[i], len - p - s))
			bits[i] = 1ULL << bit;
	}
}

/* The kernel has them as an enum from 6.10 on. Return: whether it does. */
static bool from_types(const struct lt_btf *btf, uint64_t bits[N_FLAGS])
{
	for (uint32_t id = btf ? btf->first : 0; btf && id < btf->n; id++) {
		const struct btf_type *t = lt_btf_type(btf, id);
		const struct btf_enum *e = lt_btf_behind(t);

		if (lt_btf_kind(t) != BTF_KIND_ENUM || !lt_btf_vlen(t) ||
		    strcmp(lt_btf_name(btf, e->name_off), PREFIX "DMA" SUFFIX))
			continue;
		for (unsigned int i = 0; i < lt_btf_vlen(t); i++)
			take_value(lt_btf_name(btf, e[i].name_off), (uint32_t)e[i].val, bits);
		return true;
	}
	return false;
}

struct list {
	struct lt_bpf_gfp *out;
	size_t n;
};

static void add(struct list *l, const char *prefix, const char *name, uint64_t mask)
{
	if (!mask || l->n == LT_BPF_GFP_MAX)
		return;
	l->out[l->n].mask = mask;
	snprintf(l->out[l->n].name, sizeof(l->out[l->n].name), "%s%s", prefix, name);
	l->n++;
}

/* As the kernel's trace/events/mmflags.h lists them. @nowait: what GFP_NOWAIT is; 0: not known */
static void add_composites(struct list *l, const uint64_t b[N_FLAGS], uint64_t nowait)
{
	uint64_t reclaim = b[DIRECT_RECLAIM] | b[KSWAPD_RECLAIM];
	uint64_t kernel = reclaim | b[IO] | b[FS], user = kernel | b[HARDWALL];
	uint64_t movable = user | b[HIGHMEM] | b[MOVABLE] | b[SKIP_KASAN];
	uint64_t light = ((user | b[HIGHMEM] | b[MOVABLE] | b[COMP] | b[NOMEMALLOC] | b[NOWARN]) &
			  ~reclaim) | b[SKIP_KASAN];

	add(l, "", "GFP_TRANSHUGE", light | b[DIRECT_RECLAIM]);
	add(l, "", "GFP_TRANSHUGE_LIGHT", light);
	add(l, "", "GFP_HIGHUSER_MOVABLE", movable);
	add(l, "", "GFP_HIGHUSER", user | b[HIGHMEM]);
	add(l, "", "GFP_USER", user);
	add(l, "", "GFP_KERNEL_ACCOUNT", kernel | b[ACCOUNT]);
	add(l, "", "GFP_KERNEL", kernel);
	add(l, "", "GFP_NOFS", reclaim | b[IO]);
	add(l, "", "GFP_ATOMIC", b[HIGH] | b[ATOMIC] | b[KSWAPD_RECLAIM]);
	add(l, "", "GFP_NOIO", reclaim);
	add(l, "", "GFP_NOWAIT", nowait);
	add(l, "", "GFP_DMA", b[DMA]);
	add(l, "", "GFP_DMA32", b[DMA32]);
	add(l, "", "__GFP_RECLAIM", reclaim);
}

size_t lt_bpf_gfp_names(const struct lt_btf *btf, const char *release,
			struct lt_bpf_gfp out[LT_BPF_GFP_MAX])
{
	unsigned int major = 0, minor = 0, version;
	uint64_t bits[N_FLAGS] = { 0 }, nowait = 0;
	struct list l = { .out = out };

	sscanf(release, "%u.%u", &major, &minor);
	version = major * 1000 + minor;
	if (from_types(btf, bits)) {
		nowait = bits[KSWAPD_RECLAIM] | bits[NOWARN];
	} else {
		for (unsigned int i = 0; i <= ZEROTAGS; i++)
			bits[i] = 1ULL << i;
		/* ZEROTAGS is of 5.14, ATOMIC is gone in 6.3; NOWAIT has changed in 6.6 to 6.9. */
		if (version < 5014)
			bits[ZEROTAGS] = 0;
		if (version >= 6003)
			bits[ATOMIC] = 0;
		if (version < 6006)
			nowait = bits[KSWAPD_RECLAIM];
	}
	add_composites(&l, bits, nowait);
	/* These two have the same bit as GFP_DMA and GFP_DMA32. */
	for (unsigned int i = 0; i < N_FLAGS; i++)
		add(&l, "__GFP_", names[i], i == DMA || i == DMA32 ? 0 : bits[i]);
	return l.n;
}
