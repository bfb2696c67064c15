/**
 * What lines of a program's output say: iterations, epochs, times, out-of-memory messages. Shared
 * by the live recorder and the importers; pure, so that it also runs in a browser.
 */
export { CrashReader, crashTextFrom, crashTextOf } from './crash-text.ts';
export { metricsSample } from './engines/metrics-text.ts';
export { type EngineNews, EngineReader } from './engines/reader.ts';
export { type LineSplitter, MAX_LINE, plainLine, splitLines } from './line-splitter.ts';
export { withTrainingLog } from './log-overlay.ts';
export type { LineMark } from './mark.ts';
export { MARK_GROUPS, parseMarkPattern } from './mark-pattern.ts';
export { LineMarker } from './marker.ts';
export { oomIn } from './oom/index.ts';
export { explainOom, oomTitle } from './oom/words.ts';
export { type PlacementOptions, placeStamps } from './placement.ts';
export { type LineStamp, lineStamp, parseStamp } from './stamp.ts';
export {
  describeZone,
  formatOffset,
  LOCAL_ZONE,
  parseTimeZone,
  type TimeZone,
  UTC_ZONE,
  unixSeconds,
} from './time-zone.ts';
export { readTrainingLog, type TrainingLog } from './training-log.ts';
