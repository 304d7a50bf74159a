// SPDX-License-Identifier: GPL-2.0
/*
 * Functions by their types. What shall be cut to the size of a type is handed over in a whole
 * register, whose upper bits are not those of the value.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "calls.h"

/* What a compiler may leave in the upper bits. */
#define DIRT	0xa5c3b4d2e1f00000ULL

/* f(a, b), in whole registers. */
#if defined(CONFIG_X86_64) || defined(CONFIG_ARM64)
typedef u64 whole_fn(u64 a, u64 b);

static __always_inline void call_dirty(void *f, u64 a, u64 b)
{
	whole_fn *volatile fn = f;

	fn(a, b);
}

#define call_dirty_enum(f, a)	call_dirty(f, (DIRT << 20) | (u32)(a), 0)
#define ABOVE_8_BITS		(DIRT & ~0xffULL)
#else
/* There the caller extends a value to a whole register, or one has no room for 64 bits. */
#define call_dirty(f, a, b)	f(a, b)
#define call_dirty_enum(f, a)	f(a)
#define ABOVE_8_BITS		0ULL
#endif

#define OF_INTEGER(name, type, conversion)				\
static WHOLE type ltc_##name(type a, type b)				\
{									\
	type result = (type)(a - b * 3);				\
									\
	TRUTH("a=" conversion " b=" conversion " result=" conversion, a, b, result);	\
	return result;							\
}

OF_INTEGER(u8, u8, "%u")
OF_INTEGER(s8, s8, "%d")
OF_INTEGER(u16, u16, "%u")
OF_INTEGER(s16, s16, "%d")
OF_INTEGER(u32, u32, "%u")
OF_INTEGER(s32, s32, "%d")
OF_INTEGER(u64, u64, "%llu")
OF_INTEGER(s64, s64, "%lld")
OF_INTEGER(long, long, "%ld")
OF_INTEGER(size, size_t, "%zu")
OF_INTEGER(schar, signed char, "%d")
OF_INTEGER(uchar, unsigned char, "%u")

static WHOLE bool ltc_bool(bool a, bool b)
{
	TRUTH("a=%d b=%d result=%d", a, b, a && !b);
	return a && !b;
}

static WHOLE char ltc_char(char a, char b)
{
	TRUTH("a='%c' b='%c' result='%c'", a, b, a == b ? '=' : a);
	return a == b ? '=' : a;
}

enum ltc_colour { LTC_BLACK = -5, LTC_RED = 1, LTC_GREEN, LTC_BLUE = 77 };

static WHOLE enum ltc_colour ltc_enum(enum ltc_colour a)
{
	enum ltc_colour b = a == LTC_BLUE ? LTC_BLACK : a == LTC_BLACK ? LTC_RED : LTC_BLUE;

	TRUTH("a=%d result=%d", a, b);
	return b;
}

struct ltc_bits {
	u32 low : 3;
	u32 middle : 11;
	s32 negative : 7;
	u32 high : 11;
	u64 wide : 37;
	s64 far : 20;
	bool yes : 1;
};

static WHOLE void ltc_bits(struct ltc_bits *p)
{
	TRUTH("p->low=%u p->middle=%u p->negative=%d p->high=%u p->wide=%llu p->far=%lld p->yes=%d",
	      p->low, p->middle, p->negative, p->high, (u64)p->wide, (s64)p->far, p->yes);
}

struct ltc_8 { s32 a; u16 b; s8 c; };
struct ltc_16 { s64 a; u32 b; s16 c; bool d; };

static WHOLE s32 ltc_struct8(struct ltc_8 v, s32 after)
{
	TRUTH("v.a=%d v.b=%u v.c=%d after=%d result=%d", v.a, v.b, v.c, after, v.a ^ after);
	return v.a ^ after;
}

static WHOLE u32 ltc_struct16(u8 before, struct ltc_16 v, u32 after)
{
	TRUTH("before=%u v.a=%lld v.b=%u v.c=%d v.d=%d after=%u result=%u", before, v.a, v.b, v.c,
	      v.d, after, v.b + after);
	return v.b + after;
}

static WHOLE struct ltc_8 ltc_result8(s32 a)
{
	TRUTH("a=%d ret.a=%d ret.b=5 ret.c=-5", a, a);
	return (struct ltc_8){ a, 5, -5 };
}

struct ltc_24 { u64 a, b, c; };

/* Too large for registers: it is on the stack. */
static WHOLE u64 ltc_struct24(u32 before, struct ltc_24 v)
{
	u64 r = mixed(v.a, v.b, v.c);

	TRUTH("before=%u result=%llu", before, r);
	return r;
}

struct ltc_inner { char name[12]; const char *text; s16 numbers[4]; };
struct ltc_outer { u64 gap; struct ltc_inner *to; struct ltc_inner in; struct ltc_outer *none; };

static WHOLE long ltc_nested(struct ltc_outer *p, long *out)
{
	*out = p->to->numbers[2] * 1000L;
	TRUTH("p->to->numbers[2]=%d p->in.numbers[3]=%d p->in.name=\"%s\" "
	      "p->to->text=\"%s\" p->none->gap=<unread> *out@ret=%ld result=%ld",
	      p->to->numbers[2], p->in.numbers[3], p->in.name, p->to->text, *out, -*out);
	return -*out;
}

static WHOLE size_t ltc_text(const char *text, const char *none)
{
	TRUTH("text=\"%s\" none=NULL result=%zu", text, strlen(text));
	return strlen(text);
}

static __printf(2, 3) WHOLE int ltc_varargs(int a, const char *format, ...)
{
	TRUTH("a=%d format=\"%s\" result=%d", a, format, a + 1);
	return a + 1;
}

static WHOLE void ltc_nothing(void)
{
	TRUTH("%s", "");
}

static WHOLE u64 ltc_1(s16 a)
{
	u64 r = mixed(a, 0, 0);

	TRUTH("a=%d result=%llu", a, r);
	return r;
}

static WHOLE u64 ltc_3(u8 a, s64 b, bool c)
{
	u64 r = mixed(a, b, c);

	TRUTH("a=%u b=%lld c=%d result=%llu", a, b, c, r);
	return r;
}

static WHOLE u64 ltc_6(u8 a, s64 b, bool c, s32 d, u16 e, s8 f)
{
	u64 r = mixed(a + d, b + e, c + f);

	TRUTH("a=%u b=%lld c=%d d=%d e=%u f=%d result=%llu", a, b, c, d, e, f, r);
	return r;
}

static WHOLE u64 ltc_7(u8 a, s64 b, bool c, s32 d, u16 e, s8 f, s16 g)
{
	u64 r = mixed(a + d, b + e, c + f + g);

	TRUTH("a=%u b=%lld c=%d d=%d e=%u f=%d g=%d result=%llu", a, b, c, d, e, f, g, r);
	return r;
}

static WHOLE u64 ltc_10(u8 a, s64 b, bool c, s32 d, u16 e, s8 f, s16 g, u64 h, u8 i, s8 j)
{
	u64 r = mixed(a + d, b + e + h, c + f + g + i + j);

	TRUTH("a=%u b=%lld c=%d d=%d e=%u f=%d g=%d h=%llu i=%u j=%d result=%llu", a, b, c, d, e,
	      f, g, h, i, j, r);
	return r;
}

/* More than are read of the stack. */
static WHOLE u64 ltc_16(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h, u64 i, u64 j, u64 k,
			u64 l, u64 m, u64 n, u64 o, u64 p)
{
	u64 r = mixed(a + b + c + d + e + f, g + h + i + j + k, l + m + n + o + p);

	TRUTH("n=%llu result=%llu", n, r);
	return r;
}

static void notrace call_numbers(u32 n)
{
	u64 a = DIRT + 200 + n, b = DIRT * 3 + 17ULL * n;

	call_dirty(ltc_u8, a, b);
	call_dirty(ltc_s8, a, b);
	call_dirty(ltc_u16, a + 65000, b);
	call_dirty(ltc_s16, a + 40000, b);
	call_dirty(ltc_u32, a + 0xfffff000, b);
	call_dirty(ltc_s32, a + 0x80000000, b);
	call_dirty(ltc_u64, a, b);
	call_dirty(ltc_s64, -a, b);
	call_dirty(ltc_long, a, -b);
	call_dirty(ltc_size, a, b);
	call_dirty(ltc_schar, a, b);
	call_dirty(ltc_uchar, a, b);
	/* A bool and a char are in 8 bits of a register. */
	call_dirty(ltc_bool, ABOVE_8_BITS + (n & 1), ABOVE_8_BITS + ((n >> 1) & 1));
	call_dirty(ltc_char, ABOVE_8_BITS + 'A' + n % 26, ABOVE_8_BITS + 'C');
}

static void notrace call_structs(u32 n)
{
	static const enum ltc_colour colours[] = { LTC_BLACK, LTC_RED, LTC_GREEN, LTC_BLUE };
	struct ltc_bits bits = {
		.low = n, .middle = n * 77, .negative = -(s32)(n % 60), .high = 2047 - n % 1000,
		.wide = 0x1234567890ULL + n, .far = -(s64)n - 9, .yes = n & 1,
	};
	struct ltc_inner far = { "far", "a text (long)", { 1, 2, -(s16)n - 3, 4 } };
	struct ltc_outer p = { n, &far, { "near", "", { 0, 0, 0, -(s16)n } }, NULL };
	long out = 1;

	call_dirty_enum(ltc_enum, colours[n % 4]);
	ltc_bits(&bits);
	ltc_struct8((struct ltc_8){ -(s32)n, n * 3, -(s8)(n % 100) }, 1000 + n);
	ltc_struct16(n, (struct ltc_16){ -(s64)n << 33, ~(u32)n, -(s16)n, n & 1 }, n * 7);
	ltc_struct24(n, (struct ltc_24){ n, -(u64)n, 3 });
	ltc_result8(n);
	ltc_nested(&p, &out);
}

/* Values are made of 32 bits: machines of 32 bits do not divide 64. */
void notrace call_types(u64 of)
{
	u32 n = of;

	call_numbers(n);
	call_structs(n);
	ltc_text("short", NULL);
	ltc_varargs(n, "%s %d", "x", 3);
	ltc_nothing();
	ltc_1(-(s16)n);
	ltc_3(n, -(s64)n, n & 1);
	ltc_6(n, -(s64)n, n & 1, -(s32)n - 1, n, -(s8)(n % 99));
	ltc_7(n, -(s64)n, n & 1, -(s32)n - 1, n, -(s8)(n % 99), -(s16)n - 7);
	ltc_10(n, -(s64)n, n & 1, -(s32)n - 1, n, -(s8)(n % 99), -(s16)n - 7, of << 40, n + 1, -3);
	ltc_16(n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, n + 14, 15, 16);
}
