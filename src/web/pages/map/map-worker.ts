import { Columns } from '../../../model/columns.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { Painter } from './painter.ts';
import { eventNumber } from './picture/across.ts';
import { mapData } from './picture/data.ts';
import { hitAt } from './picture/hit.ts';
import { rowFacts } from './picture/row-facts.ts';
import { makeScene, type Scene, withChosen } from './picture/scene.ts';

/** The thread that holds the allocations, draws them and knows what lies under the pointer. */
let scene: Scene | null = null;
let painter: Painter | null = null;
let chosen = -1;

const say = (message: FromWorker) => self.postMessage(message);

self.onmessage = ({ data: message }: MessageEvent<ToWorker>) => {
  if (message.type === 'open') return open(message);
  if (!scene || !painter) return;
  switch (message.type) {
    case 'size':
      return painter.resize(message.width, message.height);
    case 'view':
      return painter.show(message.view);
    case 'look':
      scene = makeScene(scene.data, message.filter, message.ground, scene);
      painter.change(withChosen(scene, chosen), message.ground);
      return sayExtents(scene);
    case 'choose':
      if (chosen === message.row) return;
      chosen = message.row;
      return painter.change(withChosen(scene, chosen), scene.ground);
    case 'hover': {
      const { view, size } = painter;
      if (!view) return;
      const hit = hitAt(scene, view, { x: message.x, y: message.y, ...size });
      return say({ type: 'hit', id: message.id, hit, facts: rowFacts(scene.data, hit.row) });
    }
    case 'facts':
      return say({ type: 'facts', id: message.id, facts: rowFacts(scene.data, message.row) });
  }
};

function open(message: Extract<ToWorker, { type: 'open' }>): void {
  const columns = new Columns(message.header, message.arrays);
  const times = message.times ? new Columns({}, message.times) : null;
  scene = makeScene(mapData(columns, times), message.filter, message.ground);
  painter = new Painter(message.canvas, scene, message.ground, (sharp, drawn) =>
    say({ type: 'frame', sharp, drawn }),
  );
  sayExtents(scene);
}

function sayExtents(of: Scene): void {
  const { data, heights, shown } = of;
  // Of all of it, the moment that the report names.
  const peakEvent = shown
    ? heights.highest(0, heights.bytes.length - 1)
    : Math.max(0, data.header.peakEvent);
  say({
    type: 'extents',
    extents: {
      micros: of.across('time').length,
      events: of.across('events').length,
      addressBytes: data.header.heightBytes,
      stackedBytes: heights.most,
      peakEvent: eventNumber(data, peakEvent),
      peakMicros: of.across('time').at(peakEvent),
      shown: shown ? shown.reduce((sum, one) => sum + one, 0) : data.rows,
    },
  });
}
