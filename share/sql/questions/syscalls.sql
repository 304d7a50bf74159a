-- SPDX-License-Identifier: GPL-2.0
-- How often each system call was made, how often it failed, how long it took in all, on how many hosts.
-- Left out are the first returns of new threads, which are no calls of theirs.
SELECT name, count(*) AS calls, sum(CASE WHEN error IS NULL THEN 0 ELSE 1 END) AS failed,
	sum(duration_ns) AS time_ns, count(DISTINCT host) AS hosts
FROM syscall
WHERE name IS NOT NULL AND flags % 4 < 2
GROUP BY name
ORDER BY time_ns DESC, name;
