-- SPDX-License-Identifier: GPL-2.0
-- On which hosts, by kernel, something was not watched that bears on the lifetimes of slab objects.
SELECT DISTINCT kernel, host, not_watched
FROM site_minute
WHERE space = 'slab' AND not_watched <> ''
ORDER BY kernel, host, not_watched;
