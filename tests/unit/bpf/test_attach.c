// SPDX-License-Identifier: GPL-2.0
/*
 * In which order programs are attached and detached, by a libbpf that writes it down.
 *
 * The kernel calls programs of a tracepoint in the order in which they were attached, those of a
 * function in the opposite one. Copy 0 has to be called first.
 */
#include <errno.h>

#include "testlib.h"

#ifdef LT_HAVE_LIBBPF

#include "bpf/internal.h"

/* What libbpf calls a program and a link: here a program is its letter, and a link that letter. */
static char order[64];
static char refused;

static void note(char letter)
{
	size_t n = strlen(order);

	assert_true(n + 1 < sizeof(order));
	order[n] = letter;
	order[n + 1] = 0;
}

static struct bpf_link *fake_attach(const struct bpf_program *p)
{
	char letter = *(const char *)p;

	if (letter == refused) {
		errno = EPERM;
		return NULL;
	}
	note(letter);
	return (struct bpf_link *)(uintptr_t)letter;
}

/* In capitals. */
static int fake_destroy(struct bpf_link *link)
{
	note((char)((uintptr_t)link - 'a' + 'A'));
	return 0;
}

static const struct lt_libbpf lib = {
	.bpf_program__attach = fake_attach, .bpf_link__destroy = fake_destroy,
};

static const struct lt_bpf_def
	birth = { .event = 1, .name = "birth", .class = LT_CLASS_NONE, .failed = LT_CLASS_NONE },
	death = { .event = 2, .name = "death", .class = LT_CLASS_NONE, .failed = LT_CLASS_NONE,
		  .free = true };

/* A session with one channel: birth, whose copies are "abc", and then death, "xyz". */
struct session {
	struct lt_bpf b;
	struct lt_bpf_probe probes[2];
	struct lt_bpf_cpu cpu;
	uint64_t places[4];
};

static void set_probe(struct lt_bpf_probe *p, const struct lt_bpf_def *def, const char *kind,
		      const char *letters)
{
	*p = (struct lt_bpf_probe){
		.def = def, .shown = { .name = def->name, .kind = kind, .watched = true },
	};
	for (unsigned int copy = 0; copy < LT_BPF_COPIES; copy++)
		p->programs[copy] = (struct bpf_program *)(uintptr_t)&letters[copy];
}

static void begin(struct session *s, const char *kind)
{
	struct lt_bpf_channel *c = &s->b.channels[LT_BPF_KMEM];

	*s = (struct session){ .b = { .lib = &lib, .n_cpus = 1 } };
	set_probe(&s->probes[0], &birth, kind, "abc");
	set_probe(&s->probes[1], &death, kind, "xyz");
	c->object = (struct bpf_object *)s;
	c->probes = s->probes;
	c->n_probes = 2;
	c->ring.at = (uint8_t *)&s->cpu;
	c->ring.read = &s->places[0];
	c->ring.until = &s->places[1];
	c->ring.next = &s->places[2];
	c->ring.now = &s->places[3];
	order[0] = 0;
	refused = 0;
}

static void test_tracepoints(void **state)
{
	struct lt_why why;
	struct session s;

	(void)state;
	begin(&s, "tracepoint");
	assert_true(lt_bpf_attach(&s.b, &why));
	assert_string_equal(order, "xyzabc");
	assert_int_not_equal(s.cpu.watched, 0);
	assert_int_not_equal(s.cpu.watched, LT_BPF_DETACHING);
	order[0] = 0;
	/* A copy that runs without the ones before it would take their events. */
	lt_bpf_detach(&s.b);
	assert_string_equal(order, "CBAZYX");
	assert_int_equal(s.cpu.watched, LT_BPF_DETACHING);
}

static void test_functions(void **state)
{
	struct lt_why why;
	struct session s;

	(void)state;
	begin(&s, "function");
	/* What the copies took before copy 0 was there is not missing. */
	s.cpu.runs[1][birth.event] = 2;
	s.cpu.runs[2][birth.event] = 3;
	assert_true(lt_bpf_attach(&s.b, &why));
	assert_string_equal(order, "zyxcba");
	assert_int_equal(s.probes[0].early, 5);
	assert_int_equal(s.probes[1].early, 0);
	order[0] = 0;
	lt_bpf_detach(&s.b);
	assert_string_equal(order, "CBAZYX");
}

/* All copies, or none. */
static void test_refused(void **state)
{
	struct lt_why why;
	struct session s;

	(void)state;
	begin(&s, "tracepoint");
	refused = 'y';
	assert_true(lt_bpf_attach(&s.b, &why));
	assert_string_equal(order, "xXabc");
	assert_false(s.probes[1].shown.watched);
	assert_non_null(strstr(s.probes[1].shown.reason, "cannot be attached"));
	assert_true(s.probes[0].shown.watched);
	begin(&s, "function");
	s.probes[1].shown.watched = false;
	refused = 'a';
	assert_false(lt_bpf_attach(&s.b, &why));
	assert_string_equal(order, "cbCB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tracepoints),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include "needs_libbpf.h"

#endif /* LT_HAVE_LIBBPF */
