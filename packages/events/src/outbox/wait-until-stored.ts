import { Code, ConnectError } from '@connectrpc/connect'
import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import type { Flow } from './flow.ts'
import { findWaiting, idsByShard } from './store.ts'
import { requestWake } from './wake.ts'

const defaultTimeoutMs = 4000
const retryMs = 250
const holderTimeoutMs = 1000

type Options = {
  pool: Database['pool']
  bus: Bus
  service: string
  flow: Pick<Flow, 'waiters' | 'wake'>
  holds(shard: number): boolean
  isStored(id: bigint): boolean
}

/** See `Relay.waitUntilStored`. */
export async function waitUntilStored(
  options: Options,
  ids: readonly bigint[],
  timeoutMs = defaultTimeoutMs,
): Promise<void> {
  const pending = new Set(ids)
  if (pending.size === 0) return
  const giveUpAt = performance.now() + timeoutMs
  let stopWaiting: () => void = () => undefined
  const done = (id: bigint): void => {
    if (pending.delete(id) && pending.size === 0) stopWaiting()
  }
  const cancels = ids.map((id) => options.flow.waiters.wait(id, () => done(id)))
  try {
    for (const id of ids) if (options.isStored(id)) done(id)
    options.flow.wake()
    while (pending.size > 0) {
      const remainingMs = giveUpAt - performance.now()
      if (remainingMs <= 0)
        throw new ConnectError('the change is not on the event stream yet; try again', Code.Unavailable)
      void askHolders(options, [...pending], Math.min(remainingMs, holderTimeoutMs), done)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(remainingMs, retryMs))
        stopWaiting = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  } finally {
    for (const cancel of cancels) cancel()
  }
}

async function askHolders(
  options: Options,
  ids: bigint[],
  timeoutMs: number,
  done: (id: bigint) => void,
): Promise<void> {
  try {
    const waiting = await findWaiting(options.pool, ids)
    const unmarked = new Set(waiting.map((entry) => entry.id))
    for (const id of ids) if (!unmarked.has(id)) done(id)
    for (const [shard, shardIds] of idsByShard(waiting)) {
      if (options.holds(shard)) continue
      void requestWake(options.bus, options.service, shard, shardIds, timeoutMs).then(
        () => shardIds.forEach(done),
        () => undefined,
      )
    }
  } catch {}
}
