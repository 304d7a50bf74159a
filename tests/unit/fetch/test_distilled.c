// SPDX-License-Identifier: GPL-2.0
/*
 * Modules that were built outside of the kernel's tree, before they are loaded: types that their
 * file has by name and size alone (.BTF.base) are those of the kernel, or none; a file with whole
 * types needs no others.
 */
#include <elf.h>

#include "testlib.h"

#ifdef LT_HAVE_LIBBPF

#include "btfmake.h"
#include "elfmake.h"
#include "fetch/distilled.h"

/* The kernel's types, those of .BTF.base, and those of .BTF. */
static struct btfmake kernel, base, module;

enum { SECTIONS = 4 };

/* A module's file. */
struct image {
	Elf64_Ehdr head;
	Elf64_Shdr sections[SECTIONS];
	char names[32];
	uint8_t own[8192];
	uint8_t base[8192];
};

static struct image image;

static uint64_t place(const void *p)
{
	return (uint64_t)((const char *)p - (const char *)&image);
}

static void put_section(unsigned int i, unsigned int name, uint8_t *at, const struct btf *b)
{
	__u32 size;
	const void *raw = btf__raw_data(b, &size);

	assert_non_null(raw);
	assert_true(size <= sizeof(image.own));
	memcpy(at, raw, size);
	image.sections[i] = (Elf64_Shdr){ .sh_name = name, .sh_type = SHT_PROGBITS,
		.sh_offset = place(at), .sh_size = size };
}

static void make_image(void)
{
	static const char names[] = "\0.BTF\0.BTF.base\0.shstrtab";

	memset(&image, 0, sizeof(image));
	elf_head(&image.head, SECTIONS, 3);
	memcpy(image.names, names, sizeof(names));
	put_section(1, 1, image.own, module.btf);
	put_section(2, 6, image.base, base.btf);
	image.sections[3] = (Elf64_Shdr){ .sh_name = 16, .sh_type = SHT_STRTAB,
		.sh_offset = place(image.names), .sh_size = sizeof(names) };
}

static int make_struct(struct btf *b, const char *name, unsigned int size, const char *member)
{
	int id = made(btf__add_struct(b, name, size));

	if (member)
		assert_int_equal(btf__add_field(b, member, T_S32, 0, 0), 0);
	return id;
}

static void make_kernel_types(void)
{
	struct btf *b;

	make_types(&kernel, 8);
	b = kernel.btf;
	make_struct(b, "twin", 8, "small");
	make_struct(b, "twin", 16, "large");
	make_struct(b, "same", 8, "one");
	make_struct(b, "same", 8, "other");
	make_struct(b, "declared", 8, "here");
	made(btf__add_fwd(b, "declared", BTF_FWD_STRUCT));
	made(btf__add_fwd(b, "opaque", BTF_FWD_STRUCT));
	made(btf__add_union(b, "number", 4));
	made(btf__add_float(b, "float", 4));
	made(btf__add_fwd(b, "twice", BTF_FWD_STRUCT));
	make_struct(b, "twice", 16, NULL);
	make_struct(b, "twice", 24, NULL);
	made(btf__add_typedef(b, "gone", T_S32));
}

/* A function of one argument, which is @type or, with @pointer, a pointer to it. */
static void use(const char *name, int type, bool pointer)
{
	if (pointer)
		type = made(btf__add_ptr(module.btf, type));
	make_function(&module, name, 0, type, "p", -1);
}

static void use_structs(struct btf *b)
{
	/* The kernel's has another size, which does not matter behind a pointer. */
	int node = make_struct(b, "node", sizeof(struct node) + 8, NULL);
	int leaf = made(btf__add_fwd(b, "leaf", BTF_FWD_STRUCT));
	int twin = make_struct(b, "twin", 16, NULL), other = make_struct(b, "twin", 24, NULL);
	int same = make_struct(b, "same", 8, NULL), declared = make_struct(b, "declared", 8, NULL);
	int opaque = make_struct(b, "opaque", 8, NULL), twice = make_struct(b, "twice", 16, NULL);
	int number = made(btf__add_fwd(b, "number", BTF_FWD_STRUCT));
	int of_union = made(btf__add_fwd(b, "number", BTF_FWD_UNION));
	int kind = made(btf__add_union(b, "big", 24)), gone = make_struct(b, "gone", 4, NULL);
	int twins = made(btf__add_fwd(b, "twin", BTF_FWD_STRUCT));

	module.btf = btf__new_empty_split(b);
	assert_non_null(module.btf);
	use("use_node", node, true);
	use("use_leaf", leaf, true);
	use("use_twin", twin, true);
	use("use_other_twin", other, true);
	use("use_twins", twins, true);
	use("use_same", same, true);
	use("use_declared", declared, true);
	use("use_opaque", opaque, true);
	use("use_twice", twice, true);
	use("use_number", number, true);
	use("use_union", of_union, true);
	use("use_kind", kind, true);
	use("use_gone", gone, true);
}

static void use_values(int first)
{
	int one = first, two = first + 1, pair = first + 2, color = first + 3, wide = first + 4,
	    narrow = first + 5, real = first + 6, sign = first + 7, bits = first + 8, inner;

	use("use_color", color, false);
	use("use_wide", wide, false);
	use("use_narrow", narrow, false);
	use("use_real", real, false);
	use("use_sign", sign, false);
	use("use_bits", bits, false);
	use("use_bad", 5000, false);
	make_function(&module, "by_value", T_S32, two, "v", T_S32, "int", -1);
	make_function(&module, "other_size", T_S32, pair, "v", T_S32, "int", -1);
	make_function(&module, "no_result", sign, T_S32, "color", -1);
	make_function(&module, "in_array", 0,
		      made(btf__add_ptr(module.btf,
					made(btf__add_array(module.btf, T_S32, pair, 3)))),
		      "p", -1);
	inner = made(btf__add_struct(module.btf, "inner", 24));
	assert_int_equal(btf__add_field(module.btf, "node", one, 0, 0), 0);
	assert_int_equal(btf__add_field(module.btf, "own_name", two, 64, 0), 0);
	assert_int_equal(btf__add_field(module.btf, "own_bits", T_U32, 32, 5), 0);
	use("use_inner", inner, true);
	made(btf__add_enum(module.btf, "state", 4));
	btf__add_enum_value(module.btf, "STATE_ON", 3);
	use("use_state", (int)btf__type_cnt(module.btf) - 1, false);
	made(btf__add_enum64(module.btf, "state64", 8, false));
	btf__add_enum64_value(module.btf, "STATE_FAR", 1ULL << 40);
	use("use_state64", (int)btf__type_cnt(module.btf) - 1, false);
	use("use_name", made(btf__add_typedef(module.btf, "own_t", made(btf__add_const(module.btf,
		      T_LONG)))), false);
}

static int setup(void **state)
{
	struct btf *b;
	int first;

	(void)state;
	memset(&base, 0, sizeof(base));
	memset(&module, 0, sizeof(module));
	make_kernel_types();
	base.btf = b = btf__new_empty();
	make_ints(b, 8);
	first = make_struct(b, "one", 4, NULL);
	make_struct(b, "two", 16, NULL);
	make_struct(b, "pair", 12, NULL);
	made(btf__add_enum(b, "color", 4));
	made(btf__add_enum(b, "wide", 8));
	made(btf__add_enum(b, "bits", 8));
	made(btf__add_float(b, "float", 4));
	made(btf__add_int(b, "char", 1, 0));
	made(btf__add_int(b, "int", 2, BTF_INT_SIGNED));
	use_structs(b);
	use_values(first);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	btf__free(module.btf);
	btf__free(base.btf);
	btf__free(kernel.btf);
	return 0;
}

/* The module's functions on that kernel. */
static struct lt_fetch *read_module(void)
{
	struct lt_fetch *f = make_kernel(&kernel, "x86_64");
	struct lt_why why;

	make_image();
	test_put(NULL, test_path("mod.ko"), &image, sizeof(image));
	if (!lt_fetch_module(f, "mod", test_path("mod.ko"), &why))
		fail_msg("%s", why.text);
	return f;
}

static const char *const prototypes[] = {
	"void use_node(struct node *p)",
	"void use_leaf(struct leaf *p)",
	"void use_twin(struct twin *p)",
	"void use_other_twin(? *p)",
	"void use_twins(? *p)",
	"void use_same(? *p)",
	"void use_declared(? *p)",
	"void use_opaque(struct opaque *p)",
	"void use_twice(? *p)",
	"void use_number(? *p)",
	"void use_union(union number *p)",
	"void use_kind(? *p)",
	"void use_gone(? *p)",
	"void use_color(enum color p)",
	"void use_wide(enum wide p)",
	"void use_narrow(? p)",
	"void use_real(float p)",
	"void use_sign(? p)",
	"void use_bits(? p)",
	"void use_bad(? p)",
	"int by_value(struct two v, int int)",
	"int other_size(? v, int int)",
	"? no_result(int color)",
	"void in_array(? (*p)[3])",
	"void use_inner(struct inner *p)",
	"void use_state(enum state p)",
	"void use_state64(enum state64 p)",
	"void use_name(own_t p)",
};

static void check_prototypes(void)
{
	const char *spec = "@mod";
	struct lt_fetch *f = read_module();
	struct lt_fetch_set *set;
	struct lt_why why;
	size_t bad, n = sizeof(prototypes) / sizeof(prototypes[0]);

	set = lt_fetch_compile(f, &spec, 1, &bad, &why);
	assert_non_null(set);
	assert_int_equal(set->n, n);
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < n && strcmp(set->functions[k].prototype, prototypes[i]))
			k++;
		if (k == n) {
			for (k = 0; k < n; k++)
				print_error("%s\n", set->functions[k].prototype);
			fail_msg("missing: %s", prototypes[i]);
		}
	}
	lt_fetch_set_free(set);
	lt_fetch_free(f);
}

static void types_by_name_and_size(void **state)
{
	(void)state;
	check_prototypes();
}

static void the_other_byte_order(void **state)
{
	enum btf_endianness other = btf__endianness(kernel.btf) == BTF_LITTLE_ENDIAN ?
				    BTF_BIG_ENDIAN : BTF_LITTLE_ENDIAN;

	(void)state;
	assert_int_equal(btf__set_endianness(kernel.btf, other), 0);
	assert_int_equal(btf__set_endianness(base.btf, other), 0);
	assert_int_equal(btf__set_endianness(module.btf, other), 0);
	check_prototypes();
}

struct fetched {
	const char *spec;
	const char *value;
	const char *type;
	unsigned int offset;	/* of the first read from memory */
};

static const struct fetched fetched[] = {
	{ "use_node(p->own.wide)", "p->own.wide", "long long unsigned int", offsetof(struct node, own.wide) },
	{ "use_leaf(p->wide)", "p->wide", "long long unsigned int", offsetof(struct leaf, wide) },
	{ "use_twin(p->large)", "p->large", "int", 0 },
	{ "use_inner(p->own_name.second)", "p->own_name.second", "short int", 16 },
	{ "use_inner(p->node.val)", "p->node.val", "unsigned int", 0 },
	{ "use_inner(p->own_bits)", "p->own_bits", "unsigned int", 4 },
	{ "by_value(v.third, int)", "v.third", "_Bool", 0 },
	{ "by_value(int)", "int", "int", 0 },
	{ "use_twins(p)", "p", "? *", 0 },
	{ "use_state() if p == STATE_ON", "", "", 0 },
	{ "use_state64() if p == STATE_FAR", "", "", 0 },
	{ "use_color() if p == BLUE", "", "", 0 },
	{ "use_wide() if p == WIDE_LOW", "", "", 0 },
};

static void members_are_the_kernels(void **state)
{
	struct lt_fetch *f = read_module();

	(void)state;
	for (size_t i = 0; i < sizeof(fetched) / sizeof(fetched[0]); i++) {
		struct lt_fetch_set *set = must_compile(f, fetched[i].spec);
		const struct lt_fetch_function *fn = &set->functions[0];

		for (unsigned int k = 0; k < fn->n_entry; k++) {
			if (fn->steps[k].op != LT_CALL_READ)
				continue;
			assert_int_equal(fn->steps[k].offset, fetched[i].offset);
			break;
		}
		if (*fetched[i].value) {
			assert_string_equal(fn->values[0].name, fetched[i].value);
			assert_string_equal(fn->values[0].type, fetched[i].type);
		}
		lt_fetch_set_free(set);
	}
	lt_fetch_free(f);
}

static const struct {
	const char *spec;
	const char *detail;
} refused[] = {
	{ "use_sign(p)", "argument 1 (p): a type without a size" },
	{ "use_bad(p)", "argument 1 (p): a type without a size" },
	{ "other_size(v)", "argument 1 (v): a type without a size" },
	{ "other_size(int)", "argument 2 (int): behind a struct by value" },
	{ "no_result() = ret", "the result: a type without a size" },
	{ "use_same(p->one)", "one: what has it is not among the types" },
	{ "use_twins(p->large)", "large: what has it is not among the types" },
	{ "use_opaque(p->x)", "x: the members of opaque are not among the types" },
};

static void nothing_is_guessed(void **state)
{
	struct lt_fetch *f = read_module();
	struct lt_fetch_set *set;
	struct lt_why why;
	size_t bad;

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		set = lt_fetch_compile(f, &refused[i].spec, 1, &bad, &why);
		assert_non_null(set);
		if (!set->functions[0].refused ||
		    !strstr(set->functions[0].detail, refused[i].detail))
			fail_msg("%s: %s", refused[i].spec, set->functions[0].detail);
		lt_fetch_set_free(set);
	}
	lt_fetch_free(f);
}

static void must_refuse(const struct lt_distilled *d, struct lt_btf *types, const char *expected)
{
	struct lt_why why = { "" };

	assert_null(lt_distilled_parse(d, types, &why));
	if (!strstr(why.text, expected))
		fail_msg("%s", why.text);
}

static void set_section(const struct btf *b, const uint8_t **data, size_t *size)
{
	__u32 n;

	*data = btf__raw_data(b, &n);
	*size = n;
}

/* Sections that the kernel refuses, too. */
static void sections_that_are_refused(void **state)
{
	struct lt_distilled d;
	struct lt_btf *types;
	struct lt_why why;

	(void)state;
	write_types(&kernel, test_path("types"));
	types = lt_btf_read(test_path("types"), NULL, &why);
	assert_non_null(types);
	set_section(module.btf, &d.own, &d.own_size);
	set_section(base.btf, &d.base, &d.base_size);
	d.base_size--;
	must_refuse(&d, types, ".BTF.base: the header of BTF points beyond");
	d.base_size = 0;
	must_refuse(&d, types, ".BTF.base: 0 bytes are too few");
	set_section(base.btf, &d.base, &d.base_size);
	d.own_size = 5;
	must_refuse(&d, types, "5 bytes are too few");
	set_section(module.btf, &d.own, &d.own_size);
	assert_int_equal(btf__set_endianness(base.btf, BTF_BIG_ENDIAN), 0);
	set_section(base.btf, &d.base, &d.base_size);
	must_refuse(&d, types, __BYTE_ORDER == __BIG_ENDIAN ? "" : ".BTF.base: its byte order");
	btf__set_endianness(base.btf, btf__endianness(kernel.btf));
	made(btf__add_struct(base.btf, NULL, 8));
	set_section(base.btf, &d.base, &d.base_size);
	must_refuse(&d, types, "of .BTF.base has no name");
	lt_btf_free(types);
}

static void kinds_that_are_refused(void **state)
{
	struct lt_distilled d;
	struct lt_btf *types;
	struct lt_why why;

	(void)state;
	write_types(&kernel, test_path("types"));
	types = lt_btf_read(test_path("types"), NULL, &why);
	assert_non_null(types);
	made(btf__add_typedef(base.btf, "name", T_S32));
	set_section(module.btf, &d.own, &d.own_size);
	set_section(base.btf, &d.base, &d.base_size);
	must_refuse(&d, types, "of .BTF.base is of kind 8");
	lt_btf_free(types);
}

/* With bytes changed: read, or refused with a reason. */
static void damaged_sections(void **state)
{
	const char *spec = "@mod";
	struct lt_fetch *f;
	struct lt_why why;
	size_t bad;

	(void)state;
	write_types(&kernel, test_path("types"));
	srand(2);
	for (unsigned int i = 0; i < 2000; i++) {
		make_image();
		for (unsigned int k = 0; k <= i % 4; k++) {
			const Elf64_Shdr *s = &image.sections[1 + rand() % 2];

			((uint8_t *)&image)[s->sh_offset + (uint64_t)rand() % s->sh_size] =
				(uint8_t)rand();
		}
		test_put(NULL, test_path("mod.ko"), &image, sizeof(image));
		f = lt_fetch_new("x86_64");
		assert_true(lt_fetch_types(f, NULL, test_path("types"), &why));
		why.text[0] = 0;
		if (lt_fetch_module(f, "mod", test_path("mod.ko"), &why))
			lt_fetch_set_free(lt_fetch_compile(f, &spec, 1, &bad, &why));
		else
			assert_true(why.text[0]);
		lt_fetch_free(f);
	}
}

/*
 * Types in one section that are whole: they are read alone, with and without types of the kernel,
 * and pointers have the size of the machine, though no type says it.
 */
static void whole_types(void **state)
{
	static const char *const specs[] = { "@mod", "mod:own(p->far, n) = ret" };
	struct lt_fetch_set *set;
	struct btfmake whole = { .btf = btf__new_empty() };
	int number = made(btf__add_int(whole.btf, "int", 4, BTF_INT_SIGNED)), leaf;

	(void)state;
	leaf = made(btf__add_struct(whole.btf, "leaf", 8));
	assert_int_equal(btf__add_field(whole.btf, "far", number, 32, 0), 0);
	make_function(&whole, "own", number, made(btf__add_ptr(whole.btf, leaf)), "p", number, "n", -1);
	make_image();
	put_section(1, 1, image.own, whole.btf);
	image.sections[2] = (Elf64_Shdr){ 0 };
	test_put(NULL, test_path("mod.ko"), &image, sizeof(image));
	for (unsigned int i = 0; i < 2; i++) {
		struct lt_fetch *f = i ? make_kernel(&kernel, "i386") : lt_fetch_new("i386");
		struct lt_why why;
		size_t bad;

		if (!lt_fetch_module(f, "mod", test_path("mod.ko"), &why))
			fail_msg("%s", why.text);
		set = lt_fetch_compile(f, specs, 1, &bad, &why);
		assert_non_null(set);
		assert_int_equal(set->n, 1);
		assert_string_equal(set->functions[0].prototype, "int own(struct leaf *p, int n)");
		lt_fetch_set_free(set);
		set = must_compile(f, specs[1]);
		assert_int_equal(set->functions[0].values[0].size, 4);
		assert_int_equal(set->functions[0].steps[0].op, LT_CALL_ARG);
		lt_fetch_set_free(set);
		/* A pointer has 4 bytes there. */
		set = must_compile(f, "mod:own(p:pointer)");
		assert_int_equal(set->functions[0].values[0].size, 4);
		lt_fetch_set_free(set);
		lt_fetch_free(f);
	}
	btf__free(whole.btf);
}

/* Types that are built upon those of the kernel mean nothing without these. */
static void types_upon_others_need_them(void **state)
{
	static const char *const spec = "@mod";
	struct lt_fetch *f = lt_fetch_new("x86_64");
	struct btfmake own = { .btf = btf__new_empty_split(kernel.btf) };
	struct lt_fetch_set *set;
	struct lt_why why;
	size_t bad;

	(void)state;
	make_function(&own, "own", T_S32, T_LONG, "n", -1);
	make_image();
	put_section(1, 1, image.own, own.btf);
	image.sections[2] = (Elf64_Shdr){ 0 };
	test_put(NULL, test_path("mod.ko"), &image, sizeof(image));
	if (!lt_fetch_module(f, "mod", test_path("mod.ko"), &why))
		fail_msg("%s", why.text);
	assert_int_equal(lt_fetch_functions(f), 0);
	lt_fetch_free(f);
	f = make_kernel(&kernel, "x86_64");
	if (!lt_fetch_module(f, "mod", test_path("mod.ko"), &why))
		fail_msg("%s", why.text);
	set = lt_fetch_compile(f, &spec, 1, &bad, &why);
	assert_non_null(set);
	assert_string_equal(set->functions[0].prototype, "int own(long int n)");
	lt_fetch_set_free(set);
	lt_fetch_free(f);
	btf__free(own.btf);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(types_by_name_and_size),
		TEST(the_other_byte_order),
		TEST(members_are_the_kernels),
		TEST(nothing_is_guessed),
		TEST(sections_that_are_refused),
		TEST(kinds_that_are_refused),
		TEST(damaged_sections),
		TEST(whole_types),
		TEST(types_upon_others_need_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include "needs_libbpf.h"

#endif /* LT_HAVE_LIBBPF */
