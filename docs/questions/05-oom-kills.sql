-- On which machines does the kernel kill for memory?
SELECT host, count(*) AS kills, count(DISTINCT name) AS programs,
       round(max(peak_bytes) / 1073741824.0, 1) AS highest_gib
FROM runs
WHERE oom_killed
GROUP BY host
ORDER BY kills DESC, host;
