import { setImmediate as afterReading, setTimeout as sleep } from 'node:timers/promises'
import { connect, DebugEvents, Events, type NatsConnection } from 'nats'
import { retry } from '@parley/runtime'
import { logger } from '@parley/telemetry'

const log = logger('bus')
const answerTimeoutMs = 3_000

export type BusOptions = {
  /** `nats://host:port`, or several separated by commas. */
  readonly url: string
  /** User for calls. The user for events is `<user>-events`, with the same password, in a separate account. */
  readonly user?: string | undefined
  readonly password?: string | undefined
  /** The user may subscribe to inboxes only below `_INBOX.<name>`. */
  readonly name: string
  /** A process has two connections, so that a flood of events never delays a call. */
  readonly purpose: 'rpc' | 'events'
  readonly signal?: AbortSignal
  /** Whether to connect only once: rejects with the reason if that fails, and never reconnects. */
  readonly once?: boolean
}

export type Bus = AsyncDisposable & {
  readonly name: string
  readonly nc: NatsConnection
  readonly inboxPrefix: string
  /** While this is false, published messages may be lost. */
  connected(): boolean
  /**
   * Checks whether the server still answers; called when an expected message did not arrive. Without an answer within
   * three seconds, it reconnects. Cheap, and may be called often.
   */
  verify(): void
  /** Dispose the result to stop. */
  onReconnect(listener: () => void): Disposable
  /** Dispose the result to stop. */
  onDisconnect(listener: () => void): Disposable
}

/**
 * Connects to NATS. Unless `once` is set, it retries until a connection is up, and reconnects forever. Throws the
 * abort reason when `signal` is aborted before that.
 */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const inboxPrefix = `_INBOX.${options.name}`
  if (options.once) return toBus(await attempt(options, inboxPrefix), options.name, inboxPrefix)
  const nc = await retry(() => attempt(options, inboxPrefix), {
    ...(options.signal ? { signal: options.signal } : {}),
    initialMs: 100,
    maxMs: 2_000,
  })
  return toBus(nc, options.name, inboxPrefix)
}

const userOf = (user: string, { purpose }: BusOptions) => (purpose === 'events' ? `${user}-events` : user)

async function attempt(options: BusOptions, inboxPrefix: string): Promise<NatsConnection> {
  try {
    return await connect({
      servers: options.url.split(','),
      ...(options.user === undefined ? {} : { user: userOf(options.user, options), pass: options.password ?? '' }),
      name: `${options.name}-${options.purpose}`,
      inboxPrefix,
      timeout: 2_000,
      maxReconnectAttempts: -1,
      reconnect: !options.once,
      reconnectDelayHandler: () => 100 + Math.random() * 400,
      ignoreAuthErrorAbort: true,
      // Callers whose reply does not arrive call `verify`. If no reply is pending, pings detect a dead connection
      // within 20 to 40 seconds.
      pingInterval: 20_000,
      maxPingOut: 1,
      noAsyncTraces: true,
    })
  } catch (error) {
    log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'connecting to the bus failed')
    throw error
  }
}

function toBus(nc: NatsConnection, name: string, inboxPrefix: string): Bus {
  let connected = true
  const reconnectListeners = new Set<() => void>()
  const disconnectListeners = new Set<() => void>()
  const follow = async () => {
    for await (const status of nc.status()) {
      if (status.type === Events.Disconnect) {
        connected = false
        log.warn('the connection to the bus is lost')
        disconnectListeners.forEach((listener) => listener())
      } else if (status.type === Events.Reconnect) {
        connected = true
        log.info('the connection to the bus is back')
        reconnectListeners.forEach((listener) => listener())
      } else if (status.type === Events.Error) {
        log.error(
          { reason: status.data, permission: status.permissionContext },
          'the bus reported an error, such as a missing permission',
        )
      } else if (status.type === DebugEvents.StaleConnection) {
        log.warn('the bus did not answer pings')
      }
    }
    connected = false
  }
  void follow()
  let verifying: Promise<void> | undefined
  return {
    name,
    nc,
    inboxPrefix,
    connected: () => connected,
    verify: () =>
      void (verifying ??= reconnectUnlessAnswered(nc, () => connected).finally(() => (verifying = undefined))),
    onReconnect: (listener) => listen(reconnectListeners, listener),
    onDisconnect: (listener) => listen(disconnectListeners, listener),
    async [Symbol.asyncDispose]() {
      if (connected) await Promise.race([nc.flush().catch(() => undefined), sleep(1_000, undefined, { ref: false })])
      await nc.close()
    },
  }
}

async function reconnectUnlessAnswered(nc: NatsConnection, connected: () => boolean): Promise<void> {
  if (!connected()) return
  let settled = false
  const settle = () => (settled = true)
  const answer = nc.flush().then(settle, settle)
  await Promise.race([answer, sleep(answerTimeoutMs, undefined, { ref: false })])
  // After a freeze of this process the timeout fires before the answer, which has already arrived, is read.
  await afterReading()
  if (settled || !connected()) return
  log.warn('the bus does not answer; connecting again')
  // Rejects only if the connection was closed in the meantime.
  await nc.reconnect().catch(() => undefined)
}

function listen(listeners: Set<() => void>, listener: () => void): Disposable {
  listeners.add(listener)
  return { [Symbol.dispose]: () => void listeners.delete(listener) }
}
