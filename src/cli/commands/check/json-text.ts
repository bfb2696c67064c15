import { describeError, type UserError } from '../../../base/errors.ts';
import { printable } from '../../../base/text.ts';

/** What a text holds; one that is no JSON is refused with the place where that showed. */
export function parseJson(text: string, refuse: (what: string) => UserError): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refuse(printable(describeError(error)));
  }
}
