-- At which step was the peak, and how many steps were there?
WITH steps AS (
  SELECT p.run AS run, p.peak_bytes AS peak,
         max(CASE WHEN m.time <= p.peak_time THEN m.iteration END) AS at_step,
         count(m.iteration) AS steps
  FROM peaks AS p
  JOIN marks AS m ON m.run = p.run
  WHERE p.series = 'tree.pss' AND m.kind = 'iteration'
  GROUP BY p.run, p.peak_bytes
)
SELECT r.name AS name, CAST(r.started AS DATE) AS day, s.at_step AS at_step, s.steps AS steps,
       round(s.peak / 1073741824.0, 2) AS gib
FROM steps AS s
JOIN runs AS r ON r.run = s.run
ORDER BY r.started, r.name;
