import { spawn } from 'node:child_process';
import { hostname, userInfo } from 'node:os';

/** Whether this terminal is on another machine than the reader's browser. */
export function throughSsh(env: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(env.SSH_CONNECTION || env.SSH_TTY || env.SSH_CLIENT);
}

/** What to type on the reader's machine so that the same address works there. */
export function tunnelLine(port: number): string {
  return `ssh -N -L ${port}:127.0.0.1:${port} ${userInfo().username}@${hostname()}`;
}

/** Opens an address in the reader's browser; false where there is none to open. */
export async function openBrowser(url: string): Promise<boolean> {
  const program = opening(url);
  if (!program) return false;
  const [name, ...argv] = program;
  return new Promise((resolve) => {
    const child = spawn(name!, argv, { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

function opening(url: string): string[] | null {
  if (process.platform === 'darwin') return ['open', url];
  if (process.platform === 'win32') return ['explorer.exe', url];
  if (process.env.WSL_DISTRO_NAME) return ['explorer.exe', url];
  if (!process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return null;
  return ['xdg-open', url];
}
