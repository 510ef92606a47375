import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { findExecutable, installMissing } from '@parley/local/infrastructure'
import { chromium, type Browser } from 'playwright-core'

const commands = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

export type FoundChromium = { path: string } | { reason: string }

/** Installs a missing Chromium where this is possible. */
export async function findChromium(): Promise<FoundChromium> {
  const find = () => commands.map(findExecutable).find((path) => path !== undefined)
  const found = find()
  if (found !== undefined) return { path: found }
  try {
    await installMissing(['chromium'])
  } catch (error) {
    const [reason = 'no reason'] = error instanceof Error ? error.message.split('\n') : []
    return { reason }
  }
  const path = find()
  return path === undefined ? { reason: 'the package chromium contains no known command' } : { path }
}

/** As root, Chromium refuses to run with its sandbox. It is safe without one, because it shows only our own pages. */
const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []

export const launchChromium = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: sandbox })

/** Keeps its profile in `folder`, also after a crash. `crash` kills the browser. */
export async function startChromium(
  path: string,
  folder: string,
): Promise<{ browser: Browser; crash(): Promise<void> }> {
  const args = [
    '--headless=new',
    '--remote-debugging-port=0',
    `--user-data-dir=${folder}`,
    '--no-first-run',
    ...sandbox,
  ]
  const child = spawn(path, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = once(child, 'exit')
  const crash = async () => {
    child.kill('SIGKILL')
    await exited
  }
  for await (const line of createInterface(child.stderr)) {
    const [, address] = /^DevTools listening on (\S+)/.exec(line) ?? []
    if (address === undefined) continue
    child.stderr.resume()
    return { browser: await chromium.connectOverCDP(address), crash }
  }
  throw new Error('the browser exited before its debugging port was open')
}
