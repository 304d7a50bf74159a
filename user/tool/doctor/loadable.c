// SPDX-License-Identifier: GPL-2.0
/*
 * Why tracing would not work: the module is not loaded. Is it there, is it for
 * this kernel, and may it be loaded?
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "doctor/internal.h"
#include "base/text.h"

#define MAX_KO		(64U << 20)
#define SIGNATURE	"~Module signature appended~\n"
#define LOCAL_KO	"lifetrace.ko"	/* where `make` leaves it */

/* ------------------------------------------------------------------------
 * ELF
 */

struct elf {
	const uint8_t *data;
	size_t size;
	bool wide;		/* 64 bits */
	bool big;
};

struct section {
	const uint8_t *data;
	size_t size;
	uint32_t name;
};

static const uint8_t *range(const struct elf *e, uint64_t offset, uint64_t size)
{
	return offset <= e->size && size <= e->size - offset ? e->data + offset : NULL;
}

static bool read_elf(struct elf *e, const void *data, size_t size)
{
	const uint8_t *p = data;

	/* 64: size of the larger of the two headers. */
	if (size < 64 || memcmp(p, "\177ELF", 4) || p[4] < 1 || p[4] > 2 || p[5] < 1 || p[5] > 2)
		return false;
	*e = (struct elf){ .data = p, .size = size, .wide = p[4] == 2, .big = p[5] == 2 };
	return true;
}

static bool read_section(const struct elf *e, unsigned int i, struct section *s)
{
	uint64_t table = lt_get_uint(e->data + (e->wide ? 0x28 : 0x20), e->wide ? 8 : 4, e->big);
	unsigned int each = lt_get16(e->data + (e->wide ? 0x3a : 0x2e), e->big);
	unsigned int need = e->wide ? 64 : 40;
	const uint8_t *p;
	uint64_t offset;

	/* i and each have 16 bits, so the product cannot overflow. */
	if (each < need || table > e->size)
		return false;
	p = range(e, table + (uint64_t)i * each, need);
	if (!p)
		return false;
	offset = lt_get_uint(p + (e->wide ? 0x18 : 0x10), e->wide ? 8 : 4, e->big);
	s->size = lt_get_uint(p + (e->wide ? 0x20 : 0x14), e->wide ? 8 : 4, e->big);
	s->name = lt_get32(p, e->big);
	s->data = range(e, offset, s->size);
	return s->data;
}

static bool find_section(const struct elf *e, const char *name, struct section *s)
{
	unsigned int n = lt_get16(e->data + (e->wide ? 0x3c : 0x30), e->big);
	size_t len = strlen(name) + 1;
	struct section names;

	if (!read_section(e, lt_get16(e->data + (e->wide ? 0x3e : 0x32), e->big), &names))
		return false;
	for (unsigned int i = 0; i < n; i++) {
		if (read_section(e, i, s) && s->name <= names.size &&
		    len <= names.size - s->name && !memcmp(names.data + s->name, name, len))
			return true;
	}
	return false;
}

bool lt_modinfo(const void *elf, size_t size, const char *key, char *value,
		size_t value_size)
{
	size_t len = strlen(key), at = 0;
	struct section s;
	struct elf e;

	if (!read_elf(&e, elf, size) || !find_section(&e, ".modinfo", &s))
		return false;
	while (at < s.size) {
		const char *word = (const char *)s.data + at;
		size_t n = strnlen(word, s.size - at);

		if (n > len && !memcmp(word, key, len) && word[len] == '=') {
			snprintf(value, value_size, "%.*s", (int)(n - len - 1), word + len + 1);
			return true;
		}
		at += n + 1;
	}
	return false;
}

/* ------------------------------------------------------------------------
 * The module's file
 */

struct ko {
	char path[DOCTOR_PATH];
	bool installed;		/* where modprobe looks */
	bool fits;		/* this kernel, as far as can be told */
	bool is_signed;
};

/*
 * The kernel compares the whole vermagic, but for the release where the module
 * has versions of all symbols it uses: then those decide.
 */
static void judge_vermagic(struct lt_doctor *d, struct ko *ko, const char *vermagic)
{
	size_t n = strcspn(vermagic, " ");

	ko->fits = n == strlen(d->release) && !memcmp(vermagic, d->release, n);
	if (ko->fits) {
		lt_doctor_say(d, LT_DOCTOR_OK, "module file", "%s is for this kernel", ko->path);
	} else if (strstr(vermagic + n, " modversions")) {
		ko->fits = true;
		lt_doctor_say(d, LT_DOCTOR_NOTE, "module file",
			      "%s was built for kernel %.*s, this is %s: it may load, since it "
			      "has symbol versions; better build it again (make clean all)",
			      ko->path, (int)n, vermagic, d->release);
	} else {
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "module file",
			      "%s is for kernel %.*s, this is %s: build it again (make clean all)",
			      ko->path, (int)n, vermagic, d->release);
	}
}

static void judge_ko(struct lt_doctor *d, struct ko *ko)
{
	const size_t len = strlen(SIGNATURE);
	size_t size, path_len = strlen(ko->path);
	char vermagic[256], *data;

	if (path_len < 3 || strcmp(ko->path + path_len - 3, ".ko")) {
		ko->fits = ko->is_signed = true;
		lt_doctor_say(d, LT_DOCTOR_NOTE, "module file",
			      "%s is compressed; which kernel it is for, and whether it is signed, "
			      "modinfo tells", ko->path);
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
		judge_vermagic(d, ko, vermagic);
	else
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "module file",
			      "%s is not a kernel module, or damaged: build it again (make)",
			      ko->path);
	free(data);
}

/* The first that fits, or else any; each is told of. */
static bool find_ko(struct lt_doctor *d, struct ko *ko)
{
	static const char *const places[] = { "updates*/", "updates*/*/", "extra/" };
	char path[DOCTOR_PATH], pattern[DOCTOR_PATH + 64];
	bool found = false;
	glob_t g = { 0 };

	glob(LOCAL_KO, 0, NULL, &g);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(pattern, sizeof(pattern), "%s/%s/%slifetrace.ko*",
			 lt_doctor_path(d, path, sizeof(path), "/lib/modules"), d->release,
			 places[i]);
		glob(pattern, GLOB_APPEND, NULL, &g);
	}
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct ko one = { .installed = strcmp(g.gl_pathv[i], LOCAL_KO) };

		snprintf(one.path, sizeof(one.path), "%s%s", one.installed ? "" : "./",
			 g.gl_pathv[i]);
		judge_ko(d, &one);
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
			      "none for %s, to build the module with: install linux-headers-%s "
			      "(Debian), kernel-devel (Fedora)", d->release, d->release);
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
			      "reboot without what sets it, see /etc/sysctl.d");
}

/* Four bytes of attributes, and one: on or off. */
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

	if (!lt_doctor_word(d, "/sys/module/module/parameters/sig_enforce", word, sizeof(word)) ||
	    (word[0] != 'Y' && word[0] != '1')) {
		if (boot)
			lt_doctor_say(d, LT_DOCTOR_NOTE, "signature",
				      "Secure Boot is on, but this kernel takes unsigned modules, "
				      "too");
		return;
	}
	if (ko->is_signed)
		lt_doctor_say(d, LT_DOCTOR_NOTE, "signature",
			      "this kernel takes signed modules only%s, and this one is; if it is "
			      "refused, its key is not known: mokutil --import",
			      boot ? " (Secure Boot is on)" : "");
	else
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "signature",
			      "this kernel takes signed modules only%s: sign %s (scripts/sign-file "
			      "of the headers) with a key that it knows (mokutil --import), or boot "
			      "%s", boot ? " (Secure Boot is on)" : "", ko->path,
			      boot ? "with Secure Boot off" : "without module.sig_enforce");
}

void lt_doctor_loadable(struct lt_doctor *d)
{
	struct ko ko = { .path = "./" LOCAL_KO };
	bool found;

	if (!lt_doctor_exists(d, "/proc/modules")) {
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "module",
			      "this kernel takes no modules at all (CONFIG_MODULES): boot another "
			      "one; traces of other machines can be read here");
		return;
	}
	found = find_ko(d, &ko);
	check_headers(d, !found || !ko.fits);
	check_disabled(d);
	if (found)
		check_signature(d, &ko);
	if (!found)
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "module",
			      "not loaded, and there is neither ./" LOCAL_KO " nor one in "
			      "/lib/modules/%s: build it (make), then sudo insmod " LOCAL_KO,
			      d->release);
	else if (ko.fits && ko.installed)
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "module",
			      "not loaded: sudo modprobe lifetrace; if it is not found: sudo "
			      "depmod");
	else
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "module", "not loaded: %ssudo insmod %s",
			      ko.fits ? "" : "when it is built again, ", ko.path);
}
