// SPDX-License-Identifier: GPL-2.0
/*
 * Modules that are loaded, in a kernel that has kept no types of them: these are in their files.
 */
#include <elf.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "testlib.h"

#ifdef LT_HAVE_LIBBPF

#include "btfmake.h"
#include "elfmake.h"

enum { SECTIONS = 4 };

/* A module's file. */
struct image {
	Elf64_Ehdr head;
	Elf64_Shdr sections[SECTIONS];
	char names[48];
	uint8_t types[1024];
	uint8_t id[64];
};

static struct image image;

static void put_section(unsigned int i, unsigned int name, const void *at, size_t size)
{
	image.sections[i] = (Elf64_Shdr){ .sh_name = name, .sh_type = SHT_PROGBITS, .sh_size = size,
		.sh_offset = (uint64_t)((const char *)at - (const char *)&image) };
}

static void make_image(const struct btf *types, const void *id, size_t id_size)
{
	static const char names[] = "\0.BTF\0.note.gnu.build-id\0.shstrtab";
	__u32 size;
	const void *raw = btf__raw_data(types, &size);

	memset(&image, 0, sizeof(image));
	elf_head(&image.head, SECTIONS, 3);
	assert_true(size <= sizeof(image.types) && id_size <= sizeof(image.id));
	memcpy(image.names, names, sizeof(names));
	memcpy(image.types, raw, size);
	memcpy(image.id, id, id_size);
	put_section(1, 1, image.types, size);
	put_section(2, 6, image.id, id_size);
	put_section(3, 25, image.names, sizeof(names));
}

/* A file below the root of a made-up system. */
static void put_in_root(const char *name, const void *data, size_t size)
{
	char *path = lt_strdup(test_path(name));

	for (char *c = path + strlen(path) - strlen(name); *c; c++) {
		if (*c != '/')
			continue;
		*c = 0;
		mkdir(path, 0700);
		*c = '/';
	}
	test_put(NULL, path, data, size);
	free(path);
}

/* A kernel that has loaded the module, and kept no types of it. */
static struct lt_fetch *with_loaded_module(void)
{
	static const char symbols[] = "ffffffff81000000 t own\t[mod]\n";
	struct lt_fetch *f = lt_fetch_new("i386");
	struct lt_why why;

	test_put(NULL, test_path("symbols"), symbols, strlen(symbols));
	if (!lt_fetch_symbols(f, test_path("symbols"), &why))
		fail_msg("%s", why.text);
	return f;
}

static void check_loaded(const char *expected)
{
	static const char *const spec = "mod:own";
	struct lt_fetch *f = with_loaded_module();
	struct lt_fetch_set *set;
	struct lt_why why;
	size_t bad;

	/* The second time nothing is read. */
	for (unsigned int i = 0; i < 2; i++) {
		if (!lt_fetch_modules(f, &spec, 1, test_path("."), &why))
			fail_msg("%s", why.text);
	}
	set = lt_fetch_compile(f, &spec, 1, &bad, &why);
	assert_non_null(set);
	assert_int_equal(set->n, 1);
	assert_string_equal(set->functions[0].prototype, expected ? expected : "");
	assert_false(set->functions[0].refused);
	assert_int_equal(set->functions[0].reason, expected ? LT_FETCH_NONE : LT_FETCH_NO_TYPE);
	assert_int_equal(set->functions[0].n_values, expected ? 2 : 0);
	lt_fetch_set_free(set);
	lt_fetch_free(f);
}

/*
 * Types of a loaded module that the kernel has not kept are those of its file, if that was loaded,
 * and not one that was built since.
 */
static void types_of_the_file_that_was_loaded(void **state)
{
	struct btfmake whole = { .btf = btf__new_empty() };
	int number = made(btf__add_int(whole.btf, "int", 4, BTF_INT_SIGNED));
	static const char dep[] = "extra/mod.ko:\n";
	uint8_t id[] = "the build ID of this file";
	struct utsname name;
	char *dir;

	(void)state;
	make_function(&whole, "own", number, number, "n", -1);
	make_image(whole.btf, id, sizeof(id));
	uname(&name);
	dir = lt_format("lib/modules/%s/modules.dep", name.release);
	put_in_root(dir, dep, strlen(dep));
	free(dir);
	dir = lt_format("lib/modules/%s/extra/mod.ko", name.release);
	put_in_root(dir, &image, sizeof(image));
	free(dir);
	check_loaded(NULL);
	put_in_root("sys/module/mod/notes/.note.gnu.build-id", id, sizeof(id));
	check_loaded("int own(int n)");
	id[0]++;
	put_in_root("sys/module/mod/notes/.note.gnu.build-id", id, sizeof(id));
	check_loaded(NULL);
	put_in_root("sys/module/mod/notes/.note.gnu.build-id", id, 0);
	check_loaded(NULL);
	btf__free(whole.btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_of_the_file_that_was_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include "needs_libbpf.h"

#endif /* LT_HAVE_LIBBPF */
