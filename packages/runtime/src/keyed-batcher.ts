import { bindToTrace } from '@parley/telemetry'

type Waiting<Item, Result> = {
  item: Item
  resolve: (result: Result) => void
  reject: (reason: unknown) => void
  /** Runs a batch in the trace of this item. */
  run: (key: string, batch: readonly Waiting<Item, Result>[]) => Promise<void>
}

type Queue<Item, Result> = Record<'urgent' | 'ordinary', Waiting<Item, Result>[]>

export type KeyedBatcherOptions<Item, Result> = {
  /** Runs a batch; never called for two batches of one key at a time. Returns a result or an error for each item. */
  run: (key: string, items: readonly Item[]) => Promise<(Result | Error)[]>
  /** A batch takes no further item once its items weigh this much; the last one may exceed it. */
  maxWeight: number
  /** Default: 1. */
  weight?: (item: Item) => number
  /** Whether an item goes ahead of waiting ones and is accepted even if the queue is full. Default: no item. */
  isUrgent?: (item: Item) => boolean
  /** Returns why an item must no longer run; called when its batch starts. */
  refusal?: (item: Item) => Error | undefined
  /** Limit of waiting items per key, not counting urgent ones. Default: unlimited. */
  maxWaiting?: number
  /** The error for items beyond `maxWaiting`. */
  busy?: () => Error
  /** Whether the items of a failed batch are retried one by one. Default: no. */
  retryIndividually?: (error: unknown) => boolean
}

/**
 * Runs batches by key: at most one batch per key runs at a time, and items that arrive during it form the next batch.
 * Keys are independent.
 */
export class KeyedBatcher<Item, Result> {
  readonly #options: KeyedBatcherOptions<Item, Result>
  readonly #queues = new Map<string, Queue<Item, Result>>()

  constructor(options: KeyedBatcherOptions<Item, Result>) {
    this.#options = options
  }

  /** Number of keys with a running batch. */
  get size(): number {
    return this.#queues.size
  }

  /** Rejects with the reason why the item was refused or failed. */
  submit(key: string, item: Item): Promise<Result> {
    const { isUrgent, maxWaiting = Infinity, busy = () => new Error('too many items are waiting') } = this.#options
    return new Promise((resolve, reject) => {
      const waiting = { item, resolve, reject, run: bindToTrace(this.#runBatch) }
      const queue = this.#queues.get(key)
      if (!queue) {
        this.#queues.set(key, { urgent: [], ordinary: [] })
        void this.#runAll(key, waiting)
      } else if (isUrgent?.(item)) queue.urgent.push(waiting)
      else if (queue.ordinary.length >= maxWaiting) reject(busy())
      else queue.ordinary.push(waiting)
    })
  }

  async #runAll(key: string, first: Waiting<Item, Result>): Promise<void> {
    let next = [first]
    while (next.length > 0) {
      const accepted = next.filter(this.#isAccepted)
      await accepted[0]?.run(key, accepted)
      next = this.#take(key)
    }
    this.#queues.delete(key)
  }

  #take(key: string): Waiting<Item, Result>[] {
    const { maxWeight, weight = () => 1 } = this.#options
    const taken: Waiting<Item, Result>[] = []
    let left = maxWeight
    for (const queue of Object.values(this.#queues.get(key) ?? {})) {
      const tooMany = queue.findIndex(({ item }) => {
        if (left <= 0) return true
        left -= weight(item)
        return false
      })
      taken.push(...queue.splice(0, tooMany < 0 ? queue.length : tooMany))
    }
    return taken
  }

  readonly #isAccepted = ({ item, reject }: Waiting<Item, Result>): boolean => {
    const refusal = this.#options.refusal?.(item)
    if (refusal) reject(refusal)
    return !refusal
  }

  readonly #runBatch = async (key: string, all: readonly Waiting<Item, Result>[]): Promise<void> => {
    const { run, retryIndividually } = this.#options
    try {
      const items = all.map(({ item }) => item)
      const results = await run(key, items)
      if (results.length !== all.length)
        throw new Error(`${all.length} items of a batch have ${results.length} results`)
      for (const [index, result] of results.entries()) {
        if (result instanceof Error) all[index]?.reject(result)
        else all[index]?.resolve(result)
      }
    } catch (error) {
      // An item that fails does not fail the others.
      if (all.length > 1 && retryIndividually?.(error)) for (const one of all) await this.#runBatch(key, [one])
      else for (const { reject } of all) reject(error)
    }
  }
}
