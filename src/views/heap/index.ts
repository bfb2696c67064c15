export { accountText } from './account.ts';
export { differenceText } from './difference.ts';
export { growthText } from './growth.ts';
export { holdersText } from './holders.ts';
export { partitionText } from './partition.ts';
export { pathsText } from './paths.ts';
export { placesText } from './places.ts';
