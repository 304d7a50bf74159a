/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What libbpf says of a program that the kernel refuses, and the words in it that say why.
 */
#ifndef LT_BPF_WORDS_H
#define LT_BPF_WORDS_H

#include <stddef.h>

/**
 * struct lt_bpf_said - the end of all that was said
 * @n: its length
 * @text: zero-terminated; begins anywhere in a line when there was more
 *
 * The verifier's log may have megabytes: its end says what is wrong. From 7.x on a report of some
 * kilobytes is part of it.
 */
struct lt_bpf_said {
	size_t n;
	char text[1U << 16];
};

void lt_bpf_say(struct lt_bpf_said *s, const char *text, size_t n);

/**
 * lt_bpf_words() - the line of the verifier's log that says what is wrong
 * @said: what libbpf has printed
 * @words: result, without what EVENTS uses to separate columns and lines; "": there is no such line
 * @size: of @words
 */
void lt_bpf_words(const char *said, char *words, size_t size);

#endif /* LT_BPF_WORDS_H */
