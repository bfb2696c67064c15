/**
 * What the user types to reach us. npm sets this variable for what it starts (`npx`, scripts), and there our
 * name alone would not be found by the user's own shell.
 */
export function typedAs(env: NodeJS.ProcessEnv = process.env): string {
  return env.npm_command === undefined ? 'highwater' : 'npx highwater';
}
