-- SPDX-License-Identifier: GPL-2.0
-- Which functions hold most memory at the end of the recordings, over all hosts; perhaps: what may have been
-- freed, too, which is all of it where frees of a kind were not watched.
SELECT function, sum(alive_bytes) AS held, sum(alive) AS objects, count(DISTINCT host) AS hosts,
	sum(maybe_alive_bytes) AS perhaps
FROM site_minute
WHERE recorder = 0 AND space = 'slab'
GROUP BY function
HAVING sum(alive_bytes) + sum(maybe_alive_bytes) > 0
ORDER BY held DESC, perhaps DESC, function
LIMIT 20;
