import { isDatabaseUnavailable } from '@parley/postgres'
import { KeyedBatcher } from '@parley/runtime'
import { tooBusy } from '../../errors.ts'
import type { Committed, RoomChange } from './commit-changes.ts'
import type { RemainingTime } from './room-deliveries.ts'

export const layoutKey = 'layout'
export const groupKey = (groupId: string): string => `members of ${groupId}`

type Change = { kind: 'change'; change: RoomChange }
type Work = { kind: 'work'; run: () => Promise<void> }
type Item = (Change | Work) & { remaining: RemainingTime | undefined }

const maxChangesPerBatch = 64

/**
 * One writer per key (a room, the layout or a group) in this process. Waiting callers hold no connection, so a busy
 * room leaves the pool to others. Waiting changes of a room are committed in one transaction.
 */
export class WriteQueue {
  readonly #batches: KeyedBatcher<Item, Committed | undefined>

  constructor(commit: (roomId: string, changes: readonly RoomChange[]) => Promise<Committed[]>) {
    this.#batches = new KeyedBatcher({
      run: (key, items) => runTogether(key, items, commit),
      maxWeight: maxChangesPerBatch,
      // A work item ends its batch, because `refusal` checks deadlines only at the start of a batch.
      weight: ({ kind }) => (kind === 'work' ? maxChangesPerBatch : 1),
      refusal: ({ remaining }) => ((remaining?.timeoutMs() ?? Infinity) <= 0 ? tooBusy() : undefined),
      retryIndividually: (error) => !isDatabaseUnavailable(error),
    })
  }

  async change(change: RoomChange, remaining: RemainingTime): Promise<Committed> {
    const committed = await this.#batches.submit(change.roomId, { kind: 'change', change, remaining })
    if (!committed) throw new Error('a change was not committed')
    return committed
  }

  /** Runs after all earlier items of the key. Throws unavailable if the caller's deadline passes before it starts. */
  async run<T>(key: string, remaining: RemainingTime | undefined, work: () => Promise<T>): Promise<T> {
    let result: { value: T } | undefined
    const run = async () => void (result = { value: await work() })
    await this.#batches.submit(key, { kind: 'work', run, remaining })
    if (!result) throw new Error('a work item was not run')
    return result.value
  }

  get size(): number {
    return this.#batches.size
  }
}

/**
 * Commits the changes, then runs the work items. If the commit fails, no work item has run, and each item is tried
 * separately, unless the database is unavailable.
 */
async function runTogether(
  key: string,
  items: readonly Item[],
  commit: (roomId: string, changes: readonly RoomChange[]) => Promise<Committed[]>,
): Promise<(Committed | undefined | Error)[]> {
  const changes = items.flatMap((item) => (item.kind === 'change' ? item.change : []))
  const committed = changes.length > 0 ? (await commit(key, changes)).values() : [].values()
  const outcomes = new Map<Item, Committed | undefined | Error>()
  for (const item of items) if (item.kind === 'change') outcomes.set(item, committed.next().value)
  for (const item of items) if (item.kind === 'work') outcomes.set(item, await failureOf(item.run()))
  return items.map((item) => outcomes.get(item))
}

async function failureOf(work: Promise<void>): Promise<Error | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
