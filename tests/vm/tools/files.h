/* SPDX-License-Identifier: GPL-2.0 */
/* Small files, of /proc and the like: what cannot be read or written ends the program. */
#ifndef FILES_H
#define FILES_H

/* Defined by each program: prints @what and errno, and ends it. */
_Noreturn void die(const char *what);

void write_text(const char *path, const char *text);
void write_number(const char *path, long n);
long read_number(const char *path);

#endif /* FILES_H */
