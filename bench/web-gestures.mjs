// What a reader does, done inside the page: the benchmark puts this script into it.

/** Turns the wheel or drags, once for every frame that the browser shows. */
async function moveAbout(what) {
  const canvas = document.querySelector('.map-canvas');
  const rest = (ms) => new Promise((done) => setTimeout(done, ms));
  const wanted = what.order === 'address' ? 'By address' : 'Stacked';
  const button = [...document.querySelectorAll('button')].find((b) => b.textContent === wanted);
  if (button?.getAttribute('aria-pressed') !== 'true') button?.click();
  await rest(1500);
  const box = canvas.getBoundingClientRect();
  const at = { clientX: box.left + box.width * 0.4, clientY: box.top + box.height * 0.6 };
  const common = { bubbles: true, cancelable: true, pointerId: 1, button: 0, ...at };
  const count = (name) => Number(canvas.dataset[name] ?? 0);
  const wheel = (deltaY) => canvas.dispatchEvent(new WheelEvent('wheel', { ...common, deltaY }));
  const pan = what.gesture === 'pan';
  // A map that is all in view cannot be moved.
  if (pan) for (let i = 0; i < 12; i++) wheel(-100);
  await rest(1000);
  canvas.setPointerCapture = () => {};
  if (pan) canvas.dispatchEvent(new PointerEvent('pointerdown', common));
  const [began, frames, drawn] = [performance.now(), count('frames'), count('drawn')];
  for (let i = 0; performance.now() - began < what.ms; i++) {
    if (pan) {
      const clientX = at.clientX + 250 * Math.sin(i / 20);
      canvas.dispatchEvent(new PointerEvent('pointermove', { ...common, clientX }));
    } else wheel(Math.floor(i / 40) % 2 === 0 ? -60 : 60);
    await new Promise(requestAnimationFrame);
  }
  const seconds = (performance.now() - began) / 1000;
  const result = { frames: count('frames') - frames, drawn: count('drawn') - drawn, seconds };
  if (pan) canvas.dispatchEvent(new PointerEvent('pointerup', common));
  await rest(300);
  canvas.dispatchEvent(new MouseEvent('dblclick', common));
  await rest(1000);
  return result;
}

/** Points at many places, one after the other. */
async function pointAbout(places) {
  const canvas = document.querySelector('.map-canvas');
  const box = canvas.getBoundingClientRect();
  const ms = [];
  for (let i = 0; i < places; i++) {
    const clientX = box.left + ((i * 0.381966) % 1) * box.width;
    const clientY = box.top + ((i * 0.618034) % 1) * box.height;
    delete canvas.dataset.hover;
    canvas.dispatchEvent(
      new PointerEvent('pointermove', { bubbles: true, pointerId: 1, clientX, clientY }),
    );
    while (canvas.dataset.hover === undefined) await new Promise(requestAnimationFrame);
    ms.push(Number(canvas.dataset.hover));
  }
  return { ms };
}

globalThis.gestures = { moveAbout, pointAbout };
