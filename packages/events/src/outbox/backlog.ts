import type { Database } from '@parley/postgres'
import { Resources } from '@parley/runtime'
import { gaugeOutboxAge, gaugeOutboxSize, gaugeParked } from '../metrics.ts'
import { countParkedWithoutDurable, consumersWithoutDurable, readBacklog } from './store.ts'

export class Backlog implements AsyncDisposable {
  readonly #pool: Database['pool']
  readonly #gauges = new Resources()
  #waiting = { entries: 0, seconds: 0 }
  #parked = new Map<string, number>()

  constructor(pool: Database['pool'], service: string) {
    this.#pool = pool
    this.#gauges.use(gaugeOutboxSize(service, () => this.#waiting.entries))
    this.#gauges.use(gaugeOutboxAge(service, () => this.#waiting.seconds))
    for (const consumer of consumersWithoutDurable)
      this.#gauges.use(gaugeParked({ service, consumer }, () => this.#parked.get(consumer) ?? 0))
  }

  async count(shards: number[]): Promise<void> {
    this.#waiting = await readBacklog(this.#pool, shards)
    this.#parked = await countParkedWithoutDurable(this.#pool)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#gauges[Symbol.asyncDispose]()
  }
}
