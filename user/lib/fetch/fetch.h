/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From what a user types to what the module runs: the functions whose calls are recorded, and the
 * steps by which it fetches the values of each call (uapi/lifetrace_call.h).
 *
 * A struct lt_fetch is what is known of a kernel, the running one or another: its types, symbols
 * and which functions can be traced. lt_fetch_compile() selects functions by specs (fetch/spec.h)
 * and compiles them; a function of which something cannot be typed rightly is refused, with the
 * reason.
 */
#ifndef LT_FETCH_FETCH_H
#define LT_FETCH_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "uapi/lifetrace_call.h"

struct lt_fetch;
struct lt_fetch_function;

/**
 * lt_fetch_new() - a kernel of which nothing is known but its machine
 * @machine: as in uname(2)
 * Return: NULL: its calling convention is not known.
 */
struct lt_fetch *lt_fetch_new(const char *machine);
void lt_fetch_free(struct lt_fetch *f);

/**
 * lt_fetch_types() - read the types of the kernel, or of a module
 * @module: NULL: of the kernel; those of modules come after it
 * @path: BTF, or an ELF file that has it
 * Return: false after setting @why.
 */
bool lt_fetch_types(struct lt_fetch *f, const char *module, const char *path, struct lt_why *why);

/* Reads symbols, as in /proc/kallsyms. Return: false after setting @why. */
bool lt_fetch_symbols(struct lt_fetch *f, const char *path, struct lt_why *why);

/*
 * Reads which functions can be traced, as in available_filter_functions; after the symbols. Return:
 * false after setting @why.
 */
bool lt_fetch_traceable(struct lt_fetch *f, const char *path, struct lt_why *why);

/**
 * lt_fetch_module() - read types and functions of a module that is not loaded
 * @path: its file, not compressed
 *
 * Types of the kernel that a module built outside of its tree uses are found by their names.
 * Return: false after setting @why.
 */
bool lt_fetch_module(struct lt_fetch *f, const char *module, const char *path, struct lt_why *why);

/* Whether a module is known, loaded or not. */
bool lt_fetch_has_module(const struct lt_fetch *f, const char *module);

/* Whether it is known, but not its types. True once: the caller looks for them. */
bool lt_fetch_wants_types(struct lt_fetch *f, const char *module);

/**
 * lt_fetch_loaded_module() - read the types of a loaded module from its file
 * @path: its file, not compressed
 * @id: the build ID of what is loaded, as the kernel has it in the module's notes
 *
 * Nothing is read of a file with another build ID. Return: false after setting @why.
 */
bool lt_fetch_loaded_module(struct lt_fetch *f, const char *module, const char *path,
			    const uint8_t *id, size_t id_size, struct lt_why *why);

/* What lt_fetch_running() did not find. */
enum lt_fetch_lacks {
	LT_FETCH_LACKS_TYPES = 1,
	LT_FETCH_LACKS_SYMBOLS = 2,
	LT_FETCH_LACKS_TRACEABLE = 4,
};

/**
 * lt_fetch_running() - read all that there is of the running kernel and its modules
 * @lacks: set to enum lt_fetch_lacks
 * Return: NULL after setting @why: the machine is not known, or a file of these is damaged.
 */
struct lt_fetch *lt_fetch_running(unsigned int *lacks, struct lt_why *why);

/**
 * lt_fetch_modules() - read the files of modules that specs name, where the kernel does not have
 * all
 * @root: "", or where the running kernel has lib/modules and sys/module
 *
 * Of a module that is not loaded functions and types are read, of a loaded one whose types the
 * kernel does not have the types, if the file has the build ID of the loaded one. A module that has
 * no file is left to lt_fetch_compile().
 * Return: false after setting @why: a file cannot be used.
 */
bool lt_fetch_modules(struct lt_fetch *f, const char *const *specs, size_t n, const char *root,
		      struct lt_why *why);

/* How many functions are known, in all. */
size_t lt_fetch_functions(const struct lt_fetch *f);

/* LT_FETCH_REASONS(R): why a function is refused, or not all of it is fetched: R(NAME, "sum") */
#define LT_FETCH_REASONS(R)							\
	R(NONE,		"fetched as asked for")					\
	R(ABSENT,	"not among the kernel's symbols: inlined, or not built")	\
	R(TWICE,	"a name that several functions have")			\
	R(TYPES_TWICE,	"a name that several functions have among the types")	\
	R(VARIANT,	"a variant that the compiler made, with other arguments")	\
	R(NOTRACE,	"a function that the kernel does not let be traced")	\
	R(NO_TYPE,	"no prototype among the types")				\
	R(STRUCT,	"a struct by value")					\
	R(BEYOND,	"more arguments than can be read")			\
	R(VARARGS,	"arguments without names (...)")			\
	R(WIDE,		"a type that is no word of up to 8 bytes")		\
	R(NAME,		"an argument or a member that there is not")		\
	R(MEANING,	"a value that makes no sense for its type")		\
	R(LIMIT,	"more than a record holds")

enum lt_fetch_reason {
#define LT_ENUM_REASON(NAME, text)	LT_FETCH_##NAME,
	LT_FETCH_REASONS(LT_ENUM_REASON)
#undef LT_ENUM_REASON
	LT_FETCH_N_REASONS,
};

const char *lt_fetch_reason_text(enum lt_fetch_reason reason);

enum lt_fetch_when { LT_FETCH_ENTRY, LT_FETCH_RETURN, LT_FETCH_RESULT, LT_FETCH_N_WHENS };

enum lt_fetch_kind {
	LT_FETCH_UNSIGNED, LT_FETCH_SIGNED, LT_FETCH_HEX, LT_FETCH_POINTER, LT_FETCH_BOOL,
	LT_FETCH_CHAR, LT_FETCH_ENUM, LT_FETCH_FLAGS, LT_FETCH_BYTES, LT_FETCH_TEXT,
	LT_FETCH_N_KINDS,
};

/* As block FUNCTIONS has them. */
extern const char *const lt_fetch_whens[LT_FETCH_N_WHENS];
extern const char *const lt_fetch_kinds[LT_FETCH_N_KINDS];

/**
 * struct lt_fetch_value - a value of a record
 * @size: bytes; of a text at most, with its zero
 * @type: in C
 * @names: number of the enum that has names for it, see lt_fetch_set_text(); 0: none
 */
struct lt_fetch_value {
	char *name;
	enum lt_fetch_when when;
	enum lt_fetch_kind kind;
	unsigned int size;
	char *type;
	uint32_t names;
};

/**
 * struct lt_fetch_function - a function that a spec selects
 * @module: "": the kernel itself
 * @prototype: in C; "": it is not known
 * @spec: the number of the spec, the last one that names the function
 * @refused: it is not in the set
 * @reason: why it is refused, or why something is left out of it; @detail says what, or is empty
 * @values: in the order of the records
 * @steps: @n_entry, then @n_return
 */
struct lt_fetch_function {
	const char *name;
	const char *module;
	uint64_t address;
	char *prototype;
	uint32_t spec;
	bool refused;
	enum lt_fetch_reason reason;
	char *detail;
	uint32_t flags;
	unsigned int n_entry;
	unsigned int n_return;
	struct lt_call_step *steps;
	unsigned int n_values;
	struct lt_fetch_value *values;
};

struct lt_btf;

/* An enum: @type among the types @btf. Its number in the text is its place, from 1 on. */
struct lt_fetch_enum {
	const struct lt_btf *btf;
	uint32_t type;
};

/**
 * struct lt_fetch_set - functions that were selected and compiled
 * @functions: the kernel's first, then by module; those that are not refused have the numbers of
 *	the records in this order
 * @n_taken: that are not refused
 * @task: struct task_struct among the kernel's types, once it was looked for; 0: not yet
 */
struct lt_fetch_set {
	struct lt_fetch_function *functions;
	size_t n;
	size_t n_taken;
	struct lt_fetch_enum *enums;
	size_t n_enums;
	size_t cap_enums;
	uint32_t task;
};

/**
 * lt_fetch_compile() - select functions and compile what is fetched of their calls
 * @specs: @n of them; of several that name a function the last one counts
 * @bad: set to the number of the spec that @why is about
 *
 * Return: the set, to be freed by lt_fetch_set_free() before @f. NULL after setting @why: a spec is
 * none, or names nothing.
 */
struct lt_fetch_set *lt_fetch_compile(const struct lt_fetch *f, const char *const *specs, size_t n,
				      size_t *bad, struct lt_why *why);
void lt_fetch_set_free(struct lt_fetch_set *set);

/**
 * lt_fetch_set_bytes() - what is written to the module's file "calls"
 * @min_duration: ns; shorter calls are left out
 * @depth: calls in so many others of their thread are left out; 0: none
 * Return: to be freed; NULL after setting @why: more functions than a set holds.
 */
void *lt_fetch_set_bytes(const struct lt_fetch_set *set, uint64_t min_duration,
			 uint16_t depth, size_t *size, struct lt_why *why);

/* The text of block FUNCTIONS, to be freed. */
char *lt_fetch_set_text(const struct lt_fetch_set *set);

/**
 * struct lt_fetch_boot - the file from which the module takes functions when it is loaded
 * @release, @build: of the kernel, as uname(2) has release and version
 * @min_duration: ns; not read back
 * @depth: as in lt_fetch_set_bytes()
 * @functions: how many there are; this and what follows is read alone
 * @set, @text: what it holds, see lt_fetch_set_bytes() and lt_fetch_set_text()
 */
struct lt_fetch_boot {
	char release[sizeof(((struct lt_call_boot *)0)->release)];
	char build[sizeof(((struct lt_call_boot *)0)->build)];
	uint64_t min_duration;
	uint16_t depth;
	uint32_t functions;
	const void *set;
	size_t set_size;
	const char *text;
	size_t text_size;
};

/**
 * lt_fetch_boot_make() - what the file LT_CALL_BOOT_FILE of a kernel holds
 * @set: its functions have no addresses any more
 * Return: to be freed; NULL after setting @why.
 */
void *lt_fetch_boot_make(struct lt_fetch_set *set, const struct lt_fetch_boot *b, size_t *size,
			 struct lt_why *why);

/* Whether a file is meant to be one. */
bool lt_fetch_is_boot(const void *file, size_t size);

/* Return: false after setting @why: it cannot be used. @b points into @file. */
bool lt_fetch_boot_read(const void *file, size_t size, struct lt_fetch_boot *b, struct lt_why *why);

/**
 * lt_fetch_read_specs() - the lines of a file of specs
 * @specs: an array that grows, of @n texts to be freed; comments begin with #
 * Return: false after setting @why.
 */
bool lt_fetch_read_specs(const char *path, char ***specs, size_t *n, struct lt_why *why);

#endif /* LT_FETCH_FETCH_H */
