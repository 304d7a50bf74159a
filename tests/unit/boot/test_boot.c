// SPDX-License-Identifier: GPL-2.0
/*
 * Recording of boots, on machines that consist of a few files below a directory.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "boot/boot.h"
#include "base/text.h"
#include "fetch/fetch.h"
#include "testlib.h"

#define HOOK	"etc/initramfs-tools/hooks/lifetrace"
#define SCRIPT	"etc/initramfs-tools/scripts/init-top/lifetrace"
#define SETUP	"usr/lib/dracut/modules.d/90lifetrace/module-setup.sh"
#define DRACUT_HOOK	"usr/lib/dracut/modules.d/90lifetrace/lifetrace.sh"
#define UNIT	"etc/systemd/system/lifetrace-boot.service"
#define WANTS	"etc/systemd/system/sysinit.target.wants/lifetrace-boot.service"
#define KERNEL	"lib/modules/6.1.0-test/"

#define RELEASE	"6.1.0-test"
#define CALLS	"lib/firmware/" RELEASE "/lifetrace-calls"
#define OLDER	"lib/firmware/6.0.0-test/lifetrace-calls"

static char root[512];
static void *calls;	/* what `enable` is given */
static size_t calls_size;

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

static const char *path_of(const char *name)
{
	static char path[1200];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

/* The permissions of a file, 0: it is not there. */
static unsigned int mode_of(const char *name)
{
	struct stat st;

	return lstat(path_of(name), &st) ? 0 : st.st_mode & 0777;
}

/* A Debian with both generators and the module. */
static int debian(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "%s", test_path("root"));
	drop("");
	assert_int_equal(mkdir(root, 0700), 0);
	put("usr/share/initramfs-tools/hook-functions", "");
	put("usr/lib/dracut/modules.d/90other/module-setup.sh", "");
	put("usr/lib/systemd/system/other.service", "");
	put(KERNEL "updates/dkms/lifetrace.ko.xz", "");
	put(KERNEL "modules.builtin", "kernel/drivers/base/other.ko\n");
	put(KERNEL "modules.dep", "kernel/fs/ext4/ext4.ko: kernel/fs/jbd2/jbd2.ko\n"
	    "kernel/fs/jbd2/jbd2.ko:\nupdates/dkms/lifetrace.ko.xz:\n");
	return 0;
}

enum action { ENABLE, DISABLE, STATUS };

/* Return: of the action; its lines are in @said, valid until the next call, errors in @error. */
static int act(enum action action, const char **said, const char **error)
{
	static char *text;
	const char *path = test_path("said");
	FILE *f = fopen(path, "w");
	struct lt_out out;
	struct lt_boot b = {
		.root = root, .program = "/usr/bin/lifetrace", .trace = "/var/lib/x/boot.lt",
		.seconds = 77, .out = &out, .calls = calls, .calls_size = calls_size,
		.release = RELEASE,
	};
	int err;

	assert_non_null(f);
	out = (struct lt_out)LT_OUT_INIT(fileno(f));
	test_stderr_begin();
	err = action == ENABLE ? lt_boot_enable(&b) : action == DISABLE ? lt_boot_disable(&b) :
	      lt_boot_status(&b);
	*error = test_stderr_end();
	assert_int_equal(lt_out_close(&out), 0);
	fclose(f);
	free(text);
	text = lt_read_text_file(test_path("said"), 1 << 20, NULL);
	*said = text;
	return err;
}

static void test_cycle(void **state)
{
	const char *said, *error;
	char *unit;

	(void)state;
	assert_int_equal(act(STATUS, &said, &error), false);
	assert_int_equal(act(ENABLE, &said, &error), 0);
	assert_string_equal(error, "");
	assert_non_null(strstr(said, "to do            update-initramfs -u -k all\n"));
	assert_int_equal(mode_of(HOOK), 0755);
	assert_int_equal(mode_of(SCRIPT), 0755);
	assert_int_equal(mode_of(SETUP), 0755);
	assert_int_equal(mode_of(UNIT), 0644);
	unit = lt_read_text_file(path_of(UNIT), 1 << 20, NULL);
	assert_non_null(unit);
	assert_non_null(strstr(unit, "\nExecStart=/usr/bin/lifetrace record -d 77 -o /var/lib/x/boot.lt\n"));
	assert_null(strchr(unit, '@'));
	/* For systemd a word with a value is a whole word. */
	assert_non_null(strstr(unit, "\nConditionKernelCommandLine=lifetrace.enable=1\n"));
	/* A unit that sysinit.target wants is started again whenever that is. */
	assert_non_null(strstr(unit, "\nRemainAfterExit=yes\n"));
	assert_non_null(strstr(unit, "\nConditionPathExists=!/run/lifetrace-boot\n"));
	assert_non_null(strstr(unit, "\nRuntimeDirectory=lifetrace-boot\n"));
	assert_non_null(strstr(unit, "\nRuntimeDirectoryPreserve=yes\n"));
	free(unit);
	assert_int_equal(act(STATUS, &said, &error), true);
	assert_non_null(strstr(said, "module           /lib/modules/6.1.0-test/updates/dkms/"
			       "lifetrace.ko.xz\n"));
	/* A second time replaces its own files. */
	assert_int_equal(act(ENABLE, &said, &error), 0);
	assert_int_equal(act(DISABLE, &said, &error), 0);
	assert_int_equal(mode_of(HOOK) + mode_of(SCRIPT) + mode_of(SETUP) + mode_of(UNIT) +
			 mode_of(WANTS), 0);
	assert_int_equal(act(STATUS, &said, &error), false);
	assert_int_equal(act(DISABLE, &said, &error), 0);
	assert_non_null(strstr(said, "nothing "));
	assert_null(strstr(said, "to do"));
}

/* Nothing at all is written to a machine for which it cannot be complete. */
static void refused(const char *why)
{
	const char *said, *error;

	assert_int_equal(act(ENABLE, &said, &error), -1);
	if (!strstr(error, why))
		fail_msg("expected '%s', found '%s'", why, error);
	assert_int_equal(mode_of(SCRIPT) + mode_of(UNIT) + mode_of(WANTS), 0);
}

static void test_refused(void **state)
{
	const char *said, *error;

	(void)state;
	put(HOOK, "#!/bin/sh\n# somebody's\n");
	refused("hooks/lifetrace: there is a file of another origin");
	assert_int_equal(act(DISABLE, &said, &error), 0);
	assert_non_null(strstr(said, "left             /etc/initramfs-tools/hooks/lifetrace\n"));
	assert_int_not_equal(mode_of(HOOK), 0);
	drop(HOOK);
	drop("lib/modules");
	refused("the module is installed for no kernel");
	put(KERNEL "updates/lifetrace.ko", "");
	put(KERNEL "modules.dep", "updates/lifetrace.ko:\n");
	drop("usr/lib/systemd");
	refused("there is no systemd here");
	put("usr/lib/systemd/system/other.service", "");
	drop("usr/share");
	drop("usr/lib/dracut");
	refused("neither initramfs-tools nor dracut");
	put("usr/lib/dracut/modules.d/90other/module-setup.sh", "");
	assert_int_equal(act(ENABLE, &said, &error), 0);
	assert_non_null(strstr(said, "to do            dracut --force --regenerate-all\n"));
	assert_int_equal(mode_of(HOOK), 0);
	assert_int_equal(act(STATUS, &said, &error), true);
}

/* The functions of a kernel, as compiled. */
static void *make_calls(size_t *size)
{
	struct lt_fetch_boot b = { .release = RELEASE, .build = "#1 SMP 2026" };
	struct lt_fetch_function fn = { .name = "f", .module = "", .prototype = (char *)"void f(void)" };
	struct lt_fetch_set set = { .functions = &fn, .n = 1, .n_taken = 1 };
	struct lt_why why;

	return lt_fetch_boot_make(&set, &b, size, &why);
}

static void test_calls(void **state)
{
	const char *said, *error;
	size_t size;
	char *file;

	(void)state;
	calls = make_calls(&calls_size);
	assert_non_null(calls);
	test_put(root, OLDER, calls, calls_size);
	put("lib/firmware/6.0.0-test/other.bin", "");
	assert_int_equal(act(ENABLE, &said, &error), 0);
	assert_string_equal(error, "");
	assert_int_equal(mode_of(CALLS), 0600);
	/* That of another kernel, of an earlier time, is not what was asked for. */
	assert_int_equal(mode_of(OLDER), 0);
	assert_int_not_equal(mode_of("lib/firmware/6.0.0-test/other.bin"), 0);
	file = lt_read_text_file(path_of(CALLS), 1 << 20, &size);
	assert_non_null(file);
	assert_int_equal(size, calls_size);
	assert_memory_equal(file, calls, size);
	free(file);
	assert_int_equal(act(STATUS, &said, &error), true);
	assert_non_null(strstr(said, "calls            /" CALLS ": 1 function\n"));
	put(CALLS, "CALB, and then nothing");
	assert_int_equal(act(STATUS, &said, &error), true);
	assert_non_null(strstr(said, "/" CALLS ": it is none: enable it again\n"));
	assert_int_equal(act(ENABLE, &said, &error), 0);
	/* Without functions the next boot has none. */
	free(calls);
	calls = NULL;
	assert_int_equal(act(ENABLE, &said, &error), 0);
	assert_int_equal(mode_of(CALLS), 0);
	assert_int_equal(mode_of("lib/firmware/" RELEASE), 0);
	assert_int_equal(mode_of(SCRIPT), 0755);
	put(CALLS, "somebody's");
	assert_int_equal(act(DISABLE, &said, &error), 0);
	assert_non_null(strstr(said, "left             /" CALLS "\n"));
	assert_int_not_equal(mode_of(CALLS), 0);
	calls = make_calls(&calls_size);
	refused(CALLS ": there is a file of another origin");
	drop(CALLS);
	assert_int_equal(act(ENABLE, &said, &error), 0);
	assert_int_equal(act(DISABLE, &said, &error), 0);
	assert_non_null(strstr(said, "removed          /" CALLS "\n"));
	assert_int_equal(mode_of(CALLS), 0);
	free(calls);
	calls = NULL;
}

/* Wherever depmod has found it, and only there. */
static void test_module(void **state)
{
	static const char *const others[] = {
		"kernel/a/lifetrace_kunit.ko:\n", "kernel/a/not-lifetrace.ko:\n",
		"kernel/a/a.ko: updates/dkms/lifetrace.ko.xz\n", "kernel/a/lifetrace.ko:\n", "",
	};
	const char *said, *error;

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		put(KERNEL "modules.dep", others[i]);
		refused("the module is installed for no kernel");
	}
	put(KERNEL "kernel/drivers/lifetrace/lifetrace.ko.zst", "");
	put(KERNEL "modules.dep", "kernel/drivers/lifetrace/lifetrace.ko.zst: kernel/a/a.ko");
	assert_int_equal(act(ENABLE, &said, &error), 0);
	assert_int_equal(act(STATUS, &said, &error), true);
	assert_non_null(strstr(said, "module           /lib/modules/6.1.0-test/kernel/drivers/lifetrace/"
			       "lifetrace.ko.zst\n"));
	drop("lib/modules");
	assert_int_equal(act(STATUS, &said, &error), false);
	assert_non_null(strstr(said, "module           is installed for no kernel\n"));
}

/* A kernel that it is a part of, beside one that has the file, and one that has neither. */
static void test_builtin(void **state)
{
	const char *said, *error;

	(void)state;
	drop(KERNEL "updates");
	refused("the module is installed for no kernel");
	put("lib/modules/6.2.0-whole/modules.builtin",
	    "kernel/lib/other.ko\nkernel/drivers/lifetrace/lifetrace.ko\n");
	assert_int_equal(act(ENABLE, &said, &error), 0);
	assert_string_equal(error, "");
	assert_int_equal(act(STATUS, &said, &error), true);
	assert_non_null(strstr(said, "module           is a part of the kernel of "
			       "/lib/modules/6.2.0-whole/\n"));
	assert_null(strstr(said, "6.1.0-test"));
	put(KERNEL "updates/dkms/lifetrace.ko.xz", "");
	assert_int_equal(act(STATUS, &said, &error), true);
	assert_non_null(strstr(said, "6.1.0-test/updates/dkms/lifetrace.ko.xz\n"));
}

/* ------------------------------------------------------------------------
 * What is installed, run with files of this machine, and programs of its own
 */

/* Return: what a script prints that runs in the root, valid until the next call. */
static const char *bash(const char *script)
{
	static char text[4096];
	char command[1200];
	size_t n;
	FILE *f;

	put("script", script);
	snprintf(command, sizeof(command), "cd '%s' && PATH=$PWD/bin:$PATH bash script 2>&1", root);
	f = popen(command, "r");
	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = 0;
	assert_int_equal(pclose(f), 0);
	return text;
}

static void put_program(const char *name, const char *text)
{
	put(name, text);
	assert_int_equal(chmod(path_of(name), 0755), 0);
}

/* Three kernels: a module, a part of the kernel that modinfo does not know of, and neither. */
static void put_kernels(void)
{
	const char *said, *error;

	put("usr/share/initramfs-tools/hook-functions", "manual_add_modules() { echo \"adds $*\"; }\n"
	    "copy_file() { echo \"copies $*\"; }\n");
	put("lib/modules/6.2.0-whole/modules.builtin", "kernel/drivers/lifetrace/lifetrace.ko\n");
	put("lib/modules/6.3.0-none/modules.builtin", "kernel/drivers/base/other.ko\n");
	put_program("bin/modinfo", "#!/bin/sh\n[ \"$*\" = '-k 6.1.0-test lifetrace' ]\n");
	calls = make_calls(&calls_size);
	assert_int_equal(act(ENABLE, &said, &error), 0);
	free(calls);
	calls = NULL;
}

static void test_initramfs_hook(void **state)
{
	static const char expected[] =
		"adds lifetrace\n"
		"copies firmware lib/firmware/6.1.0-test/lifetrace-calls\n"
		"W: lifetrace is not installed for kernel 6.3.0-none: its boot cannot be recorded\n";
	static const char script[] =
		"set -e\n"
		"sed 's, /usr/share, usr/share,; s,\"/lib/modules,\"lib/modules,; s,=/lib,=lib,' " HOOK " >hook\n"
		"for version in 6.1.0-test 6.2.0-whole 6.3.0-none; do\n"
		"	version=$version sh -e hook\n"
		"done\n"
		"sh -e hook prereqs\n";

	(void)state;
	put_kernels();
	assert_string_equal(bash(script), expected);
}

static void test_dracut_module(void **state)
{
	static const char expected[] =
		"6.1.0-test: status 0\ninstmods lifetrace\nhook cmdline 00 /m/lifetrace.sh\n"
		"installs lib/firmware/6.1.0-test/lifetrace-calls\n"
		"6.2.0-whole: status 0\nhook cmdline 00 /m/lifetrace.sh\n"
		"warning: lifetrace is not installed for kernel 6.3.0-none: its boot cannot be recorded\n"
		"6.3.0-none: status 1\n";
	static const char script[] =
		"sed 's,\"/lib/modules,\"lib/modules,; s,=/lib,=lib,' " SETUP " >module\n"
		"dwarn() { echo \"warning: $*\"; }\n"
		"instmods() { echo \"instmods $*\"; }\n"
		"inst_hook() { echo \"hook $*\"; }\n"
		"inst_simple() { echo \"installs $*\"; }\n"
		"moddir=/m\n"
		". ./module\n"
		"for kernel in 6.1.0-test 6.2.0-whole 6.3.0-none; do\n"
		"	check\n"
		"	status=$?\n"
		"	echo \"$kernel: status $status\"\n"
		"	[ $status -ne 0 ] || { installkernel && install || exit; }\n"
		"done\n";

	(void)state;
	put_kernels();
	assert_string_equal(bash(script), expected);
}

/* Return: whether both scripts of an initramfs load it, by the words of a command line. */
static bool loads(const char *words)
{
	const char *said;
	char script[2048];

	put("proc/cmdline", words);
	snprintf(script, sizeof(script),
		 "set -e\n"
		 "sed 's, /sys, sys,; s,</proc,<proc,' %s >hook\n"
		 "sh -e hook\n"
		 "sed 's, /sys, sys,; s,</proc,<proc,' %s >hook\n"
		 "sh -ec '. ./hook; echo goes on'\n", SCRIPT, DRACUT_HOOK);
	said = bash(script);
	if (!strcmp(said, "goes on\n"))
		return false;
	assert_string_equal(said, "modprobe lifetrace\nmodprobe lifetrace\ngoes on\n");
	return true;
}

static void test_loads(void **state)
{
	static const char *const others[] = {
		"quiet\n", "quiet lifetrace.enable=0 splash\n", "lifetrace.enable=0\n",
		"lifetrace.enable=10\n", "lifetrace.enable=y\n", "lifetrace.enable\n",
		"lifetrace.enable=\n", "not-lifetrace.enable=1\n",
		"lifetrace.n_subbufs=128\n", "\n",
	};
	const char *said, *error;

	(void)state;
	put_program("bin/modprobe", "#!/bin/sh\necho \"modprobe $*\"\n");
	assert_int_equal(act(ENABLE, &said, &error), 0);
	assert_true(loads("quiet lifetrace.enable=1 splash\n"));
	assert_true(loads("lifetrace.enable=1\n"));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(loads(others[i]));
	/* A part of the kernel has a directory there, too. */
	put("sys/module/lifetrace/parameters/enable", "Y\n");
	assert_false(loads("quiet lifetrace.enable=1 splash\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_cycle, debian),
		cmocka_unit_test_setup(test_refused, debian),
		cmocka_unit_test_setup(test_calls, debian),
		cmocka_unit_test_setup(test_module, debian),
		cmocka_unit_test_setup(test_builtin, debian),
		cmocka_unit_test_setup(test_initramfs_hook, debian),
		cmocka_unit_test_setup(test_dracut_module, debian),
		cmocka_unit_test_setup(test_loads, debian),
	};

	return cmocka_run_group_tests_name("boot", tests, NULL, NULL);
}
