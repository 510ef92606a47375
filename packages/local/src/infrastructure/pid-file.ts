import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts'

/** Lets a later start end the process if its parent was killed. */
export function writePidFile(file: string, pid: number): void {
  const identity = identify(pid)
  if (identity !== undefined) writeFileSync(file, JSON.stringify(identity))
}

/**
 * Returns undefined if the file is missing or damaged, or if its process has ended, even if another process got the
 * same pid.
 */
export function readPidFile(file: string): ProcessIdentity | undefined {
  try {
    return parseLivingProcess(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

export function parseLivingProcess(content: string): ProcessIdentity | undefined {
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

export function removePidFile(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // A leftover file does no harm: another process with the same pid is not mistaken for this one.
  }
}

export async function endLeftover(file: string, signals: NodeJS.Signals[], stopTimeoutMs = 5000): Promise<boolean> {
  const identity = readPidFile(file)
  if (identity !== undefined) await endProcess(identity, signals, stopTimeoutMs)
  removePidFile(file)
  return identity !== undefined
}

/** A busy machine needs a while to end a killed process. */
const killTimeoutMs = 10_000

export async function endProcess(identity: ProcessIdentity, signals: NodeJS.Signals[], stopTimeoutMs = 5000) {
  for (const signal of [...signals, 'SIGKILL' as const]) {
    if (!sendSignal(identity.pid, signal)) return
    const until = Date.now() + (signal === 'SIGKILL' ? killTimeoutMs : stopTimeoutMs)
    for (; Date.now() < until; await sleep(20)) if (!isAlive(identity)) return
  }
  throw new Error(`process ${identity.pid} does not end even after SIGKILL`)
}

function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
