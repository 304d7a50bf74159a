// SPDX-License-Identifier: GPL-2.0
/*
 * Which engine records.
 */
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bpf/bpf.h"
#include "bpf/engine.h"
#include "engine/engine.h"
#include "engine/module.h"
#include "out/log.h"
#include "record/choose.h"
#include "record/recorder.h"

const char *const lt_record_engines[] = { "module", "bpf", NULL };

/* Whether the module is loaded, or modprobe or insmod would find it here. */
static bool module_is_here(void)
{
	struct utsname u;
	glob_t g = { 0 };
	bool here;

	if (!access(LT_MODULE_DEVICE, F_OK) || !access("/sys/module/lifetrace", F_OK))
		return true;
	if (access("/proc/modules", F_OK) || uname(&u))
		return false;
	lt_module_files("/lib/modules", u.release, &g);
	here = g.gl_pathc;
	globfree(&g);
	return here;
}

/* Which option of a recording only the module can follow; NULL: none. */
static const char *needs_module(const struct lt_record_options *o)
{
	if (o->dir)
		return "--module-dir";
	if (o->tap)
		return "--flight";
	if (o->overwrite)
		return "--overwrite";
	if (o->n_functions)
		return "--call";
	if (o->call_texts)
		return "--strings";
	if (o->budget > 0)
		return "--budget";
	return NULL;
}

struct lt_engine *lt_record_engine(const struct lt_record_options *o)
{
	bool asked = o->engine && !strcmp(o->engine, "bpf");
	const char *needs = needs_module(o);

	if (!asked &&
	    (o->engine || !o->any_engine || o->dir || !lt_bpf_built() || module_is_here()))
		return lt_engine_module(o->dir);
	if (needs) {
		lt_error("%s needs the kernel module; leave it out, or %s", needs, asked ?
			 "record with --engine=module" :
			 "load the module (modprobe lifetrace): 'lifetrace doctor' says whether it can be");
		return NULL;
	}
	if (!asked && (!o->quiet || o->says_engine))
		fprintf(stderr, "no module: BPF programs record; what they do not watch is in 'lifetrace info'; "
			"see 'lifetrace doctor'\n");
	return lt_engine_bpf();
}
