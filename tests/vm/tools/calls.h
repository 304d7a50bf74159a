/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the program `calls` share.
 */
#ifndef CALLS_H
#define CALLS_H

/* calls.c */
void die(const char *what);
void wake(int number);

/* calls-blocked.c */
int blocked(int n);

/* calls-killed.c */
int killed(void);

/* calls-strings.c */
int strings(void);

/* calls-stopped.c */
int stopped(const char *v1, const char *v2);

/* calls-dirty.c */
int dirty_calls(void);

/* calls-uring.c */
int uring(void);

#endif /* CALLS_H */
