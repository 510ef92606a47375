import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findExecutable } from './executables.ts'
import { endLeftover, removePidFile, writePidFile } from './pid-file.ts'
import type { SystemUser } from './system-user.ts'

export type ChildOptions = {
  name: string
  command: string
  args: string[]
  cwd: string
  logFile: string
  /** With this file a later {@link startChild} can end the child if this process could not. */
  pidFile: string
  env?: NodeJS.ProcessEnv
  user?: SystemUser | undefined
  inheritedFd?: number | undefined
  /** Signals that end the process, the gentlest first. */
  stopSignals: NodeJS.Signals[]
  /** How long to wait after each signal; default 10 s. SIGKILL is the last signal. */
  stopTimeoutMs?: number
}

export type Child = AsyncDisposable & {
  pid: number
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  isRunning(): boolean
  stop(): Promise<void>
  lastLines(): string
}

/**
 * Starts a program in its own process group, so that Ctrl-C in the terminal reaches only the parent. If the system
 * supports it, the program ends with this process; otherwise the next start ends it by its pid file.
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  const signals = options.stopSignals
  const stopTimeoutMs = options.stopTimeoutMs ?? 10_000
  await endLeftover(options.pidFile, signals, stopTimeoutMs)
  mkdirSync(dirname(options.logFile), { recursive: true })
  const log = openSync(options.logFile, 'a')
  const [command, args] = endWithParent(options.command, options.args, signals[0] ?? 'SIGTERM')
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ['ignore', log, log, ...(options.inheritedFd === undefined ? [] : [options.inheritedFd])],
    detached: true,
    ...(options.user === undefined ? {} : { uid: options.user.uid, gid: options.user.gid }),
  })
  closeSync(log)
  const spawnError = new Promise<Error>((resolve) => child.once('error', resolve))
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => {
      removePidFile(options.pidFile)
      resolve({ code, signal })
    })
  })
  if (child.pid === undefined) throw new Error(`${options.name} cannot be started: ${(await spawnError).message}`)
  try {
    writePidFile(options.pidFile, child.pid)
  } catch (error) {
    child.kill('SIGKILL') // a later start could not end it without its pid file
    throw error
  }
  child.unref()
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const stop = async () => {
    for (const signal of [...signals, 'SIGKILL' as const]) {
      if (!isRunning()) return
      child.kill(signal)
      const waiting = new AbortController()
      await Promise.race([exited, sleep(stopTimeoutMs, undefined, { signal: waiting.signal }).catch(() => undefined)])
      waiting.abort()
    }
  }
  return {
    pid: child.pid,
    exited,
    isRunning,
    stop,
    lastLines: () => lastLines(options.logFile),
    [Symbol.asyncDispose]: stop,
  }
}

/**
 * Stops the process if it is not ready within `timeoutMs`. Throws with the last log lines in that case, and if the
 * process ends by itself.
 */
export async function whenReady(child: Child, name: string, isReady: () => Promise<boolean>, timeoutMs = 30_000) {
  for (const until = Date.now() + timeoutMs; Date.now() < until; await sleep(15)) {
    if (!child.isRunning()) throw new Error(`${name} ended while it started:\n${child.lastLines()}`)
    if (await isReady()) return
  }
  await child.stop()
  throw new Error(`${name} did not answer within ${timeoutMs / 1000} s:\n${child.lastLines()}`)
}

/** Linux can send a signal to a child whose parent is gone, even after kill -9. */
function endWithParent(command: string, args: string[], signal: NodeJS.Signals): [string, string[]] {
  const setpriv = process.platform === 'linux' ? findExecutable('setpriv') : undefined
  if (setpriv === undefined) return [command, args]
  return [setpriv, ['--pdeathsig', signal.replace('SIG', ''), '--', command, ...args]]
}

function lastLines(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-8).join('\n')
  } catch {
    return ''
  }
}
