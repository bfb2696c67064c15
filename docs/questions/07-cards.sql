-- How full do runs make their cards?
SELECT c.name AS card, count(*) AS runs_on_it,
       round(max(c.memory_bytes) / 1073741824.0, 1) AS card_gib,
       round(max(c.peak_bytes) / 1073741824.0, 1) AS fullest_gib,
       round(100.0 * max(c.peak_bytes) / max(c.memory_bytes), 1) AS fullest_percent,
       sum(CASE WHEN v.oom_place = 'gpu' THEN 1 ELSE 0 END) AS ran_out
FROM cards AS c
JOIN verdicts AS v ON v.run = c.run
WHERE c.used_by_run
GROUP BY c.name
ORDER BY fullest_percent DESC, card;
