import { text } from './fields.ts';
import type { MessageKind } from './kind.ts';

export interface AgentWarning {
  readonly type: 'warning';
  readonly text: string;
}

export const warningKind = {
  type: 'warning',
  parse: (fields): AgentWarning => ({ type: 'warning', text: text(fields.text) }),
} satisfies MessageKind<AgentWarning>;
