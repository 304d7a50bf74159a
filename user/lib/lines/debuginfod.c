// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Debug files from servers, by libdebuginfod of elfutils. Its functions are declared here, since
 * its header is in a package of its own.
 */
#include <stdlib.h>
#include <unistd.h>

#include "lines/find.h"

#ifdef LT_HAVE_LIBDW

#include "base/library.h"

struct functions {
	void *(*begin)(void);
	int (*find)(void *client, const unsigned char *build_id, int build_id_len, char **path);
	void (*end)(void *client);
};

char *lt_debuginfod_find(const char *id)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char *path = NULL;
	static const char *const names[] = {
		"debuginfod_begin", "debuginfod_find_debuginfo", "debuginfod_end",
	};
	/* It stays loaded: libcurl, which it uses, may have begun threads. */
	static const struct lt_library library = {
		.file = "libdebuginfod.so.1", .package = "libdebuginfod1", .names = names,
		.n = sizeof(names) / sizeof(names[0]),
	};
	struct functions f;
	struct lt_why why;
	void *client;
	int fd = -1;

	if (!urls || !*urls || !*id)
		return NULL;
	if (!lt_library_load(&library, &f, &why))
		return NULL;
	client = f.begin();
	if (client) {
		/* A length of 0: the build id is a text. */
		fd = f.find(client, (const unsigned char *)id, 0, &path);
		f.end(client);
	}
	if (fd < 0)
		return NULL;
	close(fd);
	return path;
}

#else /* LT_HAVE_LIBDW */

/* Nothing could read the file. */
char *lt_debuginfod_find(const char *id)
{
	(void)id;
	return NULL;
}

#endif /* LT_HAVE_LIBDW */
