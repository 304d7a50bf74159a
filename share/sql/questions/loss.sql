-- SPDX-License-Identifier: GPL-2.0
-- On which hosts events were lost, how many, and of how many.
SELECT host, sum(lost) AS lost_events, sum(records) AS recorded, sum(gaps) AS intervals
FROM trace
GROUP BY host
HAVING sum(lost) > 0
ORDER BY lost_events DESC, host;
