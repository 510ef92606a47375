import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts'

/** Writes a pid file, so that a later start can end the process if its parent was killed. */
export function writePidFile(file: string, pid: number): void {
  const identity = identify(pid)
  if (identity !== undefined) writeFileSync(file, JSON.stringify(identity))
}

/** The process a pid file names if that very process still runs, never a stranger that was given its pid. */
export function readPidFile(file: string): ProcessIdentity | undefined {
  try {
    return livingProcess(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** The process that the content of a pid file names, as {@link readPidFile} does. */
export function livingProcess(content: string): ProcessIdentity | undefined {
  try {
    const value: unknown = JSON.parse(content)
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('startedAt' in value)) return undefined
    const { pid, startedAt } = value
    if (typeof pid !== 'number' || typeof startedAt !== 'string') return undefined
    return isAlive({ pid, startedAt }) ? { pid, startedAt } : undefined
  } catch {
    return undefined
  }
}

/** Deletes the file of a process. */
export function removePidFile(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // That process has ended; another one with the same pid is not mistaken for it.
  }
}

/**
 * Ends the process a pid file names, if it still runs: sends each signal in turn and gives it `stopTimeoutMs` before the
 * next, SIGKILL last. Returns whether there was one.
 */
export async function endLeftover(file: string, signals: NodeJS.Signals[], stopTimeoutMs = 5000): Promise<boolean> {
  const identity = readPidFile(file)
  if (identity !== undefined) await endProcess(identity, signals, stopTimeoutMs)
  removePidFile(file)
  return identity !== undefined
}

/** The system then ends the process, with a delay on a busy machine. */
const killTimeoutMs = 10_000

/** Ends a process as {@link endLeftover} does. */
export async function endProcess(identity: ProcessIdentity, signals: NodeJS.Signals[], stopTimeoutMs = 5000) {
  for (const signal of [...signals, 'SIGKILL' as const]) {
    if (!sendSignal(identity.pid, signal)) return
    const until = Date.now() + (signal === 'SIGKILL' ? killTimeoutMs : stopTimeoutMs)
    for (; Date.now() < until; await sleep(20)) if (!isAlive(identity)) return
  }
  throw new Error(`process ${identity.pid} does not end`)
}

function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
