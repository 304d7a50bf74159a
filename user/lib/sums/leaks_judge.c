// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Whether a call site leaks: functions of what was counted.
 */
#include <math.h>

#include "sums/leaks.h"

/*
 * Student's t, one-sided: 0.1 % with 31 degrees of freedom, 5 % with 15. Both halves must pass,
 * so a site whose growth ends, or begins, in the middle of the trace does not.
 */
#define T_WHOLE		3.4
#define T_HALF		1.75

/* Chi-square, 0.1 %, by degrees of freedom. */
static const double chi_square[LT_LEAK_PARTS] = {
	0, 10.83, 13.82, 16.27, 18.47, 20.52, 22.46, 24.32
};

struct mean {
	double value;
	double error;
};

static struct mean mean_growth(const struct lt_leak_row *row, unsigned int from, unsigned int to)
{
	double n = to - from, sum = 0, squares = 0;
	struct mean m;

	for (unsigned int i = from; i < to; i++)
		sum += (double)row->entered[i] - (double)row->left[i];
	m.value = sum / n;
	for (unsigned int i = from; i < to; i++) {
		double d = (double)row->entered[i] - (double)row->left[i] - m.value;

		squares += d * d;
	}
	/*
	 * Objects that come by chance vary as Poisson's law says. Less, as with one object of
	 * exactly a thousand, is no reason to trust few objects more.
	 */
	if (squares < fabs(sum))
		squares = fabs(sum);
	m.error = sqrt(squares / (n - 1) / n);
	return m;
}

static double t_of(struct mean m)
{
	return m.value > 0 && m.error > 0 ? m.value / m.error : 0;
}

static bool is_steady(const struct lt_leak_row *row)
{
	unsigned int half = LT_LEAK_WINDOWS / 2;

	return row->steady > T_WHOLE && t_of(mean_growth(row, 0, half)) > T_HALF &&
	       t_of(mean_growth(row, half, LT_LEAK_WINDOWS)) > T_HALF;
}

/*
 * Whether the objects that became old are the same share of the births at all times. The
 * windows are joined into parts of about as many births each.
 */
static bool is_even(const struct lt_leak_row *row)
{
	double births = 0, old = 0, part_births = 0, part_old = 0, sum = 0, share;
	unsigned int parts = 0;

	for (unsigned int i = 0; i < LT_LEAK_WINDOWS; i++) {
		births += (double)row->born[i];
		old += (double)row->entered[i];
	}
	if (births <= 0 || old <= 0 || old >= births)
		return false;
	share = old / births;
	for (unsigned int i = 0; i < LT_LEAK_WINDOWS; i++) {
		double expected;

		part_births += (double)row->born[i];
		part_old += (double)row->entered[i];
		if (part_births < births / LT_LEAK_PARTS && i < LT_LEAK_WINDOWS - 1)
			continue;
		expected = part_births * share;
		if (expected > 0)
			sum += (part_old - expected) * (part_old - expected) /
			       (expected * (1 - share));
		parts += expected > 0;
		part_births = 0;
		part_old = 0;
	}
	/* All births in one or two windows: nothing shows that the share stays the same. */
	return parts > 2 && sum <= chi_square[parts - 1];
}

static enum lt_leak_doubt doubt_of(const struct lt_leak_row *row, uint64_t window)
{
	uint64_t births = 0, entered = 0;

	if (!window)
		return LT_LEAK_SHORT;
	for (unsigned int i = 0; i < LT_LEAK_WINDOWS; i++) {
		births += row->born[i];
		entered += row->entered[i];
	}
	if (row->sure_old < LT_LEAK_LEAST_OLD)
		return row->sure_old + row->sure_maybe < LT_LEAK_LEAST_OLD ? LT_LEAK_FEW :
									     LT_LEAK_UNCERTAIN;
	if (births < LT_LEAK_LEAST_BIRTHS)
		return LT_LEAK_FEW;
	if (entered > births / 2)
		return LT_LEAK_KEPT;
	if (row->sure_late > (row->sure_late + row->sure_old) / 20)
		return LT_LEAK_LATE;
	if (!is_steady(row))
		return LT_LEAK_NOT_STEADY;
	return is_even(row) ? LT_LEAK_SURE : LT_LEAK_UNEVEN;
}

void lt_leak_judge(struct lt_leak_row *row, uint64_t window)
{
	if (window) {
		struct mean m = mean_growth(row, 0, LT_LEAK_WINDOWS);
		double per_s = 1e9 / (double)window;

		row->growth = m.value * per_s;
		row->growth_error = m.error * per_s;
		row->steady = t_of(m);
		if (row->old)
			row->bytes_growth = row->growth * (double)row->old_bytes / (double)row->old;
	}
	row->doubt = doubt_of(row, window);
}

bool lt_leak_grows(const struct lt_leak_row *row)
{
	return row->steady > T_WHOLE;
}

static const struct {
	const char *name, *text;
} doubts[LT_N_LEAK_DOUBTS] = {
	[LT_LEAK_SURE] = { "leaks", "leaks" },
	[LT_LEAK_SHORT] = { "short_trace", "trace too short" },
	[LT_LEAK_UNCERTAIN] = { "uncertain", "frees may be missing" },
	[LT_LEAK_FEW] = { "few", "too few objects" },
	[LT_LEAK_KEPT] = { "kept", "keeps most objects" },
	[LT_LEAK_LATE] = { "freed_late", "others were freed late" },
	[LT_LEAK_NOT_STEADY] = { "not_steady", "growth not steady" },
	[LT_LEAK_UNEVEN] = { "uneven", "share not constant" },
};

const char *lt_leak_doubt_name(enum lt_leak_doubt doubt)
{
	return doubts[doubt].name;
}

const char *lt_leak_doubt_text(enum lt_leak_doubt doubt)
{
	return doubts[doubt].text;
}
