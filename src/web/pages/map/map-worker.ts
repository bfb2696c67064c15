import { Columns } from '../../../model/columns.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { Painter } from './painter.ts';
import { type MapContents, makeContents, withChosen } from './picture/contents.ts';
import { mapData } from './picture/data.ts';
import { hitAt } from './picture/hit.ts';
import { rowFacts } from './picture/row-facts.ts';
import { eventNumber } from './picture/x-axis.ts';

/** The thread that holds the allocations, draws them and knows what lies under the pointer. */
let contents: MapContents | null = null;
let painter: Painter | null = null;
let chosen = -1;

const say = (message: FromWorker) => self.postMessage(message);

self.onmessage = ({ data: message }: MessageEvent<ToWorker>) => {
  if (message.type === 'open') return open(message);
  if (!contents || !painter) return;
  switch (message.type) {
    case 'size':
      return painter.resize(message.width, message.height);
    case 'view':
      return painter.show(message.view);
    case 'look':
      contents = makeContents(contents.data, message.filter, message.scheme, contents);
      painter.change(withChosen(contents, chosen), message.scheme);
      return sayExtents(contents);
    case 'choose':
      if (chosen === message.row) return;
      chosen = message.row;
      return painter.change(withChosen(contents, chosen), contents.scheme);
    case 'hover': {
      const { view, size } = painter;
      if (!view) return;
      const hit = hitAt(contents, view, { x: message.x, y: message.y, ...size });
      return say({ type: 'hit', id: message.id, hit, facts: rowFacts(contents.data, hit.row) });
    }
    case 'facts':
      return say({ type: 'facts', id: message.id, facts: rowFacts(contents.data, message.row) });
  }
};

function open(message: Extract<ToWorker, { type: 'open' }>): void {
  const columns = new Columns(message.header, message.arrays);
  const times = message.times ? new Columns({}, message.times) : null;
  contents = makeContents(mapData(columns, times), message.filter, message.scheme);
  painter = new Painter(message.canvas, contents, message.scheme, (sharp, drawn) =>
    say({ type: 'frame', sharp, drawn }),
  );
  sayExtents(contents);
}

function sayExtents(of: MapContents): void {
  const { data, heights, shown } = of;
  // Of all of it, the moment that the report names.
  const peakEvent = shown
    ? heights.highest(0, heights.bytes.length - 1)
    : Math.max(0, data.header.peakEvent);
  say({
    type: 'extents',
    extents: {
      micros: of.xAxis('time').length,
      events: of.xAxis('events').length,
      addressBytes: data.header.heightBytes,
      stackedBytes: heights.most,
      peakEvent: eventNumber(data, peakEvent),
      peakMicros: of.xAxis('time').at(peakEvent),
      isWhole: shown === null,
      shown: shown ? shown.reduce((sum, one) => sum + one, 0) : data.rows,
    },
  });
}
