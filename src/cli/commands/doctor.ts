import type { Command } from 'commander';
import { doctorVerdict } from '../../analyses/verdict/others.ts';
import { alignColumns } from '../../base/text.ts';
import type { Availability } from '../../model/run.ts';
import { mayAttach } from '../../record/attach/permission.ts';
import { loadLibc } from '../../record/workload/libc.ts';
import { makeOwnGroup } from '../../sources/cgroup/own-group.ts';
import { GPU_BACKENDS } from '../../sources/gpu/index.ts';
import { SOURCES } from '../../sources/index.ts';
import { THIS_MACHINE } from '../../sources/source.ts';
import { addJsonFlags, answerJson, type JsonFlags } from '../output/json.ts';
import type { DoctorOutput } from '../output/json-outputs.ts';
import { show } from '../output/terminal.ts';
import { newCommand, runCommand } from '../verb.ts';
import { pythonPackage } from './doctor/python-package.ts';

interface Finding {
  id: string;
  title: string;
  availability: Availability;
}

export function command(): Command {
  return addJsonFlags(
    newCommand(
      'doctor',
      'What can be measured on this machine, and how to enable the rest.',
      'highwater doctor --json',
    ),
  );
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, doctor);
}

async function doctor(flags: JsonFlags): Promise<void> {
  const findings = examine();
  show(flags.json ? asJson(findings, flags) : asText(findings));
}

function examine(): Finding[] {
  // Not among SOURCES: to ask a GPU's driver may take seconds, which `record` spends in another thread.
  const all = [...SOURCES, ...GPU_BACKENDS];
  const sources = all.map(({ id, title, probe }) => ({
    id,
    title,
    availability: probe(THIS_MACHINE),
  }));
  return [...sources, ownGroup(), terminal(), attaching(), importing()];
}

/** Tried for real, as only that tells whether this user may. */
function ownGroup(): Finding {
  const made = makeOwnGroup(THIS_MACHINE, `${process.pid}-doctor`);
  if (!('reason' in made)) made.remove();
  return {
    id: 'own-cgroup',
    title: 'exact peak of the whole tree, proof of OOM kills',
    availability:
      'reason' in made
        ? {
            ok: false,
            reason: made.reason,
            remedy: 'systemd-run --user --scope -p Delegate=yes highwater record -- …',
          }
        : { ok: true, detail: `control groups version ${made.version}` },
  };
}

function terminal(): Finding {
  return {
    id: 'terminal',
    title: 'a terminal for the workload (koffi)',
    availability: loadLibc()
      ? { ok: true }
      : {
          ok: false,
          reason: 'the native package koffi cannot be loaded',
          remedy: 'npm install koffi',
        },
  };
}

function attaching(): Finding {
  return {
    id: 'attach',
    title: 'heaps of Python programs without an agent',
    availability: mayAttach(),
  };
}

function importing(): Finding {
  return {
    id: 'import',
    title: 'marks from Python programs (import highwater)',
    availability: pythonPackage(),
  };
}

function asJson(findings: readonly Finding[], flags: JsonFlags): string {
  const sources = findings.map(({ id, title, availability }) => ({ id, title, ...availability }));
  const verdict = doctorVerdict({ sources });
  const output: DoctorOutput = { type: 'doctor', schemaVersion: 1, verdict, sources };
  return answerJson(output, flags);
}

function asText(findings: readonly Finding[]): string {
  const rows = findings.map(({ id, title, availability: a }) => [
    a.ok ? 'ok' : 'no',
    id,
    title,
    a.ok ? (a.detail ?? '') : `${a.reason}${a.remedy ? `; try: ${a.remedy}` : ''}`,
  ]);
  const lines = alignColumns(rows).flatMap((line, i) => {
    const { availability } = findings[i]!;
    const parts = (availability.ok && availability.parts) || [];
    return [line, ...parts.map((part) => `      ${part}`)];
  });
  return `${lines.join('\n')}\n`;
}
