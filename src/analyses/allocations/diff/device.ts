import { summary } from '../../../model/allocations/curve.ts';
import { type DeviceId, deviceId } from '../../../model/allocations/device-name.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import type { Recording } from '../../../model/recording.ts';
import type { Category } from '../evidence/reasons.ts';
import { surveyOf } from '../evidence/survey.ts';
import { momentOf, type StepMoment } from '../moment.ts';
import {
  byChange,
  type Change,
  change,
  type Held,
  heldBy,
  type Share,
  share,
  sumOf,
} from './change.ts';
import { type SegmentChange, segmentChanges } from './segments.ts';
import { type SiteChanges, siteChanges } from './site-changes.ts';
import { liveSites, type Site } from './sites.ts';

/** What a device of run `b` held at its peak beside what one of run `a` held at its own. */
export interface DeviceDifference {
  readonly a: string;
  readonly b: string;
  readonly device: DeviceId;
  /** The device of `b` where it is another one. */
  readonly otherDevice: DeviceId | null;
  readonly peakRequestedBytes: Change;
  readonly peakReservedBytes: Change;
  readonly events: Change;
  /** What each was doing at its peak. */
  readonly moments: { readonly a: StepMoment; readonly b: StepMoment };
  readonly live: Share;
  readonly categories: readonly (Share & { readonly category: Category })[];
  readonly tags: TagChanges;
  readonly sites: SiteChanges;
  /** At the peaks of what is reserved. */
  readonly segments: readonly SegmentChange[];
  /** What the sites do not explain: not 0 only where events of a trace fit no block. */
  readonly residueBytes: number;
}

export interface NamedTrace {
  readonly name: string;
  readonly recording: Recording;
  readonly trace: DeviceTrace;
}

export function deviceDifference(a: NamedTrace, b: NamedTrace): DeviceDifference {
  const [before, after] = [summary(a.trace), summary(b.trace)];
  const [had, has] = [
    liveSites(a.recording, a.trace, before.peakEvent),
    liveSites(b.recording, b.trace, after.peakEvent),
  ];
  const peaks = change(before.peakRequested, after.peakRequested);
  const live = share(heldBy(had.sites), heldBy(has.sites));
  const names = new Set([...had.categories.keys(), ...has.categories.keys()]);
  const [device, other] = [deviceId(a.trace.device), deviceId(b.trace.device)];
  return {
    a: a.name,
    b: b.name,
    device,
    otherDevice: other === device ? null : other,
    peakRequestedBytes: peaks,
    peakReservedBytes: change(before.peakReserved, after.peakReserved),
    events: change(a.trace.events, b.trace.events),
    moments: {
      a: momentOf(surveyOf(a.recording, a.trace), before.peakEvent),
      b: momentOf(surveyOf(b.recording, b.trace), after.peakEvent),
    },
    live,
    categories: [...names]
      .map((category) => ({
        category,
        ...share(had.categories.get(category), has.categories.get(category)),
      }))
      .sort(byChange),
    tags: tagChanges(had.sites, has.sites),
    sites: siteChanges(had.sites, has.sites),
    segments: segmentChanges(
      { ...a, event: before.peakReservedEvent, reserved: before.peakReserved },
      { ...b, event: after.peakReservedEvent, reserved: after.peakReserved },
    ),
    residueBytes: peaks.difference - live.bytes.difference,
  };
}

/** What was held under each tag; all empty where nothing has a tag. */
interface TagChanges {
  /** '' is what has no tag. */
  readonly shown: readonly (Share & { readonly tag: string })[];
  readonly rest: Share & { readonly tags: number };
}

const MOST_TAGS = 20;

function tagChanges(a: readonly Site[], b: readonly Site[]): TagChanges {
  const [before, after] = [byTag(a), byTag(b)];
  const tags = [...new Set([...before.keys(), ...after.keys()])];
  const all = tags.every((tag) => tag === '')
    ? []
    : tags.map((tag) => ({ tag, ...share(before.get(tag), after.get(tag)) })).sort(byChange);
  const others = all.slice(MOST_TAGS);
  return {
    shown: all.slice(0, MOST_TAGS),
    rest: { tags: others.length, ...sumOf(others) },
  };
}

function byTag(sites: readonly Site[]): Map<string, Held> {
  const found = new Map<string, Site[]>();
  for (const site of sites) {
    const same = found.get(site.tag);
    if (same) same.push(site);
    else found.set(site.tag, [site]);
  }
  return new Map([...found].map(([tag, some]) => [tag, heldBy(some)]));
}
