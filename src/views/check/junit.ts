import type { CheckResult } from '../../analyses/check/index.ts';

/** As CI servers read it: a test case for each limit. What cannot be told is an error, not a failure. */
export function checkJunit({ findings, runs, notes }: CheckResult): string {
  const failed = findings.filter(({ status }) => status === 'fail').length;
  const unknown = findings.filter(({ status }) => status === 'unknown').length;
  const suite = `highwater: ${[...new Set(runs.map(({ name }) => name))].join(', ')}`;
  const cases = findings.map(({ status, limit, series, evidence, parts }) => {
    const about = series === null || limit.includes(series) ? limit : `${limit} (${series})`;
    const open = `    <testcase classname="highwater" name="${xml(about)}"`;
    if (status === 'pass') return `${open}><system-out>${xml(evidence)}</system-out></testcase>`;
    const tag = status === 'fail' ? 'failure' : 'error';
    const detail = [
      evidence,
      ...parts.map(({ by, name, bytes }) => `${by} ${name}: ${bytes} bytes`),
    ];
    return `${open}><${tag} message="${xml(evidence)}">${xml(detail.join('\n'))}</${tag}></testcase>`;
  });
  const said = notes.length > 0 ? [`    <system-err>${xml(notes.join('\n'))}</system-err>`] : [];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="${xml(suite)}" tests="${findings.length}" failures="${failed}" errors="${unknown}" skipped="0">`,
    ...cases,
    ...said,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** Control characters cannot be in XML at all, not even escaped. */
function xml(text: string): string {
  return text
    .replace(
      /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      '·',
    )
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/\n/g, '&#10;');
}
