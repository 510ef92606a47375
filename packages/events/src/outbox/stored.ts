import { Code, ConnectError } from '@connectrpc/connect'
import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import type { Flow } from './flow.ts'
import { findWaiting, idsByShard } from './store.ts'
import { requestWake } from './wake.ts'

const giveUpMs = 4000
const lookAgainMs = 250
const holderAnswersMs = 1000

type Options = {
  pool: Database['pool']
  bus: Bus
  service: string
  flow: Pick<Flow, 'waiters' | 'wake'>
  /** Whether this process holds the shard. */
  holds(shard: number): boolean
  /** Whether this process knows that the stream has the entry. */
  knowsStored(id: bigint): boolean
}

/**
 * Resolves when the stream has all these entries, regardless of the process that relays them. Rejects with unavailable
 * after `timeoutMs` (4 s): the entries are relayed nevertheless, and the call can be repeated to wait for them again.
 */
export async function waitUntilStored(options: Options, ids: readonly bigint[], timeoutMs = giveUpMs): Promise<void> {
  const open = new Set(ids)
  if (open.size === 0) return
  const giveUpAt = performance.now() + timeoutMs
  let wakeUp: () => void = () => undefined
  const done = (id: bigint): void => {
    if (open.delete(id) && open.size === 0) wakeUp()
  }
  const cancels = ids.map((id) => options.flow.waiters.wait(id, () => done(id)))
  try {
    for (const id of ids) if (options.knowsStored(id)) done(id)
    options.flow.wake()
    while (open.size > 0) {
      const leftMs = giveUpAt - performance.now()
      if (leftMs <= 0) throw new ConnectError('the event stream is not available; try again', Code.Unavailable)
      void requestHolder(options, [...open], Math.min(leftMs, holderAnswersMs), done)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(leftMs, lookAgainMs))
        wakeUp = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  } finally {
    for (const cancel of cancels) cancel()
  }
}

/**
 * Looks up the shards of the entries and requests a confirmation from their holders. Never rejects, because the next
 * attempt may succeed.
 */
async function requestHolder(
  options: Options,
  ids: bigint[],
  timeoutMs: number,
  done: (id: bigint) => void,
): Promise<void> {
  try {
    const waiting = await findWaiting(options.pool, ids)
    const unmarked = new Set(waiting.map((entry) => entry.id))
    for (const id of ids) if (!unmarked.has(id)) done(id)
    for (const [shard, theirs] of idsByShard(waiting)) {
      if (options.holds(shard)) continue
      void requestWake(options.bus, options.service, shard, theirs, timeoutMs).then(
        () => theirs.forEach(done),
        () => undefined,
      )
    }
  } catch {
    // The database or the bus is unavailable.
  }
}
