/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What `lifetrace send` and `lifetrace receive` say to each other, beside the trace itself.
 *
 * A sender that can go on after its connection broke begins with a greeting of LT_GREETING bytes:
 * the magic, a token of 16 hexadecimal digits by which the stream is known, in as many how many
 * bytes of it the receiver has said to have, and a newline. Then it waits for the receiver's first
 * line with a number, and sends the trace from that byte on. The receiver's lines:
 *
 *	wait		it reads what it has
 *	at N		the first N bytes of the trace are on the disk
 *	whole		all of it is, and has its name
 *	end REASON	it takes no more of this stream
 *
 * The greeting is no beginning of a trace, so a trace without one is taken as it comes, and gets no
 * answer.
 */
#ifndef LT_STREAM_WORDS_H
#define LT_STREAM_WORDS_H

#define LT_GREETING_MAGIC	"LIFESEND"
#define LT_TOKEN		16	/* digits */
#define LT_GREETING		(8 + 2 * LT_TOKEN + 1)
#define LT_ANSWER_MAX		256	/* bytes of a line of the receiver */

#endif /* LT_STREAM_WORDS_H */
