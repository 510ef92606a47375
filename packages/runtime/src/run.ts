import { ConfigError } from '@parley/config'
import { logger, stopTelemetry } from '@parley/telemetry'

/** Disposing drains and closes it. */
export type Service = AsyncDisposable & {
  internalPort: number
  /** URL of its port for clients, on this machine. */
  url?: string
  /** Time limit for disposing; five seconds later the process exits with 1. Default 15 s. */
  drainTimeoutMs?: number
}

/** Message from a forked process to its parent. */
export type ReadyMessage = { type: 'ready'; internalPort: number; url?: string }

const exitConfig = 78
const graceMs = 5_000

/**
 * Runs a deployable until SIGTERM, SIGINT or the end of its parent process; then disposes it and lets the process exit.
 * The signal passed to `start` is aborted when shutdown is requested, even during the start.
 *
 * Exit codes: 0 after a clean shutdown, also during the start; 78 for an invalid configuration (the errors are printed
 * on standard error); 1 if starting or closing failed or did not end in time.
 */
export async function run(name: string, start: (stop: AbortSignal) => Promise<Service> | Service): Promise<void> {
  const log = logger('runtime')
  process.on('uncaughtExceptionMonitor', (error) => log.fatal({ err: error }, `${name} crashed`))
  using end = listenForEnd()
  let drainTimeoutMs = 15_000
  end.signal.addEventListener('abort', () => {
    log.info({ reason: end.signal.reason as unknown }, `${name} is stopping`)
    forceExitAfter(drainTimeoutMs + graceMs, name)
  })

  const service = await startService(name, start, end.signal)
  if (service) {
    drainTimeoutMs = service.drainTimeoutMs ?? drainTimeoutMs
    log.info({ internalPort: service.internalPort, url: service.url }, `${name} is up`)
    notifyParent(service)
    await end.requested
    await stopService(name, service)
  } else {
    forceExitAfter(graceMs, name)
  }
  await stopTelemetry()
  if (process.connected) process.disconnect()
}

type Start = Parameters<typeof run>[1]

/** Undefined if it could not be started or was stopped before it was ready. */
async function startService(name: string, start: Start, stop: AbortSignal): Promise<Service | undefined> {
  try {
    return await start(stop)
  } catch (error) {
    if (stop.aborted) return undefined
    if (error instanceof ConfigError) {
      process.exitCode = exitConfig
      process.stderr.write(`${name}: ${error.message}\n`)
    } else {
      process.exitCode = 1
      logger('runtime').fatal({ err: error }, `${name} could not start`)
    }
    return undefined
  }
}

async function stopService(name: string, service: Service): Promise<void> {
  try {
    await service[Symbol.asyncDispose]()
    logger('runtime').info(`${name} has stopped`)
  } catch (error) {
    process.exitCode = 1
    logger('runtime').error({ err: error }, `${name} did not close cleanly`)
  }
}

/**
 * Aborts `signal` on SIGTERM, on SIGINT and when the parent of a forked process is gone. Disposing removes the
 * handlers.
 */
function listenForEnd(): { signal: AbortSignal; requested: Promise<void> } & Disposable {
  const stop = new AbortController()
  const requested = new Promise<void>((resolve) => {
    stop.signal.addEventListener('abort', () => resolve())
  })
  const events = process.channel ? ['SIGTERM', 'SIGINT', 'disconnect'] : ['SIGTERM', 'SIGINT']
  const listeners = events.map((event) => ({ event, listener: () => stop.abort(event) }))
  for (const { event, listener } of listeners) process.on(event, listener)
  return {
    signal: stop.signal,
    requested,
    [Symbol.dispose]: () => {
      for (const { event, listener } of listeners) process.off(event, listener)
    },
  }
}

function notifyParent({ internalPort, url }: Service): void {
  const message: ReadyMessage = { type: 'ready', internalPort, ...(url === undefined ? {} : { url }) }
  // If the parent is gone, the event `disconnect` reports it.
  process.send?.(message, undefined, undefined, () => undefined)
}

function forceExitAfter(milliseconds: number, name: string): void {
  const timer = setTimeout(() => {
    const holding = process.getActiveResourcesInfo()
    logger('runtime').error({ holding }, `${name} did not stop in time and exits now`)
    process.exit(1)
  }, milliseconds)
  timer.unref()
}
