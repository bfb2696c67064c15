import type { ComponentType } from 'preact';
import type { InputInfo, InputsInfo } from '../../model/inputs-info.ts';
import type { PageState, StateChange } from '../address.ts';

/** What every page is given. */
export interface PageProps {
  readonly inputs: InputsInfo;
  /** The run that the reader chose; pages about all runs may ignore it. */
  readonly run: InputInfo;
  readonly state: PageState;
  setState(change: StateChange, how?: 'replace' | 'push'): void;
}

/** One page. To add one, write a folder beside this file and name it in index.ts. */
export interface Page {
  /** In the address. */
  readonly id: string;
  readonly title: string;
  /** The key that opens it. */
  readonly key: string;
  /** What it is made from, and how to come by that: for a reader whose inputs have nothing for it. */
  readonly needs: string;
  /** Whether these inputs have anything for it. */
  shows(inputs: InputsInfo, run: InputInfo): boolean;
  load(): PageBody | Promise<PageBody>;
}

export interface PageBody {
  readonly default: ComponentType<PageProps>;
}

/** For pages about one run. */
export const hasResource = (name: string) => (_job: InputsInfo, run: InputInfo) =>
  run.resources.includes(name);

/** For pages about all of them. */
export const inputsHave = (name: string) => (inputs: InputsInfo) => inputs.resources.includes(name);
