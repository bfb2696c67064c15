import { accessSync, constants, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { count } from '../../../base/text.ts';
import { readText } from '../../proc.ts';
import type { DeviceFiles, DrmCard } from './card.ts';
import { Clients } from './clients.ts';
import { nodesOf } from './devices.ts';
import type { ComputeFiles } from './kfd.ts';

/** Of each card which of its files this user may read, and what the others would need. */
export function whatMayBeRead(
  files: DeviceFiles,
  cards: readonly DrmCard[],
  compute: ComputeFiles,
): string[] {
  const clients = new Clients(files.machine, cards);
  clients.look(0);
  const { processes, denied } = clients;
  clients.close();
  const others =
    denied === 0
      ? `of all ${count(processes, 'process', 'processes')}`
      : `of ${processes - denied} of ${count(processes, 'process', 'processes')} (those of other users, ${denied}, need root or CAP_SYS_PTRACE)`;
  return cards.map((card) => {
    const { index, reason } = card.card;
    const said = reason
      ? [`not measured: ${reason}`]
      : [memoryOf(card), `who holds it: ${others}`, ...computingOn(card, compute)];
    return `GPU ${index}: ${[...said, ...deviceFiles(files, card)].join('; ')}`;
  });
}

/** Where its driver tells no sum, a note says why, and who is told one. */
function memoryOf({ device, opened }: DrmCard): string {
  return opened.read ? `used and total: told by ${device.driver}` : opened.notes.join('; ');
}

function computingOn({ device }: DrmCard, compute: ComputeFiles): string[] {
  const tells = compute.tells(device);
  if (tells === null) return [];
  return tells
    ? ['what computes: of all users, by /sys/class/kfd']
    : ['what computes: not by /sys/class/kfd, whose pids are the host’s (a container)'];
}

/** The workload needs them, not we: a program without them has no card, and a figure of zero is right. */
function deviceFiles({ sys }: DeviceFiles, { device }: DrmCard): string[] {
  const node = nodesOf(device).find((name) => name.startsWith('renderD'));
  if (!node) return [];
  const root = dirname(sys);
  const file = join(root, 'dev/dri', node);
  const shown = `/dev/dri/${node}`;
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    return [`programs of this user may open ${shown}`];
  } catch {}
  try {
    const group = groupName(join(root, 'etc/group'), statSync(file).gid);
    return [`programs of this user may not open ${shown}: needs group ${group}`];
  } catch {
    return [`there is no ${shown} here for programs to open`];
  }
}

function groupName(file: string, gid: number): string {
  const found = (readText(file) ?? '').split('\n').find((line) => line.split(':')[2] === `${gid}`);
  return found?.split(':')[0] ?? String(gid);
}
