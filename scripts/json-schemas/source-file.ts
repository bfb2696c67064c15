import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { Scanner } from './scanner.ts';
import { parseConstant, parseMembers, parseType, type TypeSyntax } from './type-syntax.ts';

/** A type by its name, as its file declares it. */
export interface Declared {
  readonly file: SourceFile;
  readonly name: string;
  readonly doc: string | null;
  /** The names of what it is made for, as T of `Top<T>`. */
  readonly params: readonly string[];
  readonly type: TypeSyntax;
}

/** The types that one file declares, imports or hands on; parsed when they are asked for. */
export class SourceFile {
  static readonly #known = new Map<string, SourceFile>();
  readonly path: string;
  readonly #text: string;

  static at(path: string): SourceFile {
    const known = SourceFile.#known.get(path) ?? new SourceFile(path);
    SourceFile.#known.set(path, known);
    return known;
  }

  private constructor(path: string) {
    this.path = path;
    this.#text = readFileSync(path, 'utf8');
  }

  /** The names of the types that it exports, in their order. */
  exported(): string[] {
    const found = this.#text.matchAll(/^export (?:interface|type) (\w+)/gm);
    return [...found].map(([, name]) => name!);
  }

  declared(name: string): Declared {
    const own = this.#own(name) ?? this.#imported(name)?.declared(name);
    if (!own) throw new Error(`${this.path}: there is no type ${name}`);
    return own;
  }

  /** The type of `const NAME = …`. */
  constant(name: string): TypeSyntax {
    const found = new RegExp(`^(?:export )?const ${name}\\b[^=\\n]*=`, 'm').exec(this.#text);
    if (found) return parseConstant(this.#scanner(found.index + found[0].length));
    const other = this.#imported(name);
    if (!other) throw new Error(`${this.path}: there is no constant ${name}`);
    return other.constant(name);
  }

  #own(name: string): Declared | null {
    const start = new RegExp(`^(?:export )?(?:interface|type) ${name}\\b`, 'm').exec(this.#text);
    if (!start) return null;
    const doc = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(this.#text.slice(0, start.index));
    const from = this.#scanner(doc ? doc.index : start.index);
    const said = from.peek().doc;
    from.skip('export');
    const isInterface = from.take().text === 'interface';
    from.name();
    const params: string[] = [];
    if (from.skip('<'))
      do params.push(from.name());
      while (from.skip(',') || !from.skip('>'));
    const type = isInterface ? parseInterface(from) : parseAlias(from);
    return { file: this, name, doc: said, params, type };
  }

  #imported(name: string): SourceFile | null {
    const lists = /^(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm;
    for (const [, names, path] of this.#text.matchAll(lists)) {
      const has = names!.split(',').some((one) => one.replace(/\btype\b/, '').trim() === name);
      if (has) return SourceFile.at(normalize(join(dirname(this.path), path!)));
    }
    return null;
  }

  #scanner(at: number): Scanner {
    return new Scanner(this.path, this.#text, at);
  }
}

function parseInterface(from: Scanner): TypeSyntax {
  const of: TypeSyntax[] = [];
  if (from.skip('extends'))
    do of.push(parseType(from));
    while (from.skip(','));
  // An own member is nearer than one of the same name above it.
  of.push(parseMembers(from));
  return of.length === 1 ? of[0]! : { is: 'both', of };
}

function parseAlias(from: Scanner): TypeSyntax {
  from.expect('=');
  return parseType(from);
}
