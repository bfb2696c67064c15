import type { Passage, SectionBlock } from '../../views/report/section.ts';
import { RowsTable } from './rows-table.tsx';

/** A passage of the report, set for a page: the words are those of the terminal. */
export function PassageView(props: { readonly passage: Passage; readonly below: string }) {
  const { title, blocks } = props.passage;
  if (blocks.every(isEmpty)) return null;
  return (
    <section class="passage" aria-label={title.slice(0, 300)}>
      {title !== props.below && <h3>{title.slice(0, 300)}</h3>}
      {blocks.map((block, i) => (
        <Block key={i} block={block} title={title} />
      ))}
    </section>
  );
}

function isEmpty(block: SectionBlock): boolean {
  if ('sentence' in block) return block.sentence === '';
  if ('lines' in block) return block.lines.length === 0;
  return ('facts' in block ? block.facts : block.table.body).length === 0;
}

function Block({ block, title }: { block: SectionBlock; title: string }) {
  if ('sentence' in block) return <p>{block.sentence.slice(0, 4000)}</p>;
  if ('table' in block) return <RowsTable label={title} rows={block.table} />;
  if ('lines' in block) {
    return (
      <>
        {block.lines.map((line, i) => (
          <p key={i} class={line.startsWith(' ') ? 'of-line-above' : ''}>
            {line.slice(0, 4000)}
          </p>
        ))}
      </>
    );
  }
  return (
    <dl class="passage-facts">
      {block.facts.map(([name, value], i) => (
        <div key={i}>
          <dt>{name}</dt>
          <dd>{value.slice(0, 4000)}</dd>
        </div>
      ))}
    </dl>
  );
}
