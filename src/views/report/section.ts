import type { Report } from '../../analyses/report.ts';
import type { TextTable } from '../table.ts';

/** What stands in a section; text and Markdown set each in their own way. */
export type SectionBlock =
  /** On its own: a paragraph in Markdown. */
  | { readonly sentence: string }
  /** One below the other: bullets in Markdown. */
  | { readonly lines: readonly string[] }
  | { readonly facts: readonly Fact[] }
  | { readonly table: TextTable };

/** A name and its value, both ready to print. */
export type Fact = readonly [name: string, value: string];

/** A title and what stands below it; not shown where that is nothing. */
export interface Passage {
  readonly title: string;
  /** The question that it answers, where that is not its section's: a card of the page opens all of one question. */
  readonly about?: string;
  readonly blocks: readonly SectionBlock[];
}

/** How much fits, and how lines are set: what differs between a terminal and Markdown. */
export interface TextLayout {
  readonly width: number;
  readonly processes: number;
  readonly commandWidth: number;
  /** Before a line that belongs to the one above it. */
  readonly indent: string;
}

/** What memory was made of at one moment: parts that add up to `bytes`; a bar of the page. */
export interface Account {
  readonly title: string;
  readonly bytes: number;
  /** How that is counted: figures of one thing by two counts differ. */
  readonly counted: string;
  readonly parts: readonly AccountPart[];
  /** Where the parts are not of the peak: `at 1.56 s`. */
  readonly moment?: string;
  /** What ran then, where that is told. */
  readonly ran?: string;
  /** What the parts are of: decides their colours. */
  readonly of: 'kinds' | 'processes';
}

export interface AccountPart {
  readonly key: string;
  readonly label: string;
  readonly bytes: number;
  /** Why it is thought to be that, where that is told. */
  readonly about: string | null;
}

/** One thing worth knowing at first glance, on the page. */
export interface Tile {
  readonly title: string;
  readonly value: string;
  readonly detail: string;
  readonly tone: 'good' | 'bad' | 'plain';
  /** The door that it opens (`doors.ts`). */
  readonly opens: string;
  /** The exact figure behind `value`, where it is one. */
  readonly bytes?: number;
}

/** What the page knows besides the report. */
export interface PageFacts {
  /** Names the iteration at a moment; empty where there is none. */
  readonly iterationAt: (seconds: number) => string;
  /** The workload runs: there is no end yet. */
  readonly live: boolean;
}

/** One section of the report, in every form that it is shown in. */
export interface ReportSection {
  readonly id: string;
  /** Whether it applies; always, where that is not said. */
  readonly when?: (report: Report) => boolean;
  /** For text and Markdown. */
  readonly passages: (report: Report, layout: TextLayout) => readonly Passage[];
  /** For the page. */
  readonly tiles?: (report: Report, page: PageFacts) => readonly Tile[];
  readonly accounts?: (report: Report) => readonly Account[];
}
