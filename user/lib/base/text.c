// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parsing of text that is made of lines and words.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

bool lt_line(const char **pos, const char **line, size_t *len)
{
	const char *start = *pos;
	const char *end;

	if (!*start)
		return false;
	end = strchrnul(start, '\n');
	*line = start;
	*len = (size_t)(end - start);
	*pos = *end ? end + 1 : end;
	return true;
}

bool lt_line_text(const char **pos, char *buf, size_t size)
{
	const char *line;
	size_t len;

	if (!*pos || !lt_line(pos, &line, &len))
		return false;
	len = len < size ? len : size - 1;
	memcpy(buf, line, len);
	buf[len] = 0;
	return true;
}

bool lt_word(const char **line, size_t *len, char *word, size_t size)
{
	const char *p = *line;
	size_t n = 0;

	while (n < *len && p[n] != ' ' && p[n] != '\t')
		n++;
	if (!n || n >= size)
		return false;
	memcpy(word, p, n);
	word[n] = 0;
	if (n < *len)
		n++;
	*line += n;
	*len -= n;
	return true;
}

bool lt_number(const char *word, int base, uint64_t *value)
{
	char *end;

	/* strtoull() would accept spaces and signs, and turn -1 into a large number. */
	if (*word < '0' || *word > '9') {
		if (base != 16 || !((*word >= 'a' && *word <= 'f') ||
				    (*word >= 'A' && *word <= 'F')))
			return false;
	}
	errno = 0;
	*value = strtoull(word, &end, base);
	return !errno && !*end;
}

bool lt_pair(const char *line, size_t len, const char *key, uint64_t *value)
{
	size_t key_len = strlen(key);
	char word[64];

	while (len) {
		if (*line == ' ' || *line == '\t') {
			line++;
			len--;
			continue;
		}
		if (!lt_word(&line, &len, word, sizeof(word)))
			return false;
		if (!strncmp(word, key, key_len) && word[key_len] == '=')
			return lt_number(word + key_len + 1, 10, value);
	}
	return false;
}

bool lt_assigned(const char *line, size_t len, const char *key, uint64_t *value)
{
	size_t n = strlen(key);
	char word[64];

	if (len <= n + 1 || len - n - 1 >= sizeof(word) || memcmp(line, key, n) || line[n] != '=')
		return false;
	memcpy(word, line + n + 1, len - n - 1);
	word[len - n - 1] = 0;
	return lt_number(word, strncmp(word, "0x", 2) ? 10 : 16, value);
}

char *lt_read_text(int fd, size_t max, size_t *size)
{
	size_t cap = 4096, n = 0;
	char *buf = lt_alloc(cap + 1);
	ssize_t got;

	while ((got = read(fd, buf + n, cap - n)) > 0 || (got < 0 && errno == EINTR)) {
		if (got < 0)
			continue;
		n += (size_t)got;
		if (n < cap)
			continue;
		if (cap >= max) {
			errno = EFBIG;
			got = -1;
			break;
		}
		cap *= 2;
		buf = lt_realloc(buf, cap + 1);
	}
	if (got < 0) {
		int err = errno;

		free(buf);
		errno = err;
		return NULL;
	}
	buf[n] = 0;
	if (size)
		*size = n;
	return buf;
}

char *lt_read_text_file(const char *path, size_t max, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	char *text;

	if (fd < 0)
		return NULL;
	text = lt_read_text(fd, max, size);
	err = errno;
	close(fd);
	errno = err;
	return text;
}
