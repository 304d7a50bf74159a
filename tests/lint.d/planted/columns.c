// SPDX-License-Identifier: GPL-2.0
/*
 * A second list of columns.
 */
static const char *const names[] = {
	"kind", "address", "cache", "bytes_req", "bytes_alloc", "gfp", "node", "birth_ns", "death_ns",
};
