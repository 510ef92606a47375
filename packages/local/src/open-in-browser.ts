import { spawn } from 'node:child_process'

const programs: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', linux: 'xdg-open' }

/** Shows an address in the browser of whoever sits here; where there is none, nothing happens. */
export function openInBrowser(url: string): void {
  const program = programs[process.platform]
  if (program === undefined) return
  const opening = spawn(program, [url], { stdio: 'ignore', detached: true })
  opening.on('error', () => undefined)
  opening.unref()
}
