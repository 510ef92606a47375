import { spawn } from 'node:child_process'

const programs: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', linux: 'xdg-open' }

/** Opens an address in the local browser; does nothing if there is none. */
export function openInBrowser(url: string): void {
  const program = programs[process.platform]
  if (program === undefined) return
  const opening = spawn(program, [url], { stdio: 'ignore', detached: true })
  opening.on('error', () => undefined)
  opening.unref()
}
