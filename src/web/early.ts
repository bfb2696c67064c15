import { keptTheme } from './kept-theme.ts';

// Before anything is painted: the colours that the reader chose, and whether the address asks for what the server wrote into the page.
const { dataset } = document.documentElement;
dataset.theme = keptTheme();
const asksForFirst = /^#?\/?(overview)?(\?(?!(.*&)?run=).*)?$/.test(location.hash);
if (!asksForFirst) dataset.elsewhere = '';
