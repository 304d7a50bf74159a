-- SPDX-License-Identifier: GPL-2.0
-- The age at which 99 % of the exact lifetimes of each slab cache have ended: the power of two above it.
SELECT cache, n, min(power) AS power
FROM (
	SELECT cache, power, sum(k) OVER (PARTITION BY cache) AS n,
		sum(k) OVER (PARTITION BY cache ORDER BY power) AS ended
	FROM (
		SELECT cache, power, sum(lifetime_log2[power]) AS k
		FROM site_minute, range(1, 65) AS powers(power)
		WHERE recorder = 0 AND space = 'slab' AND power <= len(lifetime_log2)
		GROUP BY cache, power
	)
)
WHERE ended >= (n * 99 + 99) // 100
GROUP BY cache, n
ORDER BY cache;
