-- SPDX-License-Identifier: GPL-2.0
-- Bytes that two kernel releases, @OLD@ and @NEW@, allocate in a second of recording, by slab cache.
SELECT cache, sum(old_given) / max(old_s) AS old_rate, sum(new_given) / max(new_s) AS new_rate
FROM (
	SELECT 1 AS one, cache,
		sum(CASE WHEN kernel = '@OLD@' THEN bytes ELSE 0 END) AS old_given,
		sum(CASE WHEN kernel = '@NEW@' THEN bytes ELSE 0 END) AS new_given
	FROM site_minute
	WHERE recorder = 0 AND space = 'slab'
	GROUP BY cache
) AS given
JOIN (
	SELECT 1 AS one,
		sum(CASE WHEN kernel = '@OLD@' THEN recorded_ns ELSE 0 END) / 1000000000 AS old_s,
		sum(CASE WHEN kernel = '@NEW@' THEN recorded_ns ELSE 0 END) / 1000000000 AS new_s
	FROM trace
) AS recorded USING (one)
WHERE old_s > 0 AND new_s > 0
GROUP BY cache
HAVING sum(old_given) + sum(new_given) > 0
ORDER BY cache;
