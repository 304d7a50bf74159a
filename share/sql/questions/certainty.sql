-- SPDX-License-Identifier: GPL-2.0
-- How sure the lifetimes of slab objects of each host are: how many are of each certainty.
SELECT host, sum(exact) AS n_exact, sum(alive) AS n_open, sum(before) AS n_before, sum(bounded) AS n_bounded,
	sum(uncertain) + sum(maybe_alive) AS n_uncertain
FROM site_minute
WHERE recorder = 0 AND space = 'slab'
GROUP BY host
ORDER BY host;
