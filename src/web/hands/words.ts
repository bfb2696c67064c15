/** In a line, beside a chart. */
export const HANDS_HINT = 'Wheel zooms, drag moves, shift-drag selects';

/** What hands do to a chart: all of it, as the help shows it. */
export const HANDS: readonly (readonly [gesture: string, does: string])[] = [
  ['wheel', 'zooms at the pointer; zoomed out, it scrolls the page'],
  ['drag', 'moves, once zoomed in; a flame graph zooms from box to box instead'],
  ['shift + drag', 'selects a stretch and zooms to it'],
  ['shift + wheel', 'moves sideways'],
  ['alt + wheel', 'zooms in bytes, on the map'],
  ['two fingers', 'zoom and move'],
  ['double click', 'shows all'],
  ['click', 'chooses what is there; on the timeline, pins a moment'],
  ['click on the peak', 'opens the pages of that moment'],
];

/** The same by keys, once a chart has the focus. */
export const HANDS_KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['W S, ↑ ↓, + −', 'zoom in and out'],
  ['A D, ← →', 'move left and right'],
  ['shift + ↑ ↓', 'move up and down, on the map'],
  ['[ ]', 'zoom in bytes, on the map'],
  ['P', 'pins the moment under the pointer, on the timeline'],
  ['0, Home', 'show all'],
  ['Esc', 'clears what is chosen, then the zoom'],
];

/** For readers who cannot see it, after a chart's own name. */
export const KEYS_SPOKEN = 'W and S zoom, A and D move, 0 shows all, question mark lists all keys';
