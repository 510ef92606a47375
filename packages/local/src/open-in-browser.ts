import { spawn } from 'node:child_process'

const programs: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', linux: 'xdg-open' }

export function openInBrowser(url: string): void {
  const program = programs[process.platform]
  if (program === undefined) return
  const child = spawn(program, [url], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}
