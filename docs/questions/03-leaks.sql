-- Which runs leak, how fast, and what?
-- The fastest first; what nobody saw grow over time has no rate.
SELECT r.name AS name, r.host AS host,
       round(v.leak_bytes_per_iteration / 1024.0) AS kib_per_iteration,
       round(v.leak_bytes_per_hour / 1073741824.0, 1) AS gib_per_hour,
       v.leak_kind AS kind, v.leak_where AS place
FROM verdicts AS v
JOIN runs AS r ON r.run = v.run
WHERE v.leak = 'leak'
ORDER BY coalesce(v.leak_bytes_per_hour, 0) DESC, r.name;
