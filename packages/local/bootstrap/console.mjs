import { spawnSync } from 'node:child_process'

/** A step failed; the message says what to do. */
export class Failure extends Error {}

/** A line about what is going on. */
export function say(line) {
  process.stdout.write(`${line}\n`)
}

/** Ends the process with a message. */
export function fail(line) {
  process.stderr.write(`parley: ${line}\n`)
  process.exit(1)
}

/** Runs a command silently; when it fails, shows its output and throws the hint. */
export function run(command, args, { hint, ...options }) {
  const result = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1e8, ...options })
  if (result.status === 0) return
  process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`)
  if (result.signal) throw new Failure(`${command} was ended by ${result.signal}`)
  throw new Failure(result.error === undefined ? hint : `${hint} (${result.error.message})`)
}
