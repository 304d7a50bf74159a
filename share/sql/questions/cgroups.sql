-- SPDX-License-Identifier: GPL-2.0
-- What each cgroup costs: what its tasks allocated, and what of it they hold.
SELECT cgroup, sum(allocations) AS births, sum(bytes) AS given, sum(alive_bytes) AS held
FROM site_minute
WHERE recorder = 0 AND space = 'slab' AND cgroup <> ''
GROUP BY cgroup
ORDER BY given DESC, cgroup;
