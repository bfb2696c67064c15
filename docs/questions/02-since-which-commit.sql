-- Since which commit is the peak higher?
-- The median of each commit's runs against that of the commit before, where it is more than a tenth higher.
WITH commits AS (
  SELECT name, git_commit, min(started) AS first_run, median(peak_bytes) AS peak
  FROM runs
  WHERE git_commit <> ''
  GROUP BY name, git_commit
), changes AS (
  SELECT name, git_commit, first_run, peak,
         lag(peak) OVER (PARTITION BY name ORDER BY first_run) AS peak_before
  FROM commits
)
SELECT name, substring(git_commit, 1, 12) AS since,
       CAST(first_run AS DATE) AS from_day,
       round(peak_before / 1073741824.0, 1) AS before_gib,
       round(peak / 1073741824.0, 1) AS since_gib
FROM changes
WHERE peak_before > 0 AND peak > 1.1 * peak_before
ORDER BY name, first_run;
