import { NodeMetrics } from './node-metrics.mjs'

/** Keeps the number of processes of a deployable at the autoscaler's decision. */
export class NodeScaler {
  #name
  #fleet
  #autoscaler
  #metricNames
  #rateWindowSeconds
  #scrapeMs
  #known = new Map()
  #wanted

  /**
   * Starts from the processes that the fleet has now. `metricNames` are read from each process; rates are computed over
   * `rateWindowSeconds`, and a scrape times out after `scrapeMs`.
   */
  constructor({ name, fleet, autoscaler, metricNames, rateWindowSeconds, scrapeMs }) {
    this.#name = name
    this.#fleet = fleet
    this.#autoscaler = autoscaler
    this.#metricNames = metricNames
    this.#rateWindowSeconds = rateWindowSeconds
    this.#scrapeMs = scrapeMs
    this.#wanted = fleet.processesOf(name).length
  }

  /** How many processes there should be. */
  get wanted() {
    return this.#wanted
  }

  /** Reads the metrics and returns the autoscaler's decision, which {@link apply} carries out. */
  async decide() {
    const nodes = await Promise.all(this.#fleet.processesOf(this.#name).map((node) => this.#scraped(node)))
    const wanted = this.#wanted
    // A process that has not started yet has reported nothing.
    const valuesOf = (metric) => Array.from({ length: wanted }, (_, n) => nodes[n]?.value(metric))
    const metrics = Object.fromEntries(this.#metricNames.map((metric) => [metric, valuesOf(metric)]))
    const { desired, pods } = this.#autoscaler.next(performance.now() / 1000, wanted, metrics)
    return { wanted, metrics, desired, next: pods }
  }

  /** Makes the fleet start or drain processes according to a decision. */
  apply({ next }) {
    if (next === this.#wanted) return
    this.#wanted = next
    this.#fleet.scale(this.#name, next)
  }

  /** The metrics of a process after one more scrape. */
  async #scraped({ pid, internalPort }) {
    const metrics = this.#known.get(pid) ?? new NodeMetrics(this.#rateWindowSeconds)
    this.#known.set(pid, metrics)
    const signal = AbortSignal.timeout(this.#scrapeMs)
    const text = await fetch(`http://127.0.0.1:${internalPort}/metrics`, { signal })
      .then((response) => response.text())
      .catch(() => undefined)
    if (text === undefined) return undefined
    metrics.add(performance.now() / 1000, text)
    return metrics
  }
}
