# SPDX-License-Identifier: GPL-2.0
#
# Judge a run of KUnit. Input: the console's log, then the results file of each suite.
#
#   awk -v suites=N -v broken=0 -f kunit.awk LOG RESULTS...
#
# suites is the number of suites in the modules, broken is 1 if the kernel complained.
#
# Both sources are needed. The results file keeps 512 bytes of each case's messages, so the line with the
# result may be missing; of a suite that stopped the kernel there is no such file. The log has every line,
# but says nothing of a suite that could not begin.

function fail(what, detail)
{
	failed++
	print "not ok " what
	if (detail)
		printf "%s", detail
}

function forget()
{
	pending = ""
	held = 0
}

FNR == 1 {
	source++
	suite = ""
	forget()
}

# The kernel's messages carry a time in the log, and in the log only they count.
source == 1 {
	if (!sub(/^\[ *[0-9]+\.[0-9]+\] /, ""))
		next
}

/^    # Subtest: / {
	suite = $3
	if (!(suite in known)) {
		known[suite] = ++count
		name[count] = suite
	}
	if (source > 1)
		has_results[suite] = 1
	forget()
	next
}

suite == "" { next }

/^    1\.\.[0-9]+$/ {
	n = substr($1, 4) + 0
	if (suite in plan && plan[suite] != n)
		fail(suite ": planned " plan[suite] " cases and " n)
	plan[suite] = n
	next
}

/^    (not )?ok [0-9]+ / {
	line = substr($0, 5)
	good = sub(/^ok /, "", line)
	sub(/^not ok /, "", line)
	k = line + 0
	sub(/^[0-9]+ (- )?/, "", line)
	skip = line ~ / # SKIP/
	reason = line
	sub(/.* # SKIP */, "", reason)
	sub(/ # SKIP.*/, "", line)
	title[suite, k] = line
	if (k > last[suite])
		last[suite] = k
	# A case with parameters and none to run is marked as skipped, without a reason.
	if (!good || (skip && reason == "")) {
		verdict[suite, k] = "fail"
		if (skip)
			pending = "    # no parameters\n"
		if (!((suite, k) in detail))
			detail[suite, k] = pending
	} else if (verdict[suite, k] != "fail") {
		verdict[suite, k] = skip ? "skip" : "pass"
	}
	forget()
	next
}

/^(not )?ok [0-9]+ / {
	if ($1 == "not")
		suite_failed[suite] = 1
	suite = ""
	next
}

{
	if (++held <= 20)
		pending = pending $0 "\n"
	else if (held == 21)
		pending = pending "    # and more, see the log\n"
}

END {
	for (i = 1; i <= count; i++) {
		suite = name[i]
		before = failed
		if (!(suite in has_results))
			fail(suite ": left no results file")
		if (plan[suite] == 0)
			fail(suite ": has no cases")
		for (k = 1; k <= plan[suite] || k <= last[suite]; k++) {
			v = verdict[suite, k]
			if (k > plan[suite])
				fail(suite "." title[suite, k] ": is beyond the plan of " plan[suite])
			else if (v == "fail")
				fail(suite "." title[suite, k], detail[suite, k])
			else if (v == "pass")
				passed++
			else if (v == "skip")
				skipped++
			else
				fail(suite ": case " k " of " plan[suite] " left no result")
		}
		if (suite in suite_failed && failed == before)
			fail(suite ": failed as a whole")
	}
	if (count < suites)
		fail(suites - count " of " suites " suites did not run")
	if (broken && !failed)
		fail("the kernel complained: see its log")
	if (!passed && !failed)
		fail("nothing ran")
	printf "%d passed, %d failed", passed, failed
	if (skipped)
		printf ", %d skipped", skipped
	print ""
	exit failed > 0
}
