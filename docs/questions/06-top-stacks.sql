-- Which lines hold most at the peak, over all runs that left an allocation trace?
SELECT place, category,
       count(DISTINCT run) AS in_runs,
       round(sum(bytes) / 1048576.0, 1) AS mib
FROM peak_stacks
WHERE place <> ''
GROUP BY place, category
ORDER BY sum(bytes) DESC, place
LIMIT 5;
