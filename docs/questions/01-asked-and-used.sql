-- Which jobs asked for far more memory than they used?
-- By machine, as schedulers give it out; ranks on one machine share it. Sums of peaks are an upper bound: they need not be at once.
SELECT job, host,
       round(max(asked_bytes) / 1073741824.0, 1) AS asked_gib,
       round(sum(coalesce(tree_peak_bytes, cgroup_peak_bytes)) / 1073741824.0, 1) AS used_gib
FROM runs
WHERE asked_bytes >= 80 * 1073741824.0 AND job <> ''
GROUP BY job, host
HAVING sum(coalesce(tree_peak_bytes, cgroup_peak_bytes)) < 0.5 * max(asked_bytes)
ORDER BY used_gib, job, host;
