// SPDX-License-Identifier: GPL-2.0
/*
 * Recording of boots, on machines that consist of a few files below a directory.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "boot/boot.h"
#include "base/text.h"
#include "testlib.h"

#define HOOK	"etc/initramfs-tools/hooks/lifetrace"
#define SCRIPT	"etc/initramfs-tools/scripts/init-top/lifetrace"
#define MODULE	"usr/lib/dracut/modules.d/90lifetrace/module-setup.sh"
#define UNIT	"etc/systemd/system/lifetrace-boot.service"
#define WANTS	"etc/systemd/system/sysinit.target.wants/lifetrace-boot.service"

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
	put("lib/modules/6.1.0-test/updates/dkms/lifetrace.ko.xz", "");
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
	struct lt_boot b = { root, "/usr/bin/lifetrace", "/var/lib/x/boot.lt", 77, false, &out };
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
	assert_int_equal(mode_of(MODULE), 0755);
	assert_int_equal(mode_of(UNIT), 0644);
	unit = lt_read_text_file(path_of(UNIT), 1 << 20, NULL);
	assert_non_null(unit);
	assert_non_null(strstr(unit, "\nExecStart=/usr/bin/lifetrace record -d 77 -o /var/lib/x/boot.lt\n"));
	assert_null(strchr(unit, '@'));
	free(unit);
	assert_int_equal(act(STATUS, &said, &error), true);
	assert_non_null(strstr(said, "/lib/modules/6.1.0-test/updates/dkms/lifetrace.ko.xz\n"));
	/* A second time replaces its own files. */
	assert_int_equal(act(ENABLE, &said, &error), 0);
	assert_int_equal(act(DISABLE, &said, &error), 0);
	assert_int_equal(mode_of(HOOK) + mode_of(SCRIPT) + mode_of(MODULE) + mode_of(UNIT) +
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
	put("lib/modules/6.1.0-test/updates/lifetrace.ko", "");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_cycle, debian),
		cmocka_unit_test_setup(test_refused, debian),
	};

	return cmocka_run_group_tests_name("boot", tests, NULL, NULL);
}
