-- SPDX-License-Identifier: GPL-2.0
-- Which functions hold most memory at the end of the recordings, over all hosts.
SELECT function, sum(alive_bytes) AS held, sum(alive) AS objects, count(DISTINCT host) AS hosts
FROM site_minute
WHERE recorder = 0 AND space = 'slab'
GROUP BY function
HAVING sum(alive_bytes) > 0
ORDER BY held DESC, function
LIMIT 20;
