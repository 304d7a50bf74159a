// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of a session that starts when the module is loaded: a file has them, which
 * `lifetrace boot enable --call` has made, and which is in the initramfs. The kernel finds and
 * reads it as it does firmware.
 *
 * The file is root's, who may write any set to the file "calls". It is checked as such a set is;
 * besides, it must be whole, and of this very kernel: of another one the steps would read at
 * wrong places, which does no harm, but gives wrong values.
 */
#include <linux/err.h>
#include <linux/firmware.h>
#include <linux/mm.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/utsname.h>

#include "call/internal.h"

static struct lt_call_fns *loaded;	/* by lt_call_boot_load(), up to lt_call_boot_end() */

static u64 sum_of(const u8 *at, size_t size)
{
	u64 sum = LT_CALL_BOOT_SUM_BEGIN;

	while (size--)
		sum = LT_CALL_BOOT_SUM(sum, *at++);
	return sum;
}

/* Return: NULL: it can be used. */
static const char *fault_of(const struct lt_call_boot *b, size_t size, const char *release,
			    const char *build)
{
	const size_t behind = offsetofend(struct lt_call_boot, sum);

	if (size < sizeof(*b) || b->magic != LT_CALL_BOOT_MAGIC)
		return "it is none";
	if (b->version != LT_CALL_BOOT_VERSION || b->reserved)
		return "it is of another version of lifetrace";
	if (b->set > LT_CALL_MOST_BYTES || b->text > LT_CALL_BOOT_MOST_TEXT)
		return "it is too large";
	/* So small that the sum cannot overflow. */
	if ((size_t)b->set + b->text != size - sizeof(*b))
		return "it is not whole";
	if (b->sum != sum_of((const u8 *)b + behind, size - behind))
		return "it is damaged";
	if (strnlen(b->release, sizeof(b->release)) == sizeof(b->release) ||
	    strnlen(b->build, sizeof(b->build)) == sizeof(b->build))
		return "it names no kernel";
	if (strcmp(b->release, release) || strcmp(b->build, build))
		return "it is of another kernel";
	return NULL;
}

/**
 * lt_call_boot_make() - the set that a file holds
 * @data: the file; need not be aligned
 * @size: bytes of it
 * @release: of the kernel that runs
 * @build: its version
 * @why: set to what is wrong with it
 *
 * Context: process, sleeps.
 * Return: the set with its text and one reference, or an error.
 */
struct lt_call_fns *lt_call_boot_make(const void *data, size_t size, const char *release,
				      const char *build, const char **why)
{
	const struct lt_call_boot *b = data;
	void *set, *text;
	struct lt_call_fns *fns;

	*why = fault_of(b, size, release, build);
	if (*why)
		return ERR_PTR(-EINVAL);
	*why = "no memory";
	set = kvmalloc(b->set, GFP_KERNEL);
	text = kvmalloc(b->text, GFP_KERNEL);
	if (!set || !text) {
		kvfree(set);
		kvfree(text);
		return ERR_PTR(-ENOMEM);
	}
	memcpy(set, b + 1, b->set);
	memcpy(text, (const u8 *)(b + 1) + b->set, b->text);
	fns = lt_call_fns_make(set, b->set);
	if (IS_ERR(fns)) {
		if (fns != ERR_PTR(-ENOMEM))
			*why = "its set of functions is none";
		kvfree(text);
		return fns;
	}
	fns->text = text;
	fns->text_size = b->text;
	return fns;
}

static struct lt_call_fns *make_of(const struct firmware *file, const char **why)
{
	/* As the file "calls" does: steps read any memory of the kernel. */
	if (security_locked_down(LOCKDOWN_KPROBES) || security_locked_down(LOCKDOWN_TRACEFS)) {
		*why = "the kernel is locked down";
		return ERR_PTR(-EPERM);
	}
	return lt_call_boot_make(file->data, file->size, init_utsname()->release,
				 init_utsname()->version, why);
}

/**
 * lt_call_boot_load() - take the functions of the file for the next session, if there is one
 *
 * The kernel's log says what is wrong with a file that is not used; the session starts without it.
 * Where there is no file nobody asked for functions. A set that root has handed over while the
 * module is loaded is replaced, as any set is by the next one.
 *
 * Context: process, sleeps; loading, with enable=1.
 */
void lt_call_boot_load(void)
{
	const struct firmware *file;
	const char *why = "it cannot be read";
	struct lt_call_fns *fns;
	/* Of no device: the kernel would load what a device has again before it suspends. */
	int err = request_firmware_direct(&file, LT_CALL_BOOT_FILE, NULL);

	if (err == -ENOENT || !IS_ENABLED(CONFIG_FW_LOADER))
		return;
	fns = err ? ERR_PTR(err) : make_of(file, &why);
	if (!err)
		release_firmware(file);
	if (IS_ERR(fns)) {
		pr_err("lifetrace: %s: %s: no function calls are recorded of this boot\n",
		       LT_CALL_BOOT_FILE, why);
		return;
	}
	loaded = fns;
	refcount_inc(&fns->refs);
	lt_call_fns_set_next(fns);
}

/*
 * The session that starts when the module is loaded has its functions, or there is none: later
 * ones get those that are handed over to them. Context: as lt_call_boot_load(), behind it.
 */
void lt_call_boot_end(void)
{
	if (loaded)
		lt_call_fns_take_back(loaded);
	lt_call_fns_put(loaded);
	loaded = NULL;
}
