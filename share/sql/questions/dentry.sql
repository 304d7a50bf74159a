-- SPDX-License-Identifier: GPL-2.0
-- On which hosts dentries live twice as long, or half as long, since @DATE@ (mean of exact lifetimes, ns).
SELECT host, before_ns / before_n AS mean_before, after_ns / after_n AS mean_after
FROM (
	SELECT host,
		sum(CASE WHEN date < '@DATE@' THEN lifetime_ns ELSE 0 END) AS before_ns,
		sum(CASE WHEN date < '@DATE@' THEN exact ELSE 0 END) AS before_n,
		sum(CASE WHEN date >= '@DATE@' THEN lifetime_ns ELSE 0 END) AS after_ns,
		sum(CASE WHEN date >= '@DATE@' THEN exact ELSE 0 END) AS after_n
	FROM site_minute
	WHERE recorder = 0 AND cache = 'dentry'
	GROUP BY host
) AS by_host
WHERE before_n > 0 AND after_n > 0
	AND (after_ns / after_n > 2 * (before_ns / before_n) OR 2 * (after_ns / after_n) < before_ns / before_n)
ORDER BY host;
