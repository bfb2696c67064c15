import { render } from 'preact';
import './theme.css';
import { App } from './shell/app.tsx';

const LONGEST_MS = 200;

// The cookie does from here on: the token stays out of the history and of copied addresses.
if (location.search !== '') history.replaceState(null, '', `${location.pathname}${location.hash}`);

const app = document.getElementById('app')!;
const { dataset } = document.documentElement;
const show = () => {
  delete dataset.elsewhere;
  render(<App />, app);
};
// What the server wrote into the page is seen before the first long turn of this script.
if (app.firstChild && dataset.elsewhere === undefined) afterPaint(show);
else show();

/** A page that nobody looks at is not painted: it must not wait for that. */
function afterPaint(then: () => void): void {
  let isDone = false;
  const once = () => {
    if (isDone) return;
    isDone = true;
    then();
  };
  requestAnimationFrame(() => setTimeout(once));
  setTimeout(once, LONGEST_MS);
}
