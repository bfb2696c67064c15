import { formatBytes } from '../../../base/bytes.ts';
import { count, percent } from '../../../base/text.ts';
import { isLikeOutputs } from '../../allocations/failure/class-outputs.ts';
import type { RankedCause } from '../../allocations/failure/ranked-cause.ts';
import { fragmentationCause } from './fragmentation.ts';
import type { Scene } from './scene.ts';
import { scratchCause } from './scratch.ts';

/** Causes within one step of the program: what it made at once, or holds whatever it does. */
export function ownCauses(scene: Scene): RankedCause[] {
  return [
    ...evaluation(scene),
    ...activations(scene),
    ...logits(scene),
    ...optimizerState(scene),
    ...loading(scene),
    ...graphPools(scene),
    ...fragmentationCause(scene),
    ...scratchCause(scene),
    ...tooLarge(scene),
  ];
}

/** That a pass is an evaluation rests on its lines: that training never came that way. */
const OTHER_LINES = { looked: 0.92, notLooked: 0.7 } as const;

function evaluation({ oom, share, said }: Scene): RankedCause[] {
  const pass = oom.evaluation;
  if (!pass) return [];
  const bytes = pass.keptBytes + oom.requestedBytes;
  const graphs =
    pass.graphBytes === null
      ? []
      : [
          said(
            'evaluation/graphBytes',
            `${formatBytes(pass.graphBytes)} of it keep their graph: gradients are on`,
          ),
        ];
  return [
    {
      id: 'evaluation-with-gradients',
      certainty: share(bytes) * OTHER_LINES[pass.graphBytes === null ? 'notLooked' : 'looked'],
      bytes,
      evidence: [
        said(
          'evaluation/keptBytes',
          `this forward pass had kept ${formatBytes(pass.keptBytes)} for a backward pass`,
        ),
        ...graphs,
        said(
          'evaluation/trainedPasses',
          `none of the ${pass.trainedPasses} backward passes before came from the lines that run it`,
        ),
      ],
      against: [],
    },
  ];
}

/** Without any pass, what a program made since its start may as well be anything else. */
const NO_PASS_SEEN = 0.5;
/** Without a whole step before it nothing tells what it lets go of from what it piles up. */
const NO_STEP_BEFORE = 0.9;

function activations({ oom, share, said, partAt, withRequest }: Scene): RankedCause[] {
  const bytes = Math.max(0, withRequest('pass') - outputBytes(oom));
  const sure = share(bytes);
  const { evaluation: pass, work } = oom;
  const seen = work.does !== 'unknown';
  // Only what that pass keeps is explained by it.
  const explained = pass ? Math.min(1, (pass.keptBytes + oom.requestedBytes) / bytes) : 0;
  const evaluates = pass
    ? 1 - explained * OTHER_LINES[pass.graphBytes === null ? 'notLooked' : 'looked']
    : 1;
  const compared = oom.needed?.stepBytes != null;
  const doubt = evaluates * (!seen ? NO_PASS_SEEN : compared ? 1 : NO_STEP_BEFORE);
  const what =
    work.does === 'serves'
      ? 'one forward pass needs at once'
      : seen
        ? 'one step made: results kept for the backward pass, inputs, gradients of results'
        : 'the program made';
  return [
    {
      id: 'activations',
      certainty: sure * doubt,
      bytes,
      evidence: [
        said(
          partAt('pass'),
          `${formatBytes(bytes)}, ${percent(sure)} of all but the model itself, is what ${what}, with the request`,
        ),
      ],
      against: [
        ...(pass
          ? [
              said(
                'evaluation/keptBytes',
                'no backward pass was ever to follow: see evaluation-with-gradients',
              ),
            ]
          : []),
        ...(seen
          ? []
          : [said('work/forwardPasses', 'no pass of a model was seen: it may be anything else')]),
        ...(seen && !compared && !pass
          ? [said('needed', 'no whole step came before it that it could be held against')]
          : []),
      ],
    },
  ];
}

/** Where no loss of torch's own is known by its lines, the shapes of results tell. */
const outputBytes = ({ classOutputs, parts, askedPart, requestedBytes }: Scene['oom']): number => {
  const known = askedPart === 'logits' || parts.some(({ part }) => part === 'logits');
  if (known || !classOutputs) return 0;
  const more = askedPart === 'pass' && isLikeOutputs(classOutputs, requestedBytes);
  return classOutputs.bytes + (more ? requestedBytes : 0);
};

function logits(scene: Scene): RankedCause[] {
  const { oom, share, said, partAt, withRequest } = scene;
  const bytes = withRequest('logits');
  if (bytes === 0) return outputs(scene);
  const blocks = oom.parts.find(({ part }) => part === 'logits')?.blocks ?? 0;
  const asked = oom.askedPart === 'logits';
  return [
    {
      id: 'logits',
      certainty: share(bytes),
      bytes,
      evidence: [
        said(
          partAt('logits'),
          `${formatBytes(bytes)} in ${count(blocks + Number(asked), 'block')} of the size of the last layer's output, made by it, by the loss and for their gradients`,
        ),
        ...(asked
          ? [said('requestedBytes', 'the request that failed was for one more of them')]
          : []),
      ],
      against: [],
    },
  ];
}

function outputs({ oom, share, said }: Scene): RankedCause[] {
  const bytes = outputBytes(oom);
  if (bytes === 0) return [];
  const statement = `${formatBytes(bytes)} are results with a number for each of ${count(oom.classOutputs!.classes, 'class', 'classes')}: the last layer's output, and what is made of it`;
  return [
    {
      id: 'logits',
      certainty: share(bytes),
      bytes,
      evidence: [said('classOutputs/bytes', statement)],
      against: [],
    },
  ];
}

/** Memory ran out in the very act. */
const IN_THE_ACT = 0.7;

function optimizerState({ oom, share, said, partAt, bytesOf }: Scene): RankedCause[] {
  const there = bytesOf('optimizer-state');
  const { optimizer } = oom;
  const bytes = there + (optimizer?.toComeBytes ?? 0);
  if (bytes === 0) return [];
  const part = share(bytes);
  return [
    {
      id: 'optimizer-state',
      certainty: optimizer ? part + (1 - part) * IN_THE_ACT : part,
      bytes,
      evidence: [
        said(partAt('optimizer-state'), `${formatBytes(there)} of optimizer state were there`),
        ...(optimizer
          ? [
              said(
                'optimizer/toComeBytes',
                `${formatBytes(optimizer.toComeBytes)} more were to be made, the request with them: it failed in the first step, where the state is made`,
              ),
            ]
          : []),
      ],
      against: [],
    },
  ];
}

function loading({ oom, share, said, partAt, bytesOf, withRequest }: Scene): RankedCause[] {
  const twice = bytesOf('loaded');
  if (twice === 0) return [];
  const bytes = withRequest('loaded');
  const part = share(bytes);
  return [
    {
      id: 'loading',
      certainty: oom.askedPart === 'loaded' ? part + (1 - part) * IN_THE_ACT : part,
      bytes,
      evidence: [
        said(
          partAt('loaded'),
          `${formatBytes(twice)} of a checkpoint lay beside blocks of the same sizes, ${formatBytes(bytesOf('parameter'))} of the model`,
        ),
        ...(oom.askedPart === 'loaded'
          ? [said('requestedBytes', 'the request that failed was for more of it')]
          : []),
      ],
      against: [],
    },
  ];
}

function graphPools({ oom, share, said }: Scene): RankedCause[] {
  const { privatePools } = oom;
  if (!privatePools) return [];
  const { pools, reservedBytes } = privatePools;
  return [
    {
      id: 'graph-pools',
      certainty: share(reservedBytes),
      bytes: reservedBytes,
      evidence: [
        said(
          'privatePools/reservedBytes',
          `${formatBytes(reservedBytes)} were reserved in ${count(pools, 'private pool')} of CUDA graphs, which nothing else can use`,
        ),
      ],
      against: [],
    },
  ];
}

/** The model itself, of all that there is: where nothing else is large, it is too large for the card. */
function tooLarge({ filledBytes, said, partAt, bytesOf }: Scene): RankedCause[] {
  const bytes = bytesOf('parameter') + bytesOf('gradient');
  return [
    {
      id: 'too-large',
      certainty: bytes / filledBytes,
      bytes,
      evidence: [
        said(partAt('parameter'), `${formatBytes(bytes)} are parameters and their gradients`),
      ],
      against: [],
    },
  ];
}
