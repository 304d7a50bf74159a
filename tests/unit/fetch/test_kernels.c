// SPDX-License-Identifier: GPL-2.0
/*
 * Every function of a whole kernel, LT_KERNEL, whose types tests/functions hands over: LT_VMLINUX.
 * Prototypes are those that libbpf prints, and what the steps fetch is what libbpf's types and the
 * calling convention of x86-64 say. How many functions need care is counted from libbpf's types,
 * and compared with what is refused or left out, and with what another program counts: LT_SUMS.
 */
#include "testlib.h"

#ifdef LT_HAVE_LIBBPF

#include <time.h>

#include "btfmake.h"

struct kernel_sums {
	unsigned int functions;
	unsigned int more_than_six;
	unsigned int structs;
	unsigned int varargs;
	unsigned int twice;
};

static const struct btf_type *skip_names(const struct btf *b, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(b, id);

	while (btf_is_mod(t) || btf_is_typedef(t))
		t = btf__type_by_id(b, t->type);
	return t;
}

struct printed {
	char text[4096];
	size_t n;
};

static void add_printed(void *ctx, const char *fmt, va_list args)
{
	struct printed *p = ctx;
	int n = vsnprintf(p->text + p->n, sizeof(p->text) - p->n, fmt, args);

	if (n > 0)
		p->n += (size_t)n < sizeof(p->text) - p->n ? (size_t)n : sizeof(p->text) - p->n - 1;
}

/* One value against a register: by the type of libbpf, its low bytes, extended by its sign. */
static void check_value(const struct btf *b, const struct lt_fetch_function *fn,
			const struct lt_fetch_value *v, const uint8_t *bytes, __u32 type,
			uint64_t word)
{
	const struct btf_type *t = skip_names(b, type);
	uint64_t n = 0;

	if (v->size != (unsigned int)btf__resolve_size(b, type))
		fail_msg("%s(%s): %u bytes", fn->name, v->name, v->size);
	memcpy(&n, bytes, v->size);
	if (n != (v->size == 8 ? word : word & ((1ULL << 8 * v->size) - 1)))
		fail_msg("%s(%s): 0x%llx", fn->name, v->name, (unsigned long long)n);
	if (btf_is_ptr(t) != (v->kind == LT_FETCH_POINTER))
		fail_msg("%s(%s): %s", fn->name, v->name, lt_fetch_kinds[v->kind]);
	if (btf_is_any_enum(t) != (v->kind == LT_FETCH_ENUM || v->kind == LT_FETCH_FLAGS))
		fail_msg("%s(%s): %s", fn->name, v->name, lt_fetch_kinds[v->kind]);
	if (btf_is_int(t) && btf_int_encoding(t) & BTF_INT_SIGNED &&
	    v->kind != LT_FETCH_SIGNED && v->kind != LT_FETCH_CHAR)
		fail_msg("%s(%s): %s", fn->name, v->name, lt_fetch_kinds[v->kind]);
}

static bool is_plain(const struct btf *b, const struct btf_type *proto)
{
	for (int i = 0; i < btf_vlen(proto); i++) {
		const struct btf_param *p = &btf_params(proto)[i];
		const struct btf_type *t = skip_names(b, p->type);

		if (!p->type || btf_is_composite(t) || btf__resolve_size(b, p->type) > 8)
			return false;
	}
	return btf_vlen(proto) <= 9 && !btf_is_composite(skip_names(b, proto->type));
}

/*
 * Runs a function on registers full of noise. Return: whether it is one of those that are compared.
 */
static bool compare_values(const struct btf *b, const struct btf_type *proto,
			   const struct lt_fetch_function *fn)
{
	struct steprun r = { .word = 8 };
	int i, next = 0;

	if (!is_plain(b, proto) || fn->reason != LT_FETCH_NONE)
		return false;
	for (i = 0; i < STEPRUN_ARGS; i++)
		r.args[i] = (uint64_t)rand() << 40 ^ (uint64_t)rand() << 20 ^ (uint64_t)rand();
	r.result[0] = (uint64_t)rand() << 36 ^ (uint64_t)rand();
	steprun_run(&r, fn->steps, fn->n_entry, false);
	steprun_run(&r, fn->steps + fn->n_entry, fn->n_return, true);
	assert_int_equal(r.n, fn->n_values);
	for (i = 0; i < btf_vlen(proto); i++) {
		const struct btf_param *p = &btf_params(proto)[i];
		const char *name = btf__name_by_offset(b, p->name_off);
		char number[16];
		unsigned int k;

		snprintf(number, sizeof(number), "arg%d", i + 1);
		for (k = 0; k < fn->n_values; k++) {
			if (!strcmp(fn->values[k].name, *name ? name : number) &&
			    fn->values[k].when == LT_FETCH_ENTRY)
				break;
		}
		assert_true(k < fn->n_values);
		/* There is no memory here: texts are of size 1. */
		if (fn->values[k].kind != LT_FETCH_TEXT)
			check_value(b, fn, &fn->values[k], r.values + r.at[k], p->type, r.args[i]);
		next++;
	}
	if (proto->type && !(fn->flags & LT_CALL_NO_RETURN)) {
		for (unsigned int k = 0; k < fn->n_values; k++) {
			if (fn->values[k].when != LT_FETCH_RESULT)
				continue;
			check_value(b, fn, &fn->values[k], r.values + r.at[k], proto->type,
				    r.result[0]);
			next++;
		}
	}
	if (proto->type || fn->n_values)
		assert_int_equal((unsigned int)next, fn->n_values);
	return true;
}

static void add_sums(const struct btf *b, const struct btf_type *proto, struct kernel_sums *s)
{
	int n = btf_vlen(proto);
	bool varargs = n && !btf_params(proto)[n - 1].type, composite = false;

	s->functions++;
	s->varargs += varargs;
	s->more_than_six += n > 6;
	for (int i = 0; i < n - varargs; i++)
		composite |= btf_is_composite(skip_names(b, btf_params(proto)[i].type));
	s->structs += composite;
}

/* The function of a name, of those that are sorted by it. */
static const struct lt_fetch_function *find(const struct lt_fetch_set *set, const char *name)
{
	size_t low = 0, high = set->n;

	while (low < high) {
		size_t mid = (low + high) / 2;
		int order = strcmp(set->functions[mid].name, name);

		if (!order)
			return &set->functions[mid];
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	fail_msg("%s is missing", name);
	return NULL;
}

static void check_bounds(const struct lt_fetch_function *fn)
{
	unsigned int bytes = 0;

	assert_true(fn->n_entry + fn->n_return <= LT_CALL_MAX_STEPS);
	assert_true(fn->n_values <= LT_CALL_MAX_VALUES);
	for (unsigned int i = 0; i < fn->n_values; i++)
		bytes += fn->values[i].size;
	assert_true(bytes <= LT_CALL_MAX_BYTES);
	if (fn->refused)
		assert_true(fn->reason != LT_FETCH_NONE && !fn->n_values);
}

/*
 * libbpf leaves out the void of functions without arguments, has other spaces around a const
 * pointer, and numbers types that have the same name.
 */
static bool same_prototype(const char *ours, const char *theirs)
{
	for (;;) {
		if (*ours == '(' && !strncmp(theirs, "()", 2) && !strncmp(ours, "(void)", 6)) {
			ours += 6;
			theirs += 2;
		} else if (*ours != *theirs && !strncmp(theirs, "___", 3)) {
			theirs += 3;
			theirs += strspn(theirs, "0123456789");
		} else if (*ours == ']' && !strncmp(theirs, "0]", 2)) {
			theirs++;
		} else if (*ours == ' ' || *theirs == ' ') {
			ours += *ours == ' ';
			theirs += *theirs == ' ';
		} else if (*ours && *ours == *theirs) {
			ours++;
			theirs++;
		} else {
			break;
		}
	}
	return *ours == *theirs;
}

static unsigned int compare_all(const struct btf *b, const struct lt_fetch_set *set,
				struct kernel_sums *sums, unsigned int *prototypes)
{
	static struct printed p;
	struct btf_dump_emit_type_decl_opts opts = { .sz = sizeof(opts) };
	struct btf_dump *d = btf_dump__new(b, add_printed, &p, NULL);
	unsigned int compared = 0, differ = 0;

	assert_non_null(d);
	for (__u32 id = 1; id < btf__type_cnt(b); id++) {
		const struct btf_type *t = btf__type_by_id(b, id);
		const struct btf_type *proto;
		const struct lt_fetch_function *fn;

		if (!btf_is_func(t))
			continue;
		proto = btf__type_by_id(b, t->type);
		add_sums(b, proto, sums);
		fn = find(set, btf__name_by_offset(b, t->name_off));
		check_bounds(fn);
		if (fn->reason == LT_FETCH_TYPES_TWICE)
			continue;
		compared += compare_values(b, proto, fn);
		p.n = 0;
		opts.field_name = fn->name;
		assert_int_equal(btf_dump__emit_type_decl(d, t->type, &opts), 0);
		/* libbpf writes out what has no name, and tags in its own words. */
		if (strchr(p.text, '{') || strstr(p.text, "btf_type_tag"))
			continue;
		if (!same_prototype(fn->prototype, p.text) && differ++ < 20)
			print_error("%s\n%s\n", fn->prototype, p.text);
		++*prototypes;
	}
	assert_int_equal(differ, 0);
	btf_dump__free(d);
	return compared;
}

/* They are those that tests/functions.py counts in what bpftool prints. */
static void check_sums(const struct kernel_sums *s)
{
	const char *text = getenv("LT_SUMS");
	struct kernel_sums others;

	assert_non_null(text);
	assert_int_equal(sscanf(text, "%u %u %u %u %u", &others.functions, &others.more_than_six,
				&others.structs, &others.varargs, &others.twice), 5);
	assert_memory_equal(s, &others, sizeof(others));
}

static void one_kernel(const char *name, const char *path)
{
	struct lt_fetch *f = lt_fetch_new("x86_64");
	struct btf *b = btf__parse(path, NULL);
	unsigned int compared, prototypes = 0, varargs = 0;
	struct kernel_sums sums = { 0 };
	const char *spec = "*";
	struct lt_fetch_set *set;
	struct lt_why why;
	clock_t begin;
	size_t bad;

	assert_non_null(b);
	if (!lt_fetch_types(f, NULL, path, &why))
		fail_msg("%s: %s", path, why.text);
	begin = clock();
	set = lt_fetch_compile(f, &spec, 1, &bad, &why);
	assert_non_null(set);
	begin = clock() - begin;
	compared = compare_all(b, set, &sums, &prototypes);
	for (size_t i = 0; i < set->n; i++) {
		sums.twice += set->functions[i].reason == LT_FETCH_TYPES_TWICE;
		varargs += !!strstr(set->functions[i].detail, "...");
	}
	printf("# %s: %u functions, %u with more than 6 arguments, %u with a struct by value, %u varargs, "
	       "%u names twice; compiled in %.2f s; values of %u and prototypes of %u compared; %zu taken\n",
	       name, sums.functions, sums.more_than_six, sums.structs, sums.varargs, sums.twice,
	       (double)begin / CLOCKS_PER_SEC, compared, prototypes, set->n_taken);
	check_sums(&sums);
	assert_int_equal(set->n_taken, set->n - sums.twice);
	assert_true(varargs <= sums.varargs && varargs + 20 >= sums.varargs);
	assert_true(compared > sums.functions * 9 / 10);
	lt_fetch_set_free(set);
	lt_fetch_free(f);
	btf__free(b);
}

/*
 * Modules that are not loaded: each function that libbpf finds in the file's types has its
 * prototype there, if the file defines one function of that name, and none has another one.
 */
static unsigned int one_module(struct lt_fetch *f, struct btf *base, const char *path)
{
	struct btf *b = btf__parse_split(path, base);
	const char *name = strrchr(path, '/') + 1;
	char *module = lt_format("%.*s", (int)(strlen(name) - 3), name), *spec;
	struct lt_fetch_set *set;
	unsigned int typed = 0;
	struct lt_why why;
	size_t bad;

	for (char *c = module; *c; c++)
		*c = *c == '-' ? '_' : *c;
	assert_non_null(b);
	if (!lt_fetch_module(f, module, path, &why))
		fail_msg("%s: %s", path, why.text);
	spec = lt_format("@%s", module);
	set = lt_fetch_compile(f, (const char *const *)&spec, 1, &bad, &why);
	if (!set)
		fail_msg("%s: %s", path, why.text);
	for (__u32 id = btf__type_cnt(base); id < btf__type_cnt(b); id++) {
		const struct btf_type *t = btf__type_by_id(b, id);
		const struct lt_fetch_function *fn;

		if (!btf_is_func(t))
			continue;
		fn = find(set, btf__name_by_offset(b, t->name_off));
		assert_string_equal(fn->module, module);
		if (*fn->prototype)
			assert_non_null(strstr(fn->prototype, fn->name));
		typed += !fn->refused;
	}
	lt_fetch_set_free(set);
	btf__free(b);
	free(spec);
	free(module);
	return typed;
}

static void modules(void **state)
{
	const char *vmlinux = getenv("LT_VMLINUX"), *list = getenv("LT_MODULES");
	char *words = list ? lt_strdup(list) : NULL, *rest = NULL;
	struct lt_fetch *f = lt_fetch_new("x86_64");
	unsigned int n = 0, typed = 0;
	struct lt_why why;
	struct btf *base;

	(void)state;
	if (!words || !*words || !vmlinux) {
		free(words);
		lt_fetch_free(f);
		skip();
	}
	base = btf__parse(vmlinux, NULL);
	assert_true(lt_fetch_types(f, NULL, vmlinux, &why));
	for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest), n++)
		typed += one_module(f, base, w);
	printf("# %u modules: %u functions with types\n", n, typed);
	assert_true(typed > 10 * n);
	free(words);
	btf__free(base);
	lt_fetch_free(f);
}

static void every_function(void **state)
{
	const char *name = getenv("LT_KERNEL"), *path = getenv("LT_VMLINUX");

	(void)state;
	if (!name || !path)
		skip();
	one_kernel(name, path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_function),
		cmocka_unit_test(modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include "needs_libbpf.h"

#endif /* LT_HAVE_LIBBPF */
