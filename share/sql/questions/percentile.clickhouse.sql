-- SPDX-License-Identifier: GPL-2.0
-- The age at which 99 % of the exact lifetimes of each slab cache have ended: the power of two above it.
SELECT cache, n,
	arrayFirstIndex(c -> c >= intDiv(n * 99 + 99, 100), arrayCumSum(powers)) AS power
FROM (
	SELECT cache, sumForEach(lifetime_log2) AS powers, sum(exact) AS n
	FROM site_minute
	WHERE recorder = 0 AND space = 'slab' AND exact > 0
	GROUP BY cache
)
ORDER BY cache;
