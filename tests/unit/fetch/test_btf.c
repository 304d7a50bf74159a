// SPDX-License-Identifier: GPL-2.0
/*
 * Files of types: of either byte order, in an ELF file, of a module; and files that are damaged.
 */
#include <elf.h>
#include <sys/stat.h>

#include "testlib.h"

#ifdef LT_HAVE_LIBBPF

#include "btfmake.h"
#include "fetch/btf.h"

static struct btfmake m;

static void make(void)
{
	make_types(&m, 8);
	make_function(&m, "f", T_S32, m.node_ptr, "n", T_U32, "count", -1);
	make_function(&m, "g", m.pair, m.color, "c", m.two, "t", -1);
}

static int teardown(void **state)
{
	(void)state;
	btf__free(m.btf);
	return 0;
}

static int setup(void **state)
{
	(void)state;
	make();
	return 0;
}

/* What a set says and does, as one text. */
static char *everything(const struct lt_fetch *f)
{
	static const char spec[] = "*", *specs[] = { spec, "f(n->own.id, n->next->leaf->wide) = ret" };
	struct lt_fetch_set *set;
	struct lt_why why;
	size_t bad, size;
	char *text, *all, *hex;
	uint8_t *bytes;

	set = lt_fetch_compile(f, specs, 2, &bad, &why);
	if (!set)
		fail_msg("%s", why.text);
	text = lt_fetch_set_text(set);
	bytes = lt_fetch_set_bytes(set, 0, 0, &size, &why);
	hex = lt_alloc(2 * size + 1);
	for (size_t i = 0; i < size; i++)
		sprintf(hex + 2 * i, "%02x", bytes[i]);
	all = lt_format("%s%s", text, hex);
	free(text);
	free(hex);
	free(bytes);
	lt_fetch_set_free(set);
	return all;
}

static struct lt_fetch *read_types(const void *data, size_t size)
{
	struct lt_fetch *f = lt_fetch_new("x86_64");
	struct lt_why why;

	test_put(NULL, test_path("t"), data, size);
	if (!lt_fetch_types(f, NULL, test_path("t"), &why))
		fail_msg("%s", why.text);
	return f;
}

/* libbpf writes the other byte order; but for bit fields nothing depends on it. */
static void the_other_byte_order(void **state)
{
	struct lt_fetch *f, *other;
	const void *raw;
	char *a, *b;
	__u32 size;

	(void)state;
	raw = btf__raw_data(m.btf, &size);
	f = read_types(raw, size);
	assert_int_equal(btf__set_endianness(m.btf, btf__endianness(m.btf) == BTF_LITTLE_ENDIAN ?
					     BTF_BIG_ENDIAN : BTF_LITTLE_ENDIAN), 0);
	raw = btf__raw_data(m.btf, &size);
	other = read_types(raw, size);
	a = everything(f);
	b = everything(other);
	assert_string_equal(a, b);
	assert_non_null(strstr(a, "int f(struct node *n, unsigned int count)"));
	free(a);
	free(b);
	lt_fetch_free(f);
	lt_fetch_free(other);
}

/* Bit fields of a big-endian machine are counted from the highest bit. */
static void bit_fields_of_a_big_endian_machine(void **state)
{
	struct lt_fetch_set *set;
	struct lt_fetch *f;
	const void *raw;
	__u32 size;

	(void)state;
	btf__set_endianness(m.btf, BTF_BIG_ENDIAN);
	raw = btf__raw_data(m.btf, &size);
	f = read_types(raw, size);
	set = must_compile(f, "f(n->own.three)");
	/* 3 bits of a byte, from the top */
	assert_int_equal(set->functions[0].steps[1].op, LT_CALL_READ);
	assert_int_equal(set->functions[0].steps[1].size, 1);
	assert_int_equal(set->functions[0].steps[1].offset, 4);
	assert_int_equal(set->functions[0].steps[2].op, LT_CALL_BITS);
	assert_int_equal(set->functions[0].steps[2].size, 3);
	assert_int_equal(set->functions[0].steps[2].arg, 5);
	lt_fetch_set_free(set);
	lt_fetch_free(f);
}

/* Types that a module adds have numbers and names behind those of the kernel. */
static void types_of_a_module(void **state)
{
	struct btf *split = btf__new_empty_split(m.btf);
	struct lt_fetch *f;
	struct lt_fetch_set *set;
	struct lt_why why;
	const void *raw;
	int thing, proto;
	__u32 size;

	(void)state;
	raw = btf__raw_data(m.btf, &size);
	f = read_types(raw, size);
	thing = btf__add_struct(split, "thing", 16);
	btf__add_field(split, "number", T_S32, 0, 0);
	btf__add_field(split, "node", m.node_ptr, 64, 0);
	thing = btf__add_ptr(split, thing);
	proto = btf__add_func_proto(split, T_S32);
	btf__add_func_param(split, "t", thing);
	btf__add_func_param(split, "color", m.color);
	assert_true(btf__add_func(split, "in_module", BTF_FUNC_STATIC, proto) > 0);
	raw = btf__raw_data(split, &size);
	test_put(NULL, test_path("module"), raw, size);
	assert_true(lt_fetch_types(f, "mod", test_path("module"), &why));
	set = must_compile(f, "mod:in_module(t->number, t->node->own.id, color)");
	assert_string_equal(set->functions[0].prototype, "int in_module(struct thing *t, enum color color)");
	assert_string_equal(set->functions[0].module, "mod");
	assert_int_equal(set->functions[0].steps[3].op, LT_CALL_ARG);
	assert_int_equal(set->functions[0].steps[4].offset, 8);
	lt_fetch_set_free(set);
	assert_false(lt_fetch_types(f, "mod", test_path("module"), &why));
	assert_non_null(strstr(why.text, "already"));
	lt_fetch_free(f);

	/* Where the kernel's are expected they are refused, with what to do. */
	f = lt_fetch_new("x86_64");
	assert_false(lt_fetch_types(f, NULL, test_path("module"), &why));
	assert_string_equal(why.text, "it is damaged, or has the types of a module, which need those of its "
			    "kernel: there name a function as MODULE:NAME, without a file");
	lt_fetch_free(f);
	btf__free(split);
}

/* An ELF file of one section. */
static void types_in_an_elf_file(void **state)
{
	static const char names[] = "\0.BTF\0.shstrtab";
	struct {
		Elf64_Ehdr head;
		Elf64_Shdr sections[3];
		char names[16];
		uint8_t types[8192];
	} elf = { 0 };
	struct lt_fetch *f, *plain;
	struct lt_why why;
	const void *raw;
	char *a, *b;
	__u32 size;

	(void)state;
	raw = btf__raw_data(m.btf, &size);
	assert_true(size <= sizeof(elf.types));
	memcpy(elf.head.e_ident, ELFMAG, SELFMAG);
	elf.head.e_ident[EI_CLASS] = ELFCLASS64;
	elf.head.e_ident[EI_DATA] = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
	elf.head.e_shoff = sizeof(elf.head);
	elf.head.e_shentsize = sizeof(Elf64_Shdr);
	elf.head.e_shnum = 3;
	elf.head.e_shstrndx = 2;
	memcpy(elf.names, names, sizeof(names));
	memcpy(elf.types, raw, size);
	elf.sections[1] = (Elf64_Shdr){ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_size = size,
		.sh_offset = (uint64_t)((char *)elf.types - (char *)&elf) };
	elf.sections[2] = (Elf64_Shdr){ .sh_name = 6, .sh_type = SHT_STRTAB, .sh_size = sizeof(names),
		.sh_offset = (uint64_t)(elf.names - (char *)&elf) };
	f = read_types(&elf, sizeof(elf));
	plain = read_types(raw, size);
	a = everything(f);
	b = everything(plain);
	assert_string_equal(a, b);
	free(a);
	free(b);
	lt_fetch_free(plain);
	lt_fetch_free(f);

	/* Without the section, and with one that is not whole. */
	f = lt_fetch_new("x86_64");
	elf.sections[1].sh_name = 6;
	test_put(NULL, test_path("t"), &elf, sizeof(elf));
	assert_false(lt_fetch_types(f, NULL, test_path("t"), &why));
	assert_string_equal(why.text, "the ELF file has no section .BTF");
	elf.sections[1].sh_name = 1;
	elf.sections[1].sh_size = sizeof(elf);
	test_put(NULL, test_path("t"), &elf, sizeof(elf));
	assert_false(lt_fetch_types(f, NULL, test_path("t"), &why));
	lt_fetch_free(f);
}

/* Cut anywhere, or with a byte changed: read, or refused with a reason; nothing else. */
static void damaged_types(void **state)
{
	struct lt_btf *b;
	struct lt_why why;
	const uint8_t *raw;
	uint8_t *copy;
	__u32 size;

	(void)state;
	raw = btf__raw_data(m.btf, &size);
	for (uint32_t n = 0; n < size; n += n < 200 ? 1 : 37) {
		copy = malloc(n + 1);
		memcpy(copy, raw, n);
		why.text[0] = 0;
		b = lt_btf_parse(copy, n, NULL, &why);
		assert_null(b);
		assert_true(why.text[0]);
	}
	srand(1);
	for (unsigned int i = 0; i < 3000; i++) {
		struct lt_fetch *f = lt_fetch_new(i % 2 ? "x86_64" : "aarch64");
		char *path = lt_strdup(test_path("t"));

		copy = malloc(size);
		memcpy(copy, raw, size);
		for (unsigned int k = 0; k <= i % 4; k++)
			copy[(unsigned int)rand() % size] = (uint8_t)rand();
		test_put(NULL, path, copy, size);
		free(copy);
		why.text[0] = 0;
		if (lt_fetch_types(f, NULL, path, &why)) {
			const char *spec = i % 3 ? "*" : "*($arg*, n->own.three, n->next->leaf->name) = ret";
			struct lt_fetch_set *set;
			size_t bad;

			set = lt_fetch_compile(f, &spec, 1, &bad, &why);
			if (set)
				free(lt_fetch_set_text(set));
			lt_fetch_set_free(set);
		} else {
			assert_true(why.text[0]);
		}
		free(path);
		lt_fetch_free(f);
	}
}

/* Structs that have themselves as members, by value and without names, are not followed forever. */
static void structs_in_themselves(void **state)
{
	const char *specs[] = { "h", "h(s.x)", "h(p->x)" };
	int self = (int)btf__type_cnt(m.btf), pointer;
	struct lt_fetch_set *set;
	struct lt_fetch *f;
	struct lt_why why;
	const void *raw;
	size_t bad;
	__u32 size;

	(void)state;
	assert_int_equal(btf__add_struct(m.btf, "self", 16), self);
	for (int i = 0; i < 4; i++)
		assert_int_equal(btf__add_field(m.btf, NULL, self, 0, 0), 0);
	pointer = btf__add_ptr(m.btf, self);
	make_function(&m, "h", self, self, "s", pointer, "p", -1);
	raw = btf__raw_data(m.btf, &size);
	f = read_types(raw, size);
	for (size_t i = 0; i < 3; i++) {
		set = lt_fetch_compile(f, &specs[i], 1, &bad, &why);
		assert_non_null(set);
		assert_int_not_equal(set->functions[0].reason, LT_FETCH_NONE);
		lt_fetch_set_free(set);
	}
	lt_fetch_free(f);
}

/* Symbols that are none. */
static void damaged_symbols(void **state)
{
	static const struct {
		const char *text;
		const char *why;
	} cases[] = {
		{ "", "it has no symbols" },
		{ "ffffffff81000000 T f\nffffffff81000000 T\n", "line 2: expected 'ADDRESS TYPE NAME'" },
		{ "xyz T f\n", "line 1: expected" },
		{ "ffffffff81000000TT f\n", "line 1: expected" },
	};
	struct lt_fetch *f = lt_fetch_new("x86_64");
	struct lt_why why;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_put(NULL, test_path("s"), cases[i].text, strlen(cases[i].text));
		assert_false(lt_fetch_symbols(f, test_path("s"), &why));
		if (!strstr(why.text, cases[i].why))
			fail_msg("%s", why.text);
	}
	assert_false(lt_fetch_symbols(f, test_path("nothing"), &why));
	assert_false(lt_fetch_traceable(f, test_path("nothing"), &why));
	lt_fetch_free(f);
}

/* The lines of a file. */
static void files_of_specs(void **state)
{
	static const char text[] = "# calls\n\n  vfs_read(file) = ret  \r\n\tvfs_*\n   # more\n@mod";
	struct lt_why why;
	char **specs = NULL;
	size_t n = 0;

	(void)state;
	test_put(NULL, test_path("specs"), text, sizeof(text) - 1);
	assert_true(lt_fetch_read_specs(test_path("specs"), &specs, &n, &why));
	assert_int_equal(n, 3);
	assert_string_equal(specs[0], "vfs_read(file) = ret");
	assert_string_equal(specs[1], "vfs_*");
	assert_string_equal(specs[2], "@mod");
	for (size_t i = 0; i < n; i++)
		free(specs[i]);
	free(specs);
	assert_false(lt_fetch_read_specs(test_path("nothing"), &specs, &n, &why));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_other_byte_order, setup, teardown),
		cmocka_unit_test_setup_teardown(bit_fields_of_a_big_endian_machine, setup, teardown),
		cmocka_unit_test_setup_teardown(types_of_a_module, setup, teardown),
		cmocka_unit_test_setup_teardown(types_in_an_elf_file, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_types, setup, teardown),
		cmocka_unit_test_setup_teardown(structs_in_themselves, setup, teardown),
		cmocka_unit_test(damaged_symbols),
		cmocka_unit_test(files_of_specs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include "needs_libbpf.h"

#endif /* LT_HAVE_LIBBPF */
