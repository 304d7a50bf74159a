// SPDX-License-Identifier: GPL-2.0
/*
 * usage: bpf-load NAME TIMES
 *
 * Loads a BPF program called NAME, prints its line of /proc/kallsyms, runs it TIMES times, and
 * ends, by which the program is unloaded. Each run allocates once below the program: it asks for
 * more room before a packet than there is.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HEAD	512	/* bytes */

static const struct bpf_insn code[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = HEAD },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = 0 },
	{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_skb_change_head },
	/* What it returned is what the program returns. */
	{ .code = BPF_JMP | BPF_EXIT },
};

static int die(const char *what)
{
	fprintf(stderr, "bpf-load: %s: %s\n", what, strerror(errno));
	return 1;
}

static int load(const char *name)
{
	static char log[4096];
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SCHED_CLS,
		.insns = (uintptr_t)code,
		.insn_cnt = sizeof(code) / sizeof(code[0]),
		.license = (uintptr_t)"GPL",
		.log_level = 1,
		.log_buf = (uintptr_t)log,
		.log_size = sizeof(log),
	};
	int fd;

	snprintf(attr.prog_name, sizeof(attr.prog_name), "%s", name);
	fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd < 0)
		fprintf(stderr, "%s", log);
	return fd;
}

static int show(const char *name)
{
	FILE *in = fopen("/proc/kallsyms", "r");
	char line[1024], end[64];
	int found = 0;

	if (!in)
		return -1;
	snprintf(end, sizeof(end), "_%s\t[bpf]", name);
	while (fgets(line, sizeof(line), in)) {
		if (!strstr(line, end))
			continue;
		fputs(line, stdout);
		found++;
	}
	fclose(in);
	errno = ENOENT;
	return found == 1 ? 0 : -1;
}

int main(int argc, char **argv)
{
	static uint8_t packet[64] = { [12] = 8 };
	union bpf_attr attr = { .test = { .data_in = (uintptr_t)packet,
					  .data_size_in = sizeof(packet), .repeat = 1 } };
	int fd;

	if (argc != 3)
		return 2;
	fd = load(argv[1]);
	if (fd < 0)
		return die("BPF_PROG_LOAD");
	if (show(argv[1]))
		return die("its line of /proc/kallsyms");
	attr.test.prog_fd = (uint32_t)fd;
	for (int i = atoi(argv[2]); i > 0; i--) {
		if (syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr)))
			return die("BPF_PROG_TEST_RUN");
		if (attr.test.retval) {
			errno = -(int)attr.test.retval;
			return die("bpf_skb_change_head");
		}
	}
	return 0;
}
