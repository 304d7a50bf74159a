/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lt_calls: functions of every kind of type, and a log of what each call was given and returned,
 * written by the functions themselves.
 */
#ifndef LT_CALLS_H
#define LT_CALLS_H

#include <linux/compiler.h>
#include <linux/types.h>

/* A function as its prototype says: no clone, nothing put into its caller, none left out. */
#define WHOLE	__attribute__((noipa))

/* main.c: a line of the log: function, context, thread, and this text. Context: any but NMI. */
__printf(2, 3) void notrace truth(const char *function, const char *format, ...);

#define TRUTH(format, ...)	truth(__func__, format, ##__VA_ARGS__)

/* A number that depends on each bit of three. */
static __always_inline u64 mixed(u64 a, u64 b, u64 c)
{
	u64 x = a * 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 29) ^ b) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 32) ^ c) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* types.c: calls all functions, with values that depend on n. Context: any */
void notrace call_types(u64 n);

/* contexts.c */
int contexts_init(void);
void contexts_exit(void);
void notrace call_contexts(u64 n);
void notrace call_deep(unsigned int depth, u64 n);
int notrace call_falling(unsigned int depth);
void notrace call_sleeping(unsigned int ms);
void notrace call_jumps(u64 n);
void notrace call_flood(unsigned int n);
void notrace call_init(u64 n);

/* kprobes.c */
int notrace call_in_kprobe(unsigned int n);
int notrace refuse_memory(unsigned int n);
void kprobes_exit(void);

#endif /* LT_CALLS_H */
