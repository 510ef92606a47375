import { type Command, Redis } from 'ioredis'
import { logger } from '@parley/telemetry'
import { commandSpan, timedOut } from './spans.ts'

export type RedisClient = Redis & AsyncDisposable

/** A timer that fires later than this shows that the process was not running in between. */
const toleratedLateMs = 50
/** How often a timeout is extended. Without a limit an overloaded process would wait forever. */
const maxExtensions = 3

export type RedisOptions = {
  url: string
  name: string
  /** Default 1000. */
  commandTimeoutMs?: number
}

/**
 * Opens a client that keeps trying to connect and never fails at start. While the server is unavailable, commands fail
 * at once instead of waiting, so that callers fall back: nothing may require Redis.
 */
export function openRedis({ url, name, commandTimeoutMs = 1000 }: RedisOptions): RedisClient {
  const log = logger('redis')
  const client = new Redis(url, {
    connectionName: name,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2000,
    keepAlive: 5000,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 6), 2000),
  })
  const send = client.sendCommand.bind(client)
  client.sendCommand = (command, ...on) => {
    limitWait(command, commandTimeoutMs)
    const answer = send(command, ...on)
    commandSpan(command, client.options.db ?? 0)
    return answer
  }
  let isUnavailable = false
  client.on('error', (error: Error) => {
    if (!isUnavailable) log.warn({ err: error }, 'redis is not available')
    isUnavailable = true
  })
  client.on('ready', () => {
    if (isUnavailable) log.info('redis is available again')
    isUnavailable = false
  })
  return Object.assign(client, {
    [Symbol.asyncDispose]: async () => {
      await client.quit().catch(() => client.disconnect())
    },
  })
}

/**
 * Rejects a command that is not answered in time. Unlike the client's own timeout, this one does not count time in
 * which the process did not run: overdue timers fire before sockets are read, so an overloaded process would give up
 * commands that have been answered.
 */
function limitWait(command: Command, afterMs: number): void {
  let timer: NodeJS.Timeout
  const waitFor = (ms: number, extensions: number) => {
    const due = performance.now() + ms
    timer = setTimeout(() => {
      const lateMs = performance.now() - due
      if (lateMs > toleratedLateMs && extensions > 0) waitFor(lateMs, extensions - 1)
      else command.reject(new Error(timedOut))
    }, ms)
  }
  waitFor(afterMs, maxExtensions)
  const cancelTimeout = () => clearTimeout(timer)
  void command.promise.then(cancelTimeout, cancelTimeout)
}
