-- SPDX-License-Identifier: GPL-2.0
-- How many processes of each name there were, and how many of them ended within a second.
SELECT comm, count(*) AS processes,
	sum(CASE WHEN end_certainty = 'exact' AND birth_certainty = 'exact' AND lifetime_ns < 1000000000
		THEN 1 ELSE 0 END) AS short
FROM task
WHERE kind = 'process' AND comm IS NOT NULL
GROUP BY comm
ORDER BY processes DESC, comm;
