// SPDX-License-Identifier: GPL-2.0
/*
 * A second list of columns.
 */
static const char *const names[] = {
	"kind", "address", "cache", "bytes_req", "bytes_alloc", "gfp", "node", "birth_ns", "death_ns",
};

static const char *text = "tid,start_ns,tgid,kind,nr,generation,ino,kthread,io_worker,user_worker";

#define TABLE(C)					\
	C(address, "address", HEX, "where it is")	\
	C(cache, "cache", TEXT, "its cache")		\
	C(bytes_req, "bytes_req", BYTES, "asked for")	\
	C(bytes_alloc, "bytes_alloc", BYTES, "given")	\
	C(gfp, "gfp", TEXT, "flags")			\
	C(node, "node", COUNT, "of memory")		\
	C(birth, "birth_ns", INSTANT, "its birth")	\
	C(death, "death_ns", INSTANT, "its death")
