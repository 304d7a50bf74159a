-- SPDX-License-Identifier: GPL-2.0
-- What is alive at the end of a recording and was born more than a day before that, by slab cache.
SELECT cache, sum(held) AS old_bytes, sum(objects) AS old_objects, count(DISTINCT host) AS hosts
FROM (
	SELECT host, boot_id, session, cache, minute, sum(alive_bytes) AS held, sum(alive) AS objects
	FROM site_minute
	WHERE recorder = 0 AND space = 'slab' AND alive > 0
	GROUP BY host, boot_id, session, cache, minute
) AS born
JOIN (
	SELECT host, boot_id, session, max(end_unix_ns) / 1000000000 AS until FROM trace
	GROUP BY host, boot_id, session
) AS ends USING (host, boot_id, session)
WHERE minute + 60 + 86400 <= until
GROUP BY cache
ORDER BY old_bytes DESC, cache;
