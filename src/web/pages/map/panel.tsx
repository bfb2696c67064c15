import type { ComponentChildren } from 'preact';
import type {
  AllocationFacts,
  EventFacts,
} from '../../../analyses/allocations/allocation-facts.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { layerTag } from '../../../model/allocations/layer-tag.ts';
import type { Frame } from '../../../model/allocations/names.ts';
import { kindName } from '../../../model/memory-kinds.ts';
import { useResource } from '../../parts/resource.ts';
import { FrameList } from './frames.tsx';
import type { RowFacts } from './picture/row-facts.ts';
import { lifeWords } from './tip.tsx';
import { formatAt, formatMicros } from './words.ts';

interface Props {
  readonly run: string;
  readonly trace: number;
  readonly row: number;
  /** What is known without asking; null as long as it is not. */
  readonly quick: RowFacts | null;
  close(): void;
}

/** Names come from the trace, and may be of any length. */
const MOST_LETTERS = 500;

/** Everything about one allocation. */
export function AllocationPanel({ run, trace, row, quick, close }: Props) {
  const { value, error } = useResource<AllocationFacts>(`run/${run}/allocation`, { trace, row });
  const facts = value?.row === row ? value : null;
  const known = facts ?? quick;
  return (
    <aside class="allocation-panel" aria-label="The chosen allocation">
      <header>
        <h2>{known ? formatBytes(known.bytes) : '…'}</h2>
        <button type="button" onClick={close} aria-label="Close">
          ×
        </button>
      </header>
      {known && (
        <dl>
          <Fact name="Size">{known.bytes.toLocaleString('en')} bytes requested</Fact>
          {facts && facts.blockBytes !== null && (
            <Fact name="Set aside">{facts.blockBytes.toLocaleString('en')} bytes</Fact>
          )}
          <Fact name="Category">
            {kindName(known.category)}
            {known.part && ` (${known.part})`}
          </Fact>
          <Fact name="Why">
            {known.reason}
            {known.confidence > 0 && (
              <span class="muted"> · {Math.round(known.confidence * 100)} % sure</span>
            )}
          </Fact>
          {known.tag && <Tag text={known.tag} />}
          <Fact name="Address">
            <code>{known.address}</code>
          </Fact>
          {known.pool && <Fact name="Pool">{known.pool}</Fact>}
          {facts ? (
            <Life facts={facts} />
          ) : (
            quick && <Fact name="Lifetime">{lifeWords(quick)}</Fact>
          )}
        </dl>
      )}
      {known && (
        <>
          <h3>Allocated by</h3>
          <p class="where">
            <bdi>{known.where.slice(0, MOST_LETTERS)}</bdi>
          </p>
          <FrameList frames={facts ? facts.frames : quick!.frames.map(frameOfText)} />
        </>
      )}
      {facts && <FreedBy facts={facts} />}
      {!facts && error && <p class="muted">Who freed it: {error}</p>}
    </aside>
  );
}

/** Layers are tagged by `record --layers`; what the program says itself is shown as it is. */
function Tag({ text }: { text: string }) {
  const layer = layerTag(text);
  if (!layer)
    return (
      <Fact name="Tag">
        <bdi>{text.slice(0, MOST_LETTERS)}</bdi>
      </Fact>
    );
  return (
    <Fact name="Layer">
      <bdi>{layer.part.slice(0, MOST_LETTERS)}</bdi>, iteration {layer.iteration}
    </Fact>
  );
}

function Life({ facts }: { facts: AllocationFacts }) {
  const { allocated, freed, lifetimeSeconds } = facts;
  return (
    <>
      <Fact name="Allocated">{allocated ? <When at={allocated} /> : 'before the trace'}</Fact>
      <Fact name="Freed">
        {freed ? (
          <When at={freed} />
        ) : facts.pendingFree ? (
          'asked for, not done'
        ) : (
          'not in the trace'
        )}
      </Fact>
      {lifetimeSeconds !== null && (
        <Fact name="Lifetime">{formatMicros(lifetimeSeconds * 1e6)}</Fact>
      )}
    </>
  );
}

function When({ at }: { at: EventFacts }) {
  const during = at.phase === null || at.phase === 'between' ? '' : `, ${at.phase}`;
  return (
    <>
      {at.seconds !== null && `${formatAt(at.seconds * 1e6)}, `}event{' '}
      {at.event.toLocaleString('en')}
      {at.step !== null && `, step ${at.step}`}
      {during}
    </>
  );
}

function FreedBy({ facts }: { facts: AllocationFacts }) {
  const by = facts.freeRequested ?? facts.freed;
  if (!by) return null;
  return (
    <>
      <h3>Freed by</h3>
      <p class="where">
        <bdi>{by.where.slice(0, MOST_LETTERS)}</bdi>
      </p>
      <FrameList frames={by.frames} />
    </>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** `forward (model.py:12)` as a frame again. */
function frameOfText(text: string): Frame {
  const match = /^([\s\S]*) \(([\s\S]*?)(?::(\d+))?\)$/.exec(text);
  if (!match) return { function: text, file: '', line: 0 };
  return { function: match[1]!, file: match[2]!, line: Number(match[3] ?? 0) };
}
