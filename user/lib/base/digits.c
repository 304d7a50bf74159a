// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The digits of small numbers.
 */
#include "base/digits.h"

const char lt_digit_pairs[201] =
	"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243"
	"4445464748495051525354555657585960616263646566676869707172737475767778798081828384858687"
	"888990919293949596979899";

/* Ten numbers that begin with two digits, and a hundred that begin with one. */
#define TEN(p)		p "0 " p "1 " p "2 " p "3 " p "4 " p "5 " p "6 " p "7 " p "8 " p "9 "
#define HUNDRED(p)	TEN(p "0") TEN(p "1") TEN(p "2") TEN(p "3") TEN(p "4") \
			TEN(p "5") TEN(p "6") TEN(p "7") TEN(p "8") TEN(p "9")

const char lt_digit_triples[4001] =
	HUNDRED("0") HUNDRED("1") HUNDRED("2") HUNDRED("3") HUNDRED("4")
	HUNDRED("5") HUNDRED("6") HUNDRED("7") HUNDRED("8") HUNDRED("9");

const char lt_digits_of_three[4001] =
	TEN("  ") TEN(" 1") TEN(" 2") TEN(" 3") TEN(" 4")
	TEN(" 5") TEN(" 6") TEN(" 7") TEN(" 8") TEN(" 9")
	HUNDRED("1") HUNDRED("2") HUNDRED("3") HUNDRED("4") HUNDRED("5")
	HUNDRED("6") HUNDRED("7") HUNDRED("8") HUNDRED("9");
