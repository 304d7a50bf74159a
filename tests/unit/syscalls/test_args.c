// SPDX-License-Identifier: GPL-2.0
/* Arguments of system calls as text, as tables: a row is a call. */
#include "syscalls/args.h"
#include "syscalls/texts.h"
#include "syscalls/types.h"
#include "base/mem.h"
#include "testlib.h"

static const char *text(const char *machine, const char *name, unsigned int n, const uint64_t *args,
			enum lt_syscall_args how, char *buf)
{
	struct lt_syscall call = { .abi = lt_abi_of(machine, false), .n_args = n };

	while (!lt_syscall_name(call.abi, call.nr) ||
	       strcmp(lt_syscall_name(call.abi, call.nr), name))
		assert_true(++call.nr < 1000);
	memcpy(call.args, args, sizeof(call.args));
	return lt_syscall_args_text(&call, how, buf);
}

static void test_texts(void **state)
{
	static const struct {
		const char *machine, *name;
		unsigned int n;
		uint64_t args[LT_SYSCALL_MAX_ARGS];
		const char *text;
	} rows[] = {
		{ "x86_64", "read", 3, { 3, 0x1000, 64 }, "3, 0x1000, 64" },
		{ "x86_64", "getpid", 0, { 0 }, "" },
		{ "x86_64", "close", 1, { UINT64_MAX }, "-1" },
		{ "x86_64", "openat", 4, { 0xffffff9c, 0x10, 02000000 }, "AT_FDCWD, 0x10, O_RDONLY|O_CLOEXEC" },
		{ "x86_64", "openat", 4, { 5, 0x10, 0102, 0644 }, "5, 0x10, O_RDWR|O_CREAT, 0644" },
		{ "x86_64", "openat", 4, { 5, 0, 020200001, 0600 }, "5, NULL, O_WRONLY|O_TMPFILE, 0600" },
		{ "x86_64", "open", 3, { 0x10, 0200000, 7 }, "0x10, O_RDONLY|O_DIRECTORY" },
		{ "aarch64", "openat", 4, { 5, 0x10, 040000, 7 }, "5, 0x10, O_RDONLY|O_DIRECTORY" },
		{ "x86_64", "mmap", 6, { 0, 4096, 3, 0x22, UINT64_MAX, 0 },
		  "NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0" },
		{ "x86_64", "mprotect", 3, { 0x1000, 4096, 0 }, "0x1000, 4096, PROT_NONE" },
		{ "x86_64", "mprotect", 3, { 0x1000, 4096, 0x80 }, "0x1000, 4096, 0x80" },
		{ "x86_64", "access", 2, { 0x10, 0 }, "0x10, F_OK" },
		{ "x86_64", "access", 2, { 0x10, 5 }, "0x10, R_OK|X_OK" },
		{ "x86_64", "kill", 2, { 17, 15 }, "17, SIGTERM" },
		{ "x86_64", "kill", 2, { (uint64_t)-17, 99 }, "-17, 99" },
		{ "x86_64", "clone", 5, { 0x1200011, 0, 0, 8, 0 },
		  "SIGCHLD|CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID, NULL, NULL, 0x8, NULL" },
		{ "x86_64", "futex", 6, { 0x10, 0x80, 2, 0, 0, 0 },
		  "0x10, FUTEX_WAIT|FUTEX_PRIVATE_FLAG, 2, NULL, NULL, 0" },
		{ "x86_64", "socket", 3, { 1, 02000001, 0 }, "AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0" },
		{ "x86_64", "wait4", 4, { UINT64_MAX, 0, 1, 0 }, "-1, NULL, WNOHANG, NULL" },
		{ "x86_64", "lseek", 3, { 3, (uint64_t)-10, 2 }, "3, -10, SEEK_END" },
		{ "x86_64", "unshare", 1, { 0x20000000 }, "CLONE_NEWPID" },
		{ "x86_64", "mincore", 3, { 0, 0, 0 }, "NULL, 0, NULL" },
		{ "x86_64", "lookup_dcookie", 3, { 1, 65536, 2 }, "1, 0x10000, 2" },
	};
	char buf[LT_SYSCALL_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(text(rows[i].machine, rows[i].name, rows[i].n, rows[i].args,
					 LT_SYSCALL_ARGS_NAMED, buf), rows[i].text);
}

/* An address of a socket, a text: as strace writes them. */
static void test_pointed(void **state)
{
	static const struct {
		bool address, big;
		uint8_t flags, size;
		const char *bytes, *text;
	} rows[] = {
		{ false, false, 0, 0, "", "\"\"" },
		{ false, false, LT_SYS_TEXT_CUT, 3, "abc", "\"abc\"..." },
		{ false, false, LT_SYS_TEXT_FAULT, 3, "abc", "0x1000" },
		{ false, false, LT_SYS_TEXT_LATE, 3, "abc", "\"abc\" [read at the return]" },
		{ false, false, LT_SYS_TEXT_LATE | LT_SYS_TEXT_CUT, 3, "abc",
		  "\"abc\"... [read at the return]" },
		{ false, false, LT_SYS_TEXT_LATE | LT_SYS_TEXT_FAULT, 3, "abc", "0x1000" },
		{ false, false, 0, 9, "\"\\\n\t\1\1" "7\377z", "\"\\\"\\\\\\n\\t\\1\\0017\\377z\"" },
		{ true, false, 0, 1, "\1", "0x1000" },
		{ true, false, LT_SYS_TEXT_FAULT, 2, "\1\0", "0x1000" },
		{ true, false, 0, 2, "\1\0", "{sa_family=AF_UNIX}" },
		{ true, false, LT_SYS_TEXT_LATE, 2, "\1\0", "{sa_family=AF_UNIX} [read at the return]" },
		{ true, true, 0, 6, "\0\1/s\0x", "{sa_family=AF_UNIX, sun_path=\"/s\"}" },
		{ true, false, 0, 6, "\1\0\0s\0t", "{sa_family=AF_UNIX, sun_path=@\"s\\0t\"}" },
		{ true, false, LT_SYS_TEXT_CUT, 4, "\1\0/s", "{sa_family=AF_UNIX, sun_path=\"/s\", ...}" },
		{ true, true, 0, 16, "\0\2\0\120\177\0\0\1\0\0\0\0\0\0\0\0",
		  "{sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"127.0.0.1\")}" },
		{ true, false, 0, 28, "\12\0\1\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\2\0\0\0",
		  "{sa_family=AF_INET6, sin6_port=htons(256), sin6_flowinfo=htonl(1), "
		  "inet_pton(AF_INET6, \"::1\", &sin6_addr), sin6_scope_id=2}" },
		{ true, false, 0, 12, "\20\0\0\0\1\0\0\0\377\0\0\0",
		  "{sa_family=AF_NETLINK, nl_pid=1, nl_groups=0x0000ff}" },
		{ true, false, 0, 4, "\2\0\1\2", "{sa_family=AF_INET, sa_data=\"\\1\\2\"}" },
		{ true, false, 0, 3, "\143\0x", "{sa_family=0x63, sa_data=\"x\"}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lt_syscall_text t = {
			.arg = 1, .address = rows[i].address, .big = rows[i].big, .flags = rows[i].flags,
			.size = rows[i].size,
		};
		struct lt_syscall call = {
			.abi = lt_abi_of("x86_64", false), .nr = rows[i].address ? 42 : 257, .n_args = 2,
			.args = { 3, 0x1000 }, .texts = &t, .n_texts = 1,
		};
		char buf[LT_SYSCALL_TEXT], *expected = lt_format("3, %s", rows[i].text);

		memcpy(t.bytes, rows[i].bytes, t.size);
		assert_string_equal(lt_syscall_args_text(&call, LT_SYSCALL_ARGS_NAMED, buf),
				    expected);
		/* The address is a secret, what was to be recorded from there is none. */
		assert_string_equal(lt_syscall_args_text(&call, LT_SYSCALL_ARGS_HIDDEN, buf),
				    strncmp(rows[i].text, "0x", 2) ? expected : "3, address");
		assert_string_equal(lt_syscall_args_text(&call, LT_SYSCALL_ARGS_RAW, buf),
				    "0x3, 0x1000");
		free(expected);
	}
}

/* The longest texts there can be fit. */
static void test_longest(void **state)
{
	struct lt_syscall_text texts[6];
	struct lt_syscall call = { .abi = lt_abi_of("x86_64", false), .nr = 165, .n_args = 5,
		.texts = texts, .n_texts = 6 };
	char buf[LT_SYSCALL_TEXT], small[8];

	(void)state;
	for (unsigned int i = 0; i < 6; i++) {
		texts[i] = (struct lt_syscall_text){ .arg = (uint8_t)i, .size = 255 };
		memset(texts[i].bytes, 0xfe, 255);
		call.args[i] = 1;
	}
	lt_syscall_args_text(&call, LT_SYSCALL_ARGS_NAMED, buf);
	assert_string_equal(buf + strlen(buf) - 5, "\\376\"");
	assert_int_equal(lt_syscall_put_text(&call, 0, small, sizeof(small)), 7);
	assert_string_equal(small, "\"\\376\\3");
}

/* No number that may be an address is left; all others are. */
static void test_hidden(void **state)
{
	static const struct {
		const char *name;
		unsigned int n;
		uint64_t args[LT_SYSCALL_MAX_ARGS];
		const char *text;
	} rows[] = {
		{ "read", 3, { 3, 0x7ffc00001000, 70000 }, "3, address, 70000" },
		{ "mmap", 6, { 0, 1 << 20, 3, 0x22, UINT64_MAX, 0 },
		  "NULL, 1048576, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0" },
		{ "read", 3, { 3, 0x1000, 64 }, "3, address, 64" },
		/* What these numbers are depends on the others. */
		{ "ioctl", 3, { 0, 0x5401, 0x7ffc00001000 }, "0, 0x5401, address" },
		{ "fcntl", 3, { 0, 4, 0x800 }, "0, F_SETFL, 0x800" },
		/* Nothing is known of the arguments. */
		{ "lookup_dcookie", 3, { 1, 65535, 65536 }, "1, 65535, address" },
	};
	char buf[LT_SYSCALL_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(text("x86_64", rows[i].name, rows[i].n, rows[i].args,
					 LT_SYSCALL_ARGS_HIDDEN, buf), rows[i].text);
}

static void test_raw(void **state)
{
	const struct lt_syscall call = { .abi = lt_abi_of("x86_64", false), .n_args = 3,
				      .args = { UINT64_MAX, 0, 4096 } };
	char buf[LT_SYSCALL_TEXT];

	(void)state;
	assert_string_equal(lt_syscall_args_text(&call, LT_SYSCALL_ARGS_RAW, buf),
			    "0xffffffffffffffff, 0, 0x1000");
}

/* A call that no machine has, or that stands there twice, is a mistake. */
static void test_types(void **state)
{
	static const char *const machines[] = { "x86_64", "i686", "aarch64", "armv7l", "s390x", "ppc" };

	(void)state;
	assert_true(lt_n_syscall_types() > 200);
	for (size_t i = 0; i < lt_n_syscall_types(); i++) {
		bool found = false;

		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(lt_syscall_type_name(i), lt_syscall_type_name(j));
		for (size_t m = 0; m < sizeof(machines) / sizeof(machines[0]); m++) {
			const struct lt_abi *abi = lt_abi_of(machines[m], false);

			assert_non_null(abi);
			for (int32_t nr = 0; nr < 1000 && !found; nr++)
				found = lt_syscall_name(abi, nr) &&
					!strcmp(lt_syscall_name(abi, nr), lt_syscall_type_name(i));
		}
		if (!found)
			fail_msg("no machine has %s", lt_syscall_type_name(i));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_pointed),
		cmocka_unit_test(test_longest),
		cmocka_unit_test(test_raw), cmocka_unit_test(test_types),
	};

	return cmocka_run_group_tests_name("call arguments", tests, NULL, NULL);
}
