import { setTimeout as sleep } from 'node:timers/promises'
import type { DescMethodUnary } from '@bufbuild/protobuf'
import type { Interceptor } from '@connectrpc/connect'
import type { Subscription } from 'nats'
import { ownedMethods, type Deployable } from '@parley/contracts/catalogue'
import type { Health } from '@parley/runtime'
import { logger } from '@parley/telemetry'
import type { Bus } from '../bus.ts'
import type { InProcessRegistry } from '../in-process.ts'
import { rpcSubject } from '../subjects.ts'
import { IncomingCalls } from './incoming-calls.ts'
import type { CallGuard } from './pipeline.ts'
import { collectRoutes, type ServiceRoutes } from './routes.ts'

const log = logger('rpc')

export type RpcServerOptions = {
  /** The owner of the methods; also the queue group that shares them. */
  readonly deployable: Deployable
  readonly routes: (routes: ServiceRoutes) => void
  /** Deployables in the same process call it without the bus. */
  readonly inProcess?: InProcessRegistry | undefined
  /** Becomes ready only after the bus has registered the subscriptions. Is not ready while the queue is full. */
  readonly health?: Health
  /** Calls that run at once. Default 256. */
  readonly concurrency?: number
  /** Waiting calls; further calls are left to other servers. Default: four times the concurrency. */
  readonly queueLimit?: number
  /** Methods to serve in addition to the owned and the internal ones. */
  readonly extraMethods?: readonly DescMethodUnary[]
  /** The first one is outermost; they see checked requests only. */
  readonly interceptors?: readonly Interceptor[]
  /** Called before the handler of every method that needs a caller. */
  readonly guard?: CallGuard
  /** Milliseconds for running calls to finish when the server is disposed. Default 10,000. */
  readonly drainTimeoutMs?: number
  /** Ends a start that waits for the bus. */
  readonly signal?: AbortSignal | undefined
  /** Monotonic, in milliseconds. */
  readonly now?: () => number
}

/** Disposing drains: new calls go to other servers, running calls are finished. */
export type RpcServer = AsyncDisposable

/**
 * Serves the methods of a deployable over the bus, sharing the calls with its other processes. Resolves when the bus
 * has registered the subscriptions. Rejects if the bus refuses one or its connection is closed, and with the reason of
 * `signal` if that is aborted first.
 */
export async function serveRpc(bus: Bus, options: RpcServerOptions): Promise<RpcServer> {
  const owned = [...ownedMethods(options.deployable), ...(options.extraMethods ?? [])]
  const routes = collectRoutes(owned, options.routes)
  const concurrency = options.concurrency ?? 256
  const calls = new IncomingCalls({
    concurrency,
    queueLimit: options.queueLimit ?? 4 * concurrency,
    interceptors: options.interceptors ?? [],
    guard: options.guard,
    now: options.now ?? (() => performance.now()),
  })
  const queueCheck = options.health?.addCheck('rpc', () => (calls.full ? 'the queue of calls is full' : undefined))
  const subscribed = options.health?.requireAtStart('rpc')

  const refused: string[] = []
  const subscriptions = routes.map((served) => {
    const subject = rpcSubject(served.method)
    return bus.nc.subscribe(subject, {
      queue: options.deployable,
      callback: (error, msg) => {
        if (error) refused.push(subject)
        // A reply to any subject except an inbox would be published with our name and rights.
        else if (msg.reply?.startsWith('_INBOX.')) calls.receive(served, msg)
      },
    })
  })
  try {
    await roundTrip(bus, options.signal)
    if (refused.length > 0)
      throw new Error(`the bus does not allow ${options.deployable} to subscribe to ${refused.join(', ')}`)
  } catch (error) {
    queueCheck?.[Symbol.dispose]()
    subscriptions.forEach((subscription) => subscription.unsubscribe())
    calls[Symbol.dispose]()
    throw error
  }
  const inMemory = routes.map((served) =>
    options.inProcess?.serve(served.method, (delivery) => calls.receive(served, delivery)),
  )
  subscribed?.()
  const reported = calls.reportMetrics(options.deployable)
  return {
    async [Symbol.asyncDispose]() {
      queueCheck?.[Symbol.dispose]()
      inMemory.forEach((served) => served?.[Symbol.dispose]())
      await drain(bus, calls, subscriptions, options.drainTimeoutMs ?? 10_000)
      reported[Symbol.dispose]()
    },
  }
}

/** Calls that NATS sent before it processed the unsubscribe are still delivered, and each gets a reply. */
async function drain(bus: Bus, calls: IncomingCalls, subscriptions: Subscription[], timeoutMs: number): Promise<void> {
  calls.drain()
  const unsubscribed = Promise.allSettled(subscriptions.map((subscription) => subscription.drain()))
  await atMost(2_000, unsubscribed)
  const left = await calls.waitUntilIdle(timeoutMs)
  if (left > 0) log.warn({ left }, 'calls were still running at the end of the drain timeout')
  await atMost(
    1_000,
    bus.nc.flush().catch(() => undefined),
  )
}

/**
 * Waits until the bus has read the subscriptions. After a lost connection the NATS client sends them again, so only the
 * wait is repeated.
 */
async function roundTrip(bus: Bus, signal: AbortSignal | undefined): Promise<void> {
  for (;;) {
    try {
      return await orAborted(bus.nc.flush(), signal)
    } catch (error) {
      if (signal?.aborted || bus.nc.isClosed()) throw error
      await sleep(100)
    }
  }
}

/** Rejects with the reason of `signal` if that is aborted first. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal?.reason as Error)
    if (signal?.aborted) onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    void work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', onAbort))
  })
}

function atMost(ms: number, work: Promise<unknown>): Promise<unknown> {
  let limit: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => (limit = setTimeout(resolve, ms)))
  return Promise.race([work, over]).finally(() => clearTimeout(limit))
}
