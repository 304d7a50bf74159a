// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names of system calls and of errors.
 *
 * The numbers of errors are those of this program's machine. They are the same on all machines
 * that are supported, but for EDEADLOCK on PowerPC.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "uapi/syscall/aarch64.h"
#include "uapi/syscall/arm.h"
#include "uapi/syscall/i386.h"
#include "uapi/syscall/ppc.h"
#include "uapi/syscall/s390x.h"
#include "uapi/syscall/x86_64.h"
#include "base/text.h"
#include "syscalls/names.h"
#include "syscalls/uring_names.h"
#include "syscalls/x32_names.h"

#define NAME(nr, name, args)	[nr] = #name,
static const char *const names_x86_64[] = { LT_SYSCALLS_X86_64(NAME) };
static const char *const names_i386[] = { LT_SYSCALLS_I386(NAME) };
static const char *const names_aarch64[] = { LT_SYSCALLS_AARCH64(NAME) };
static const char *const names_arm[] = { LT_SYSCALLS_ARM(NAME) };
static const char *const names_s390x[] = { LT_SYSCALLS_S390X(NAME) };
static const char *const names_ppc[] = { LT_SYSCALLS_PPC(NAME) };
#undef NAME

/* Calls whose arguments are gone when they return: what the tables mark says nothing here. */
#define LT_BEGINS	0
#define N_ARGS(nr, name, args)	[nr] = (args) + 1,
static const uint8_t args_x86_64[] = { LT_SYSCALLS_X86_64(N_ARGS) };
static const uint8_t args_i386[] = { LT_SYSCALLS_I386(N_ARGS) };
static const uint8_t args_aarch64[] = { LT_SYSCALLS_AARCH64(N_ARGS) };
static const uint8_t args_arm[] = { LT_SYSCALLS_ARM(N_ARGS) };
static const uint8_t args_s390x[] = { LT_SYSCALLS_S390X(N_ARGS) };
static const uint8_t args_ppc[] = { LT_SYSCALLS_PPC(N_ARGS) };
#undef N_ARGS

#define OP_NAME(opcode, name)	[opcode] = "IORING_OP_" #name,
#define OP_ARGS(opcode, name)	[opcode] = 2,	/* user_data */
static const char *const names_io_uring[] = { LT_URING_OPCODES(OP_NAME) };
static const uint8_t args_io_uring[] = { LT_URING_OPCODES(OP_ARGS) };

struct lt_abi {
	const char *name;
	const char *const *names;
	const uint8_t *args;	/* and 1; 0: there is no such call */
	size_t n;
};

#define N_NAMES(abi)	(sizeof(names_##abi) / sizeof(names_##abi[0]))
#define ABI(abi)	{ #abi, names_##abi, args_##abi, N_NAMES(abi) }

static const struct lt_abi abis[] = {
	ABI(x86_64), ABI(i386), ABI(aarch64), ABI(arm), ABI(s390x), ABI(ppc),
};

static const struct lt_abi io_uring = ABI(io_uring);

#define X32_NAME(nr, name, args)	[(nr) - LT_X32_FIRST] = #name,
#define X32_ARGS(nr, name, args)	[(nr) - LT_X32_FIRST] = (args) + 1,
static const char *const names_x32[] = { LT_SYSCALLS_X32(X32_NAME) };
static const uint8_t args_x32[] = { LT_SYSCALLS_X32(X32_ARGS) };
static const struct lt_abi x32 = ABI(x32);

const struct lt_abi *lt_abi_of_requests(void)
{
	return &io_uring;
}

static const struct {
	const char *machine;	/* a prefix */
	const char *native;
	const char *compat;
} machines[] = {
	{ "x86_64", "x86_64", "i386" }, { "i386", "i386", NULL }, { "i486", "i386", NULL },
	{ "i586", "i386", NULL }, { "i686", "i386", NULL }, { "aarch64", "aarch64", "arm" },
	{ "arm", "arm", NULL }, { "s390x", "s390x", NULL }, { "ppc64", NULL, NULL },
	{ "ppc", "ppc", NULL },
};

const struct lt_abi *lt_abi_of(const char *machine, bool compat)
{
	const char *name = NULL;

	for (size_t i = 0; machine && i < sizeof(machines) / sizeof(machines[0]); i++) {
		if (strncmp(machine, machines[i].machine, strlen(machines[i].machine)))
			continue;
		name = compat ? machines[i].compat : machines[i].native;
		break;
	}
	for (size_t i = 0; name && i < sizeof(abis) / sizeof(abis[0]); i++) {
		if (!strcmp(abis[i].name, name))
			return &abis[i];
	}
	return NULL;
}

const char *lt_abi_name(const struct lt_abi *abi)
{
	return abi->name;
}

const struct lt_abi *lt_abi_of_syscall(const struct lt_abi *abi, int32_t nr)
{
	return abi == &abis[0] && nr >= 0 && nr & LT_X32_BIT ? &x32 : abi;
}

bool lt_abi_is_x32(const struct lt_abi *abi)
{
	return abi == &x32;
}

/*
 * The ABI that has the name of a call, and the call's place there: x32 has most calls of x86-64,
 * but not those for which it has its own. Return: NULL: the number has no name.
 */
static const struct lt_abi *place_of(const struct lt_abi *abi, int32_t nr, size_t *at)
{
	if (!abi || nr < 0)
		return NULL;
	*at = (size_t)nr;
	if (abi == &x32) {
		*at &= ~(size_t)LT_X32_BIT;
		if (*at >= LT_X32_FIRST)
			*at -= LT_X32_FIRST;
		else
			abi = &abis[0];
	}
	if (*at >= abi->n || !abi->names[*at])
		return NULL;
	for (size_t i = 0; abi == &abis[0] && nr & LT_X32_BIT && i < x32.n; i++) {
		if (!strcmp(x32.names[i], abi->names[*at]))
			return NULL;
	}
	return abi;
}

const char *lt_syscall_name(const struct lt_abi *abi, int32_t nr)
{
	size_t at;

	abi = place_of(abi, nr, &at);
	return abi ? abi->names[at] : NULL;
}

const char *lt_syscall_label(const struct lt_abi *abi, int32_t nr, char buf[LT_SYSCALL_LABEL])
{
	const char *name = lt_syscall_name(abi, nr);

	if (name)
		return name;
	/* The opcode of a request stands in its submission. */
	if (abi == &io_uring && nr < 0)
		return "IORING_OP_?";
	snprintf(buf, LT_SYSCALL_LABEL, "%s%" PRId32, abi == &io_uring ? "IORING_OP_" : "call_",
		 nr);
	return buf;
}

bool lt_syscall_is_number(const char *word, int32_t *nr)
{
	static const char *const labels[] = { "call_", "IORING_OP_" };
	uint64_t v, least = 0;

	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		if (strncmp(word, labels[i], strlen(labels[i])))
			continue;
		word += strlen(labels[i]);
		least = LT_ABOVE_NAMES;
	}
	/* That of a call that was cancelled. */
	if (!strcmp(word, "-1")) {
		*nr = -1;
		return true;
	}
	if (!lt_number(word, 10, &v) || v < least || v > INT32_MAX)
		return false;
	*nr = (int32_t)v;
	return true;
}

unsigned int lt_syscall_n_args(const struct lt_abi *abi, int32_t nr)
{
	size_t at;

	abi = place_of(abi, nr, &at);
	return abi ? abi->args[at] - 1U : LT_SYSCALL_MAX_ARGS;
}

/* Errors of the kernel alone. */
static const struct {
	unsigned int error;
	const char *name;
	const char *text;
} inner[] = {
	{ 512, "ERESTARTSYS", "To be restarted if SA_RESTART is set" },
	{ 513, "ERESTARTNOINTR", "To be restarted" },
	{ 514, "ERESTARTNOHAND", "To be restarted if no handler" },
	{ 516, "ERESTART_RESTARTBLOCK", "Interrupted by signal" },
};

const char *lt_error_name(unsigned int error)
{
	for (size_t i = 0; i < sizeof(inner) / sizeof(inner[0]); i++) {
		if (inner[i].error == error)
			return inner[i].name;
	}
	return error && error < 512 ? strerrorname_np((int)error) : NULL;
}

const char *lt_error_text(unsigned int error)
{
	for (size_t i = 0; i < sizeof(inner) / sizeof(inner[0]); i++) {
		if (inner[i].error == error)
			return inner[i].text;
	}
	return error && error < 512 ? strerrordesc_np((int)error) : NULL;
}
