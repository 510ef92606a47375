import { type ChildProcess, fork } from 'node:child_process'
import { createInterface } from 'node:readline'
import { removePidFile, writePidFile } from '../infrastructure/index.ts'
import { LogFile } from './log-file.ts'

export type Serving = { internalPort: number; url?: string }

export type Exit = { code: number | null; signal: NodeJS.Signals | null; livedMs: number }

export type ServiceProcess = {
  pid: number
  /** Never resolves if the process ends first. */
  serving: Promise<Serving>
  /** Rejects if the process could not be started. */
  exited: Promise<Exit>
  lastLines(): string[]
  kill(signal: NodeJS.Signals): void
}

export type Launch = {
  main: string
  env: NodeJS.ProcessEnv
  logFile: string
  pidFile: string
  onLine: (line: string) => void
}

const maxLastLines = 20

/**
 * Forks a service into its own process group, so that Ctrl-C in the terminal reaches only the supervisor. The service
 * exits when this process ends and the channel closes.
 */
export function launchService(launch: Launch): ServiceProcess {
  const startedAt = Date.now()
  const child = fork(launch.main, [], {
    env: launch.env,
    execArgv: [],
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const { pid = 0 } = child
  const exited = new Promise<Exit>((resolve, reject) => {
    child.on('error', (error) => pid === 0 && reject(error))
    // "close" is emitted after the output has been read completely.
    child.once('close', (code, signal) => {
      removePidFile(launch.pidFile)
      resolve({ code, signal, livedMs: Date.now() - startedAt })
    })
  })
  const serving = new Promise<Serving>((resolve) => {
    child.on('message', (message) => {
      const value = toServing(message)
      if (value !== undefined) resolve(value)
    })
  })
  if (pid === 0) return { pid, serving, exited, lastLines: () => [], kill: () => undefined }
  const last = recordOutput(child, launch)
  recordPid(child, pid, launch.pidFile)
  return { pid, serving, exited, lastLines: () => last, kill: (signal) => void child.kill(signal) }
}

/** If the pid file cannot be written, kills the process: without the file a later start could not end it. */
function recordPid(child: ChildProcess, pid: number, pidFile: string): void {
  try {
    writePidFile(pidFile, pid)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

function recordOutput(child: ChildProcess, launch: Launch): string[] {
  const log = new LogFile(launch.logFile)
  const last: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue
    createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
      log.append(line)
      if (last.push(line) > maxLastLines) last.shift()
      launch.onLine(line)
    })
  }
  child.once('close', () => log.close())
  return last
}

function toServing(message: unknown): Serving | undefined {
  if (typeof message !== 'object' || message === null || !('type' in message) || message.type !== 'ready')
    return undefined
  if (!('internalPort' in message) || typeof message.internalPort !== 'number') return undefined
  const { internalPort } = message
  return 'url' in message && typeof message.url === 'string' ? { internalPort, url: message.url } : { internalPort }
}
