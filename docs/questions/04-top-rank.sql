-- Which rank peaks most in each job, and by how much against the median rank?
SELECT job,
       argMax(rank, peak_bytes) AS top_rank,
       argMax(host, peak_bytes) AS on_host,
       round(max(peak_bytes) / 1073741824.0, 1) AS top_gib,
       round(median(peak_bytes) / 1073741824.0, 1) AS median_gib
FROM ranks
WHERE job <> ''
GROUP BY job
ORDER BY job;
