// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Functions that allocate for their callers. Each entry is a function of Debian's kernels 5.10,
 * 6.1 or 7.3; what a kernel does not have, or has inlined, matches nothing.
 */
#include <string.h>

#include "sums/wrappers.h"

/* A name, or with a star the beginning or the end of some. */
static const char *const wrappers[] = {
	/* mm/util.c, lib/kasprintf.c: copies, and memory from one of two allocators */
	"kmemdup*", "kstrdup*", "kstrndup", "memdup_user*", "vmemdup_user*", "strndup_user",
	"kasprintf", "kvasprintf*", "kvmalloc*", "__kvmalloc*", "kvrealloc*", "kvmemdup*",
	"krealloc*",
	/* mm/slab_common.c, mm/slub.c: the allocators themselves, where they call each other */
	"__kmalloc*", "kmalloc_*", "kmem_cache_alloc*",
	/* mm/mempool.c, mm/dmapool.c, drivers/base/devres.c */
	"mempool_alloc*", "mempool_kmalloc", "dma_pool_alloc", "devm_k*", "__devres_alloc_node", "devres_alloc*",
	/* net/core/skbuff.c, net/core/sock.c */
	"__alloc_skb", "alloc_skb_*", "__netdev_alloc_skb*", "__napi_alloc_skb*", "napi_alloc_skb*",
	"kmalloc_reserve", "skb_clone", "skb_copy", "__pskb_copy_fclone", "pskb_expand_head",
	"sock_alloc_send_*", "sock_kmalloc", "sock_wmalloc", "sk_prot_alloc", "sk_alloc",
	/* fs/inode.c, fs/dcache.c, fs/file_table.c: constructors of every file system */
	"alloc_inode", "*_alloc_inode", "new_inode*", "iget_locked", "iget5_locked*",
	"security_inode_alloc", "lsm_inode_alloc", "inode_init_always*", "__d_alloc", "d_alloc*",
	"alloc_empty_file*", "__alloc_file", "alloc_file*", "security_file_alloc",
	/* fs/seq_file.c, fs/kernfs/dir.c, lib/xarray.c, lib/radix-tree.c, lib/maple_tree.c */
	"seq_open", "single_open*", "__kernfs_new_node", "kernfs_new_node", "xas_alloc",
	"xas_nomem", "radix_tree_node_alloc*", "mas_alloc_nodes",
	/* block/bio.c, kernel/cred.c */
	"bio_alloc*", "bvec_alloc", "prepare_creds", "security_prepare_creds",
};

static bool matches(const char *name, const char *pattern)
{
	size_t n = strlen(pattern), len = strlen(name);

	if (*pattern == '*')
		return len >= n - 1 && !strcmp(name + len - (n - 1), pattern + 1);
	if (pattern[n - 1] == '*')
		return !strncmp(name, pattern, n - 1);
	return !strcmp(name, pattern);
}

bool lt_is_wrapper(const char *function)
{
	/* The compiler's copies: "kmemdup.part.0". */
	char name[64];
	size_t len = strcspn(function, ".");

	if (len >= sizeof(name))
		return false;
	memcpy(name, function, len);
	name[len] = 0;
	for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++) {
		if (matches(name, wrappers[i]))
			return true;
	}
	return false;
}

bool lt_in_wrapper(const struct lt_trace *t, uint64_t addr)
{
	const char *module;
	uint64_t offset;
	const char *function = lt_trace_function(t, addr, &offset, &module);

	return function && lt_is_wrapper(function);
}
