const SECRET_NAME = /(pass(word|wd)?|secret|token|api[-_]?key|access[-_]?key|credential|auth)/i;
const HIDDEN = '***';

/** "--tokenizer bert" and "--max-tokens 5" are no secrets. */
function soundsSecret(name: string): boolean {
  return SECRET_NAME.test(name.replace(/token(s\b|iz)|author/gi, ''));
}

/**
 * An argv without its secrets: values of options and assignments whose name sounds like one, those
 * inside a word that is itself a command line, bearer tokens, and passwords in URLs. Recordings are
 * made to be shared, so this happens before anything is stored.
 */
export function redactArgv(argv: readonly string[]): string[] {
  const result: string[] = [];
  let hideNext = false;
  for (const word of argv) {
    if (hideNext && !word.startsWith('-')) {
      result.push(HIDDEN);
      hideNext = false;
      continue;
    }
    const assignment = /^(--?[\w-]+|\w+)=\S*$/.exec(word);
    if (assignment && soundsSecret(assignment[1]!)) {
      hideNext = false;
      result.push(`${assignment[1]}=${HIDDEN}`);
      continue;
    }
    hideNext = /^--?[\w-]+$/.test(word) && soundsSecret(word);
    result.push(redactText(word));
  }
  return result;
}

/** Secrets within a text: `sh -c 'train --token x'`, `curl -H 'Authorization: Bearer x'`. */
function redactText(text: string): string {
  return text
    .replace(/(:\/\/[^\s:@/]*:)[^\s@/]+@/g, `$1${HIDDEN}@`)
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]+/gi, `$1 ${HIDDEN}`)
    .replace(
      /((?:--?)?[\w-]+)(\s*[=:]\s*|(?<=--?[\w-]+)\s+)(?!\s)([^\s'"]+)/g,
      (whole, name: string, between: string, value: string) =>
        soundsSecret(name) && value !== HIDDEN && !/^(bearer|basic)$/i.test(value)
          ? `${name}${between}${HIDDEN}`
          : whole,
    );
}
