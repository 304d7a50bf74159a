-- SPDX-License-Identifier: GPL-2.0
-- The allocations of the busiest minute of each host.
SELECT host, max(births) AS most
FROM (
	SELECT host, minute, sum(allocations) AS births
	FROM site_minute
	WHERE recorder = 0 AND space = 'slab'
	GROUP BY host, minute
) AS minutes
GROUP BY host
ORDER BY most DESC, host;
