// SPDX-License-Identifier: GPL-2.0
/*
 * The doctor, on machines that consist of a few files below a directory.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "base/text.h"
#include "testlib.h"

#define MODULE	"sys/kernel/debug/lifetrace/"
#define PARAMS	"sys/module/lifetrace/parameters/"
#define KO	"lib/modules/6.1.0-test/updates/dkms/lifetrace.ko"

static char root[512];

static void put(const char *name, const char *text)
{
	test_put(root, name, text, strlen(text));
}

static void drop(const char *name)
{
	char command[1200];

	snprintf(command, sizeof(command), "rm -rf '%s/%s'", root, name);
	assert_int_equal(system(command), 0);
}

/* A machine without a problem. */
static int healthy(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "%s", test_path("root"));
	assert_int_equal(chdir("/"), 0);
	drop("");
	assert_int_equal(mkdir(root, 0700), 0);
	put("proc/sys/kernel/osrelease", "6.1.0-test\n");
	put("proc/sys/kernel/ftrace_enabled", "1\n");
	put("proc/sys/kernel/kptr_restrict", "1\n");
	put("proc/sys/kernel/modules_disabled", "0\n");
	put("proc/modules", "");
	put("proc/mounts", "debugfs /sys/kernel/debug debugfs rw 0 0\n");
	put("proc/filesystems", "nodev\tdebugfs\n");
	put("proc/kallsyms", "0000000000000000 A zero\nffffffff81000000 T _text\n");
	put("proc/meminfo", "MemTotal: 9 kB\nMemAvailable:    1048576 kB\n");
	put("boot/config-6.1.0-test", "CONFIG_RELAY=y\nCONFIG_DEBUG_FS=y\nCONFIG_KPROBES=y\n"
	    "CONFIG_TRACEPOINTS=y\nCONFIG_FUNCTION_TRACER=y\n");
	put("sys/devices/system/cpu/online", "0-2,5\n");
	put("sys/module/lifetrace/initstate", "live\n");
	put(PARAMS "subbuf_size", "262144\n");
	put(PARAMS "n_subbufs", "32\n");
	put(PARAMS "clock", "mono\n");
	put(MODULE "abi_version", "1.0\n");
	put(MODULE "stats", "state idle\ncpu 0 packets 0\n");
	put(MODULE "events", "kfree\ttracepoint\tnot watched\tnot recording\n"
	    "page_free\ttracepoint\tnot watched\tnot asked for\n");
	/* The current directory may have a module of this project. */
	return chdir(root);
}

/* The output of the doctor, valid until the next call, and the number of problems. */
static const char *examine(uid_t uid, unsigned int *problems)
{
	static char *text;
	const char *path = test_path("said");
	FILE *f = fopen(path, "w");
	struct lt_doctor d;
	struct lt_out out;

	assert_non_null(f);
	out = (struct lt_out)LT_OUT_INIT(fileno(f));
	lt_doctor_init(&d, &out, root, NULL);
	d.uid = uid;
	lt_doctor_run(&d);
	assert_int_equal(lt_out_close(&out), 0);
	fclose(f);
	free(text);
	text = lt_read_text_file(path, 1 << 20, NULL);
	assert_non_null(text);
	*problems = d.problems;
	return text;
}

/* Expects exactly one line that contains @what, at level @level. */
static void expect(const char *level, const char *what)
{
	unsigned int problems, found = 0;
	const char *said = examine(0, &problems), *line;
	size_t len;

	for (const char *pos = said; lt_line(&pos, &line, &len);) {
		if (!memmem(line, len, what, strlen(what)))
			continue;
		found++;
		if (strncmp(line, level, strlen(level)))
			found += 1000;
	}
	if (found != 1)
		fail_msg("expected one '%s' with '%s', found:\n%s", level, what, said);
	if (problems != !strcmp(level, "PROBLEM"))
		fail_msg("%u problems:\n%s", problems, said);
}

static void test_healthy(void **state)
{
	unsigned int problems;
	const char *said = examine(0, &problems);

	(void)state;
	assert_int_equal(problems, 0);
	assert_null(strstr(said, "note "));
	expect("ok", "module: loaded");
	expect("ok", "events: 2 of 2");
	expect("ok", "32.0 MiB of buffers (262144 bytes x 32 x 4 CPUs), 1.0 GiB");
	said = examine(1000, &problems);
	assert_int_equal(problems, 1);
	assert_non_null(strstr(said, "PROBLEM  user: "));
}

static void test_kernel(void **state)
{
	(void)state;
	put("boot/config-6.1.0-test", "CONFIG_RELAY=m\nCONFIG_DEBUG_FS=y\nCONFIG_KPROBES=n\n"
	    "CONFIG_TRACEPOINTS=y\nCONFIG_FUNCTION_TRACER_X=y\n");
	expect("note", "CONFIG_KPROBES");
	expect("note", "CONFIG_FUNCTION_TRACER");
	put("boot/config-6.1.0-test", "# CONFIG_RELAY is not set\nCONFIG_DEBUG_FS=y\n"
	    "CONFIG_TRACEPOINTS=y\n");
	expect("PROBLEM", "CONFIG_RELAY");
	drop("boot");
	expect("note", "not checked");
	put("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	expect("ok", "lockdown: none");
	/* Without the device, which a module of this release has. */
	put("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	expect("PROBLEM", "a module without /dev/lifetrace is older than this tool");
	put("sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	expect("PROBLEM", "locked down (confidentiality)");
	drop("sys/kernel/security");
	put("proc/sys/kernel/ftrace_enabled", "0\n");
	expect("note", "kernel.ftrace_enabled=1");
	put("proc/kallsyms", "0000000000000000 T _text\n");
	put("proc/sys/kernel/kptr_restrict", "2\n");
	expect("note", "kernel.kptr_restrict=1");
}

static void test_session(void **state)
{
	(void)state;
	put(MODULE "abi_version", "1.7\n");
	expect("note", "version 1.7");
	put(MODULE "abi_version", "2.0\n");
	expect("PROBLEM", "version 2.0");
	put(MODULE "abi_version", "\x1b[2J\n");
	expect("PROBLEM", "expected a version like 1.0 in abi_version, found '\\x1b[2J");
	put(MODULE "abi_version", "1.0\n");
	put(MODULE "events", "kfree\ttracepoint\tnot watched\tnot recording\n"
	    "rcu_free\tfunction\tnot watched\tthis kernel has no such function\nrubbish\n\t\n");
	expect("note", "rcu_free could not be watched");
	put(MODULE "events", "");
	expect("PROBLEM", "no event can be watched");
	put(MODULE "events", "kfree\ttracepoint\twatched\t-\n");
	put(MODULE "stats", "state recording\n");
	expect("note", "without an owner");
	expect("ok", "the session has its buffers");
}

static void test_parameters(void **state)
{
	(void)state;
	put("proc/meminfo", "MemAvailable: 65535 kB\n");
	expect("PROBLEM", "more than half of the available 64.0 MiB: lifetrace record "
	       "--n-subbufs=31");
	put("proc/meminfo", "MemAvailable: 0 kB\n");
	expect("PROBLEM", "a smaller --subbuf-size");
	put("proc/meminfo", "nonsense");
	expect("note", "/proc/meminfo");
	put(PARAMS "subbuf_size", "4095\n");
	expect("PROBLEM", "are not possible");
	put(PARAMS "subbuf_size", "4294967295\n");
	expect("PROBLEM", "are not possible");
	put(PARAMS "subbuf_size", "4096\n");
	put(PARAMS "clock", "sundial\n");
	expect("PROBLEM", "'sundial'");
	put(PARAMS "clock", "counter\n");
	expect("ok", "clock: counter");
	put("sys/devices/system/clocksource/clocksource0/available_clocksource", "hpet acpi_pm\n");
	expect("PROBLEM", "counters do not agree");
	put(PARAMS "clock", "auto\n");
	expect("ok", "clock: auto, which is mono here");
}

static void test_files(void **state)
{
	(void)state;
	put("sys/module/lifetrace/initstate", "coming\n");
	expect("PROBLEM", "'coming'");
	put("sys/module/lifetrace/initstate", "live\n");
	drop(MODULE);
	expect("PROBLEM", "does not exist, though the module is loaded");
	put("proc/mounts", "tmpfs /sys/kernel/debugger tmpfs rw 0 0\n");
	expect("PROBLEM", "mount -t debugfs");
	put("proc/filesystems", "nodev\tproc\n");
	expect("PROBLEM", "debugfs=off");
}

/* ------------------------------------------------------------------------
 * The module's file
 */

static void set(uint8_t *p, unsigned int bytes, uint64_t v, bool big)
{
	for (unsigned int i = 0; i < bytes; i++)
		p[big ? bytes - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

#define ELF_SIZE	1024

/* An ELF file with an empty section, .modinfo, and the names of sections. */
static void make_elf(uint8_t *elf, bool wide, bool big, const char *vermagic)
{
	static const char names[] = "\0.modinfo\0.shstrtab";
	unsigned int each = wide ? 64 : 40, word = wide ? 8 : 4;
	uint8_t *table = elf + 512;
	size_t len;

	memset(elf, 0, ELF_SIZE);
	memcpy(elf, "\177ELF", 4);
	elf[4] = wide ? 2 : 1;
	elf[5] = big ? 2 : 1;
	set(elf + (wide ? 0x28 : 0x20), word, 512, big);
	set(elf + (wide ? 0x3a : 0x2e), 2, each, big);
	set(elf + (wide ? 0x3c : 0x30), 2, 3, big);
	set(elf + (wide ? 0x3e : 0x32), 2, 2, big);
	memcpy(elf + 64, names, sizeof(names));
	memcpy(elf + 128, "vermagicx=no\0", 13);
	len = (size_t)snprintf((char *)elf + 141, 200, "vermagic=%s", vermagic) + 13;
	for (unsigned int i = 1; i <= 2; i++) {
		uint8_t *s = table + (size_t)i * each;

		set(s, 4, i == 1 ? 1 : 10, big);
		set(s + (wide ? 0x18 : 0x10), word, i == 1 ? 128 : 64, big);
		set(s + (wide ? 0x20 : 0x14), word, i == 1 ? len : sizeof(names), big);
	}
}

static void test_modinfo(void **state)
{
	uint8_t elf[ELF_SIZE];
	char value[64];

	(void)state;
	for (int i = 0; i < 4; i++) {
		make_elf(elf, i & 1, i & 2, "6.1.0-test SMP ");
		assert_true(lt_modinfo(elf, sizeof(elf), "vermagic", value, sizeof(value)));
		assert_string_equal(value, "6.1.0-test SMP ");
		assert_true(lt_modinfo(elf, sizeof(elf), "vermagic", value, 4));
		assert_string_equal(value, "6.1");
		assert_false(lt_modinfo(elf, sizeof(elf), "license", value, sizeof(value)));
	}
}

/* Files cut at every length, and with every byte changed: nothing outside is read. */
static void test_modinfo_hostile(void **state)
{
	static const uint8_t bytes[] = { 0x00, 0x7f, 0xff };
	char value[64];

	(void)state;
	for (int i = 0; i < 4; i++) {
		uint8_t elf[ELF_SIZE];

		make_elf(elf, i & 1, i & 2, "6.1.0-test SMP ");
		for (size_t n = 0; n < sizeof(elf); n++) {
			uint8_t *copy = malloc(n + !n);

			memcpy(copy, elf, n);
			lt_modinfo(copy, n, "vermagic", value, sizeof(value));
			free(copy);
		}
		for (size_t n = 0; n < sizeof(elf) * sizeof(bytes); n++) {
			uint8_t *copy = malloc(sizeof(elf));

			memcpy(copy, elf, sizeof(elf));
			copy[n / sizeof(bytes)] = bytes[n % sizeof(bytes)];
			lt_modinfo(copy, sizeof(elf), "vermagic", value, sizeof(value));
			free(copy);
		}
	}
}

static void put_ko(const char *vermagic)
{
	uint8_t elf[ELF_SIZE];

	make_elf(elf, true, false, vermagic);
	test_put(root, KO, elf, sizeof(elf));
}

static void expect_said(const char *what, unsigned int problems)
{
	unsigned int found;
	const char *said = examine(0, &found);

	if (!strstr(said, what) || found != problems)
		fail_msg("expected '%s' and %u problems, found %u:\n%s", what, problems, found,
			 said);
}

static void test_not_loaded(void **state)
{
	(void)state;
	drop("sys/module/lifetrace");
	drop(MODULE);
	expect_said("not loaded, and there is no module file, neither", 2);
	put("lib/modules/6.1.0-test/build/Makefile", "");
	expect_said("ok       headers", 1);
	put_ko("6.1.0-test SMP modversions ");
	expect_said("ok       module file", 1);
	expect_said("PROBLEM  module: not loaded: sudo modprobe lifetrace", 1);
	put_ko("6.1.0-tes SMP modversions ");
	expect_said("note     module file", 1);
	put_ko("6.1.0-test2 SMP ");
	expect_said("PROBLEM  module file", 2);
	put(KO, "\177ELF");
	expect_said("is not a kernel module", 2);
	put(KO ".xz", "");
	expect_said("is compressed", 2);
	drop(KO);
	expect_said("sudo modprobe lifetrace", 1);
	drop(KO ".xz");
	put_ko("6.1.0-test SMP ");
	put("sys/module/module/parameters/sig_enforce", "Y\n");
	test_put(root, "sys/firmware/efi/efivars/SecureBoot-8be4", "\6\0\0\0\1", 5);
	expect_said("signed modules only (Secure Boot is on): sign ", 2);
	put("proc/sys/kernel/modules_disabled", "1\n");
	expect_said("kernel.modules_disabled=1", 3);
	drop("proc/modules");
	expect_said("takes no modules (CONFIG_MODULES)", 1);
}

#define TEST(name)	cmocka_unit_test_setup(name, healthy)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_healthy),
		TEST(test_kernel),
		TEST(test_session),
		TEST(test_parameters),
		TEST(test_files),
		TEST(test_modinfo),
		TEST(test_modinfo_hostile),
		TEST(test_not_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
