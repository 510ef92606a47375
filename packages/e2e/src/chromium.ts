import { findExecutable, installMissing } from '@parley/local/infrastructure'
import { chromium, type Browser } from 'playwright-core'

const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** A real browser: where it lies, or why there is none. */
export type FoundChromium = { path: string } | { reason: string }

/** Chromium of this machine, installed first where the system lets us. */
export async function findChromium(): Promise<FoundChromium> {
  const find = () => programs.map(findExecutable).find((path) => path !== undefined)
  const found = find()
  if (found !== undefined) return { path: found }
  try {
    await installMissing(['chromium'])
  } catch (error) {
    const [reason = 'no reason'] = error instanceof Error ? error.message.split('\n') : []
    return { reason }
  }
  const path = find()
  return path === undefined ? { reason: 'the package chromium holds no program of a known name' } : { path }
}

/** Starts it without a window. As root it has no sandbox; nothing but our own pages is shown to it. */
export const launchChromium = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
