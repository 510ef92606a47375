import { defineConfig, processFields } from '@parley/config'
import { pino, stdTimeFunctions, type Logger as PinoLogger } from 'pino'
import { describeError } from './errors.ts'
import { serviceName } from './identity.ts'
import { activeTrace } from './trace.ts'

/** Writes structured lines: `log.warn({ roomId, err: error }, 'the room could not be handed over')`. */
export type Logger = PinoLogger

/** The line is already redacted. */
export type LineSink = (line: string) => void

export type LoggedError = {
  /** ISO time. */
  at: string
  part: string
  message: string
  /** Code or type of the error that was logged as `err`; empty if there was none. */
  error: string
}

const maxRemembered = 5
const errors: LoggedError[] = []

/** Newest first. */
export const lastErrors = (): readonly LoggedError[] => errors

const secrets = ['password', 'token', 'secret', 'authorization', 'cookie', 'credential', 'secretKey', 'email', 'body']
const keys = [...secrets, 'databaseUrl', 'redisUrl', 'natsPassword', '["set-cookie"]']

let sink: LineSink | undefined
let root: Logger | undefined

/** The logger of a part of the program. Lines are JSON on standard output and carry the ids of the current trace. */
export function logger(name: string): Logger {
  root ??= createRoot()
  return root.child({ name })
}

export function setLineSink(receive: LineSink | undefined): void {
  sink = receive
}

function createRoot(): Logger {
  // The reader of stdout may exit before this process, which must still drain. One listener is enough, even if this
  // module is loaded several times.
  if (process.stdout.listenerCount('error') === 0) process.stdout.on('error', () => undefined)
  const level = logLevel()
  const isSilent = level === 'silent'
  return pino(
    {
      level: isSilent ? 'warn' : level,
      base: { service: serviceName, pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError, error: describeError },
      mixin: () => activeTrace() ?? {},
      redact: {
        paths: keys.flatMap((key) => (key.startsWith('[') ? [key, `*${key}`] : [key, `*.${key}`, `*.*.${key}`])),
        censor: '***',
      },
    },
    {
      write: (line) => {
        if (!isSilent) process.stdout.write(line)
        sink?.(line)
        // The level comes first in every line.
        if (line.startsWith('{"level":"error"') || line.startsWith('{"level":"fatal"')) remember(line)
      },
    },
  )
}

function remember(line: string): void {
  const {
    time,
    name,
    msg = '',
    err,
  } = JSON.parse(line) as Record<'time' | 'name', string> & {
    msg?: string
    err?: { code?: string | number; type?: string }
  }
  errors.unshift({ at: time, part: name, message: msg, error: String(err?.code ?? err?.type ?? '') })
  errors.length = Math.min(errors.length, maxRemembered)
}

/** An invalid level must not silence the log; the code that reads the whole configuration reports it. */
function logLevel(): string {
  const { logLevel } = processFields()
  try {
    return defineConfig({ logLevel })().logLevel
  } catch {
    return 'info'
  }
}
