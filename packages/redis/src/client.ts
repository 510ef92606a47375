import { Redis } from 'ioredis'
import { logger } from '@parley/telemetry'

/** An ioredis client; disposing closes its connection. */
export type RedisClient = Redis & AsyncDisposable

/**
 * Opens a client that keeps trying to connect and never fails at start. While the server is away commands fail at once
 * instead of waiting, so callers fall back: nothing may depend on Redis.
 */
export function openRedis(options: { url: string; name: string }): RedisClient {
  const log = logger('redis')
  const client = new Redis(options.url, {
    connectionName: options.name,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2000,
    commandTimeout: 1000,
    keepAlive: 5000,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 6), 2000),
  })
  let away = false
  client.on('error', (error: Error) => {
    if (!away) log.warn({ err: error }, 'redis is not available')
    away = true
  })
  client.on('ready', () => {
    if (away) log.info('redis is available again')
    away = false
  })
  return Object.assign(client, {
    [Symbol.asyncDispose]: async () => {
      await client.quit().catch(() => client.disconnect())
    },
  })
}
