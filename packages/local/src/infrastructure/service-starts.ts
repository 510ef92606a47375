import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { parseLivingProcess } from './pid-file.ts'
import { identify } from './process-identity.ts'

const mark = '# made by Parley, process '

/**
 * Writes a program that Debian runs before it starts a service, and that forbids the start. The returned function
 * removes it. A file of another program or of a running Parley process is left alone; a file of a Parley process that
 * was killed is replaced.
 */
export function forbidServiceStarts(file = '/usr/sbin/policy-rc.d'): () => void {
  if (existsSync(file) && !isLeftBehind(readFileSync(file, 'utf8'))) return () => {}
  writeFileSync(file, `#!/bin/sh\n${mark}${JSON.stringify(identify(process.pid))}\nexit 101\n`)
  chmodSync(file, 0o755)
  return () => rmSync(file, { force: true })
}

function isLeftBehind(content: string): boolean {
  const line = content.split('\n').find((one) => one.startsWith(mark))
  return line !== undefined && parseLivingProcess(line.slice(mark.length)) === undefined
}
