import { spawn } from 'node:child_process'
import { root } from './paths.mjs'

export class Failure extends Error {}

export class Interruption extends Error {
  constructor(signal) {
    super(`ended by ${signal}`)
    this.signal = signal
  }
}

// Keep going if the reader of the output is gone (make run | head), rather than leave a checkout half prepared.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

export function say(line) {
  process.stdout.write(`${line}\n`)
}

export function fail(line) {
  process.stderr.write(`parley: ${line}\n`)
  process.exit(1)
}

/**
 * Ends the process: by the signal that interrupted a step, or with the error and advice. Throws any unexpected error.
 */
export function endBecauseOf(error) {
  if (error instanceof Interruption) {
    process.removeAllListeners(error.signal)
    return void process.kill(process.pid, error.signal)
  }
  if (error instanceof Failure) fail(error.message)
  const advice = adviceFor(error, root)
  if (advice === undefined) throw error
  fail(`${error.message}: ${advice}`)
}

const diskFull = 'the disk is full; free some space and start again'
const mustBeWritable = 'must be writable for the user who starts Parley'

/** Output of other programs that points to a problem of the machine, with advice. */
const causes = [
  [/\bENOSPC\b|No space left on device/i, () => diskFull],
  [/(?:Permission denied|Read-only file system) \(os error/, () => adviceOnWriting(root)],
  [/\b(?:EACCES|EPERM|EROFS)\b[^\n]*'(\/[^'\n]+)'/, ([, path]) => adviceOnWriting(path)],
  [
    /\bCERT_(?:NOT_YET_VALID|HAS_EXPIRED)\b/,
    () =>
      `the registry's certificate is not valid at the time of this machine's clock, ${new Date().toISOString()}; check that the clock is right`,
  ],
]

/** Programs write to the checkout, and to caches below HOME. */
const adviceOnWriting = (path) =>
  `${path} ${mustBeWritable}${path.startsWith(root) ? '' : ', or set HOME to another folder'}`

function adviceIn(output) {
  for (const [pattern, advice] of causes) {
    const match = pattern.exec(output)
    if (match !== null) return advice(match)
  }
  return undefined
}

/**
 * Runs a command silently and returns its output. If it fails, shows the output and throws a {@link Failure} with
 * advice. On a signal to this process, ends the command and its children and throws an {@link Interruption}. Later
 * signals are ignored until {@link endBecauseOf}: one Ctrl-C may arrive twice, from the terminal and from the shell
 * above, and the second signal must not interrupt the clean-up of callers.
 */
export async function run(command, args, { hint, ...options }) {
  let interrupted
  const interrupt = (signal) => {
    interrupted = signal
    signalGroup(child.pid, 'SIGTERM')
  }
  // Under nohup the terminal may be closed.
  const onHangup = process.env.PARLEY_LOCAL_HANGUP === 'ignore' ? () => undefined : interrupt
  const listeners = { SIGINT: interrupt, SIGTERM: interrupt, SIGHUP: onHangup }
  // Listen first: a signal may arrive as soon as the command runs.
  for (const [signal, listener] of Object.entries(listeners)) process.on(signal, listener)
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const { output, error, status, signal } = await outcomeOf(child)
  for (const [name, listener] of Object.entries(listeners)) {
    if (interrupted !== undefined) process.on(name, () => undefined)
    process.off(name, listener)
  }
  if (interrupted !== undefined) throw new Interruption(interrupted)
  if (status === 0) return output
  process.stderr.write(output)
  const advice = adviceIn(output)
  if (advice !== undefined) throw new Failure(advice)
  if (signal) throw new Failure(`${command} was ended by ${signal}`)
  throw new Failure(error === undefined ? hint : `${hint} (${error.message})`)
}

function outcomeOf(child) {
  return new Promise((resolve) => {
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    child.once('error', (error) => resolve({ output, error }))
    child.once('close', (status, signal) => resolve({ output, status, signal }))
  })
}

function signalGroup(pid, signal) {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {}
}

/** Undefined for any error that is not about a full disk or a path that cannot be written. */
function adviceFor({ code, syscall }, folder) {
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull
  // Some releases of Node.js report ENOENT when a folder cannot be created on a read-only file system.
  const forbidden = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR'].includes(code) || (code === 'ENOENT' && syscall === 'mkdir')
  return forbidden ? `${folder} ${mustBeWritable}` : undefined
}
