import { setTimeout as sleep } from 'node:timers/promises'
import type { FleetProcess } from '@parley/local'
import { scrape } from '../scrape.ts'

const pauseMs = 250

/** Times are those of `Date.now()`. */
export type SampledNode = {
  process: FleetProcess
  sockets: { at: number; count: number }[]
  rebalanced: number
  leftAt?: number
  endedAt?: number
}

/** Reads the metrics of each node until the node has ended. */
export class NodeSamples implements AsyncDisposable {
  readonly nodes: SampledNode[] = []
  readonly #stopping = new AbortController()
  readonly #reading: Promise<void>

  constructor(listed: () => FleetProcess[]) {
    this.#reading = this.#read(listed)
  }

  /** The count of a node that has ended is 0. */
  counts(): number[] {
    return this.nodes.map(({ sockets, endedAt }) => (endedAt === undefined ? (sockets.at(-1)?.count ?? 0) : 0))
  }

  async #read(listed: () => FleetProcess[]): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const now = listed()
      const isListed = (pid: number) => now.some((process) => process.pid === pid)
      for (const process of now)
        if (!this.nodes.some((node) => node.process.pid === process.pid))
          this.nodes.push({ process, sockets: [], rebalanced: 0 })
      for (const node of this.nodes) if (!isListed(node.process.pid)) node.leftAt ??= Date.now()
      await Promise.all(this.nodes.filter(({ endedAt }) => endedAt === undefined).map(sample))
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await this.#reading
  }
}

async function sample(node: SampledNode): Promise<void> {
  try {
    const samples = await scrape(node.process)
    const valueOf = (series: string, reason?: string) =>
      samples.find((one) => one.series === series && one.labels['parley_reason'] === reason)?.value ?? 0
    node.sockets.push({ at: Date.now(), count: valueOf('parley_realtime_sockets') })
    node.rebalanced = valueOf('parley_realtime_ended_total', 'rebalance')
  } catch {
    // A node that is still listed may be busy, and answers the next time.
    if (node.leftAt !== undefined) node.endedAt = Date.now()
  }
}
