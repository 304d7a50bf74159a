// SPDX-License-Identifier: GPL-2.0
/*
 * Why recording would not work: the module is not loaded. Is there a module file, is it for
 * this kernel, and may it be loaded?
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/internal.h"
#include "base/text.h"

#define MAX_KO		(64U << 20)
#define SIGNATURE	"~Module signature appended~\n"

/* ------------------------------------------------------------------------
 * The module's file
 */

struct ko {
	char path[DOCTOR_PATH];
	bool installed;		/* in a directory that modprobe searches */
	bool fits;		/* was built for this kernel, or for one that may be compatible */
	bool is_signed;
};

/*
 * The kernel compares the whole vermagic. Only if the module has versions of the symbols that
 * it uses, the release in it may differ: the versions decide then.
 */
static void check_vermagic(struct lt_doctor *d, struct ko *ko, const char *vermagic)
{
	size_t n = strcspn(vermagic, " ");

	ko->fits = n == strlen(d->release) && !memcmp(vermagic, d->release, n);
	if (ko->fits) {
		lt_doctor_say(d, LT_DOCTOR_OK, "module file", "%s is for this kernel", ko->path);
	} else if (strstr(vermagic + n, " modversions")) {
		ko->fits = true;
		lt_doctor_say(d, LT_DOCTOR_NOTE, "module file",
			      "%s was built for kernel %.*s, this is %s: it may load, because it "
			      "has symbol versions; better build it again (make clean all)",
			      ko->path, (int)n, vermagic, d->release);
	} else {
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "module file",
			      "%s is for kernel %.*s, this is %s: build it again (make clean all)",
			      ko->path, (int)n, vermagic, d->release);
	}
}

static void check_ko(struct lt_doctor *d, struct ko *ko)
{
	const size_t len = strlen(SIGNATURE);
	size_t size, path_len = strlen(ko->path);
	char vermagic[256], *data;

	if (path_len < 3 || strcmp(ko->path + path_len - 3, ".ko")) {
		ko->fits = ko->is_signed = true;
		lt_doctor_say(d, LT_DOCTOR_NOTE, "module file",
			      "%s is compressed; modinfo shows which kernel it is for, and whether "
			      "it is signed", ko->path);
		return;
	}
	data = lt_read_text_file(ko->path, MAX_KO, &size);
	if (!data) {
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "module file", "%s: %s", ko->path,
			      strerror(errno));
		return;
	}
	ko->is_signed = size >= len && !memcmp(data + size - len, SIGNATURE, len);
	if (lt_modinfo(data, size, "vermagic", vermagic, sizeof(vermagic)))
		check_vermagic(d, ko, vermagic);
	else
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "module file",
			      "%s is not a kernel module, or damaged: build it again (make)",
			      ko->path);
	free(data);
}

/* Takes the first module file that fits, or else any; reports on each. */
static bool find_ko(struct lt_doctor *d, struct ko *ko)
{
	char path[DOCTOR_PATH];
	bool found = false;
	glob_t g = { 0 };

	lt_module_files(lt_doctor_path(d, path, sizeof(path), "/lib/modules"), d->release, &g);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct ko one = { .installed = strcmp(g.gl_pathv[i], LT_MODULE_LOCAL) };

		snprintf(one.path, sizeof(one.path), "%s%s", one.installed ? "" : "./",
			 g.gl_pathv[i]);
		check_ko(d, &one);
		if (!found || (one.fits && !ko->fits))
			*ko = one;
		found = true;
	}
	globfree(&g);
	return found;
}

static void check_headers(struct lt_doctor *d, bool needed)
{
	char path[sizeof(d->release) + 64];

	snprintf(path, sizeof(path), "/lib/modules/%s/build/Makefile", d->release);
	if (lt_doctor_exists(d, path))
		lt_doctor_say(d, LT_DOCTOR_OK, "headers", "the module can be built here");
	else
		lt_doctor_say(d, needed ? LT_DOCTOR_PROBLEM : LT_DOCTOR_NOTE, "headers",
			      "no headers for %s, which building the module needs: install "
			      "linux-headers-%s (Debian), kernel-devel (Fedora)", d->release,
			      d->release);
}

/* ------------------------------------------------------------------------
 * Permission
 */

static void check_disabled(struct lt_doctor *d)
{
	char word[32];

	if (lt_doctor_word(d, "/proc/sys/kernel/modules_disabled", word, sizeof(word)) &&
	    strcmp(word, "0"))
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "loading",
			      "switched off until the next boot (kernel.modules_disabled=1): "
			      "remove that setting (see /etc/sysctl.d) and reboot");
}

/* The EFI variable has four bytes of attributes and one byte: 1 is on. */
static bool secure_boot(struct lt_doctor *d)
{
	char path[DOCTOR_PATH], *text;
	bool on = false;
	glob_t g = { 0 };
	size_t size;

	glob(lt_doctor_path(d, path, sizeof(path), "/sys/firmware/efi/efivars/SecureBoot-*"), 0,
	     NULL, &g);
	for (size_t i = 0; i < g.gl_pathc && !on; i++) {
		text = lt_read_text_file(g.gl_pathv[i], 4096, &size);
		on = text && size == 5 && text[4] == 1;
		free(text);
	}
	globfree(&g);
	return on;
}

static void check_signature(struct lt_doctor *d, const struct ko *ko)
{
	bool boot = secure_boot(d);
	char word[32];

	lt_doctor_word(d, "/sys/module/module/parameters/sig_enforce", word, sizeof(word));
	if (!d->lockdown && word[0] != 'Y' && word[0] != '1') {
		if (boot)
			lt_doctor_say(d, LT_DOCTOR_NOTE, "signature",
				      "Secure Boot is on, but this kernel also takes unsigned "
				      "modules");
		return;
	}
	if (ko->is_signed)
		lt_doctor_say(d, LT_DOCTOR_NOTE, "signature",
			      "this kernel takes signed modules only%s, and this one is signed; if "
			      "it is refused, the kernel does not have its key: mokutil --import",
			      boot ? " (Secure Boot is on)" : "");
	else
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "signature",
			      "this kernel takes signed modules only%s: sign %s (scripts/sign-file "
			      "of the headers) with a key that the kernel has (mokutil --import), or "
			      "boot %s", boot ? " (Secure Boot is on)" : "", ko->path,
			      boot ? "with Secure Boot off" :
			      d->lockdown ? "without lockdown=" : "without module.sig_enforce");
}

void lt_doctor_loadable(struct lt_doctor *d)
{
	struct ko ko = { .path = "./" LT_MODULE_LOCAL };
	bool found;

	if (!lt_doctor_exists(d, "/proc/modules")) {
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "module",
			      "this kernel takes no modules (CONFIG_MODULES): boot another kernel; "
			      "traces of other machines can be read here");
		return;
	}
	found = find_ko(d, &ko);
	check_headers(d, !found || !ko.fits);
	check_disabled(d);
	if (found)
		check_signature(d, &ko);
	if (!found)
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "module",
			      "not loaded, and there is no module file, neither ./" LT_MODULE_LOCAL
			      " nor in /lib/modules/%s: build it (make), then "
			      "sudo insmod " LT_MODULE_LOCAL,
			      d->release);
	else if (ko.fits && ko.installed)
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "module",
			      "not loaded: sudo modprobe lifetrace; if it is not found: sudo "
			      "depmod");
	else
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "module", "not loaded: %ssudo insmod %s",
			      ko.fits ? "" : "build it again, then ", ko.path);
}
