-- How much do all runs hold, hour by hour?
-- Of each run its peak in that hour, summed: what the machines must have had, at most.
WITH hours AS (
  SELECT run, date_trunc('hour', time) AS in_hour, max(bytes) AS peak
  FROM series
  WHERE series = 'tree.pss'
  GROUP BY run, date_trunc('hour', time)
)
SELECT in_hour, count(*) AS running, round(sum(peak) / 1073741824.0, 1) AS gib
FROM hours
GROUP BY in_hour
ORDER BY in_hour;
