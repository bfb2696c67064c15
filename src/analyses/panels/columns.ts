import { Columns, type TypedArray } from '../../model/columns.ts';
import type { PanelBand, PanelLine, Panels, TimelinePanel } from './panel.ts';

type Bare<T> = Omit<T, 'x' | 'bytes'>;
type BarePanel = Omit<TimelinePanel, 'stack' | 'lines' | 'envelope'> & {
  readonly envelope: boolean;
  readonly bands: readonly Bare<PanelBand>[] | null;
  readonly lines: readonly Bare<PanelLine>[];
};
type Header = Omit<Panels, 'panels'> & { readonly panels: readonly BarePanel[] };

/** Panels as columns: their arrays by place, the rest as it is. */
export function panelsToColumns({ panels, ...rest }: Panels): Columns<Header> {
  const arrays: Record<string, TypedArray> = {};
  const bare = panels.map(({ stack, lines, envelope, ...panel }, p): BarePanel => {
    if (stack) arrays[`${p} stack x`] = stack.x;
    stack?.bands.forEach(({ bytes }, b) => {
      arrays[`${p} band ${b}`] = bytes;
    });
    lines.forEach(({ x, bytes }, l) => {
      arrays[`${p} line ${l} x`] = x;
      arrays[`${p} line ${l}`] = bytes;
    });
    if (envelope) {
      arrays[`${p} envelope x`] = envelope.x;
      arrays[`${p} envelope ends`] = envelope.ends;
      envelope.bands.forEach(({ bytes }, b) => {
        arrays[`${p} envelope band ${b}`] = bytes;
      });
    }
    return {
      ...panel,
      envelope: envelope !== null,
      bands: stack?.bands.map(({ bytes: _, ...band }) => band) ?? null,
      lines: lines.map(({ x: _x, bytes: _bytes, ...line }) => line),
    };
  });
  return new Columns({ ...rest, panels: bare }, arrays);
}

export function panelsFromColumns(columns: Columns): Panels {
  const { panels, ...rest } = (columns as Columns<Header>).header;
  return {
    ...rest,
    panels: panels.map(
      ({ bands, lines, envelope, ...panel }, p): TimelinePanel => ({
        ...panel,
        stack: bands && {
          x: columns.f64(`${p} stack x`),
          bands: bands.map((band, b) => ({ ...band, bytes: columns.f64(`${p} band ${b}`) })),
        },
        // The same bands as in the stack, at other moments.
        envelope: envelope
          ? {
              x: columns.f64(`${p} envelope x`),
              ends: columns.f64(`${p} envelope ends`),
              bands: bands!.map((band, b) => ({
                ...band,
                bytes: columns.f64(`${p} envelope band ${b}`),
              })),
            }
          : null,
        lines: lines.map((line, l) => ({
          ...line,
          x: columns.f64(`${p} line ${l} x`),
          bytes: columns.f64(`${p} line ${l}`),
        })),
      }),
    ),
  };
}
