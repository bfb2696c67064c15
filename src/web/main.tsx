import { render } from 'preact';
import './theme.css';
import { App } from './shell/app.tsx';

// The cookie does from here on: the token stays out of the history and of copied addresses.
if (location.search !== '') history.replaceState(null, '', `${location.pathname}${location.hash}`);

render(<App />, document.getElementById('app')!);
