-- Which rank of a failed job ended first, and how?
SELECT job,
       argMin(rank, ended) AS first_rank,
       argMin(host, ended) AS on_host,
       argMin(ending, ended) AS how,
       argMin(exit_signal, ended) AS killed_by,
       date_diff('second', min(ended), max(ended)) AS seconds_before_the_last
FROM runs
WHERE job <> '' AND ended IS NOT NULL
GROUP BY job
HAVING sum(CASE WHEN ending IN ('failed', 'killed') THEN 1 ELSE 0 END) > 0
ORDER BY job;
