// SPDX-License-Identifier: GPL-2.0
/*
 * Debug files from servers, by libdebuginfod of elfutils. Its functions are declared here, since
 * its header is in a package of its own.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lines/find.h"

#ifdef LT_HAVE_LIBDW

#include <dlfcn.h>

#define LIBRARY	"libdebuginfod.so.1"

typedef void *begin_fn(void);
typedef int find_fn(void *client, const unsigned char *build_id, int build_id_len, char **path);
typedef void end_fn(void *client);

static bool function(void *handle, const char *name, void *to, size_t size)
{
	void *symbol = dlsym(handle, name);

	if (symbol)
		memcpy(to, &symbol, size);
	return symbol;
}

char *lt_debuginfod_find(const char *id)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char *path = NULL;
	begin_fn *begin;
	find_fn *find;
	end_fn *end;
	void *handle;
	int fd = -1;

	if (!urls || !*urls || !*id)
		return NULL;
	handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return NULL;
	if (function(handle, "debuginfod_begin", &begin, sizeof(begin)) &&
	    function(handle, "debuginfod_find_debuginfo", &find, sizeof(find)) &&
	    function(handle, "debuginfod_end", &end, sizeof(end))) {
		void *client = begin();

		/* A length of 0: the build id is a text. */
		if (client)
			fd = find(client, (const unsigned char *)id, 0, &path);
		if (client)
			end(client);
	}
	/* It stays loaded: libcurl, which it uses, may have begun threads. */
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
