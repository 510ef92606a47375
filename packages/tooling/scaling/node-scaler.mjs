import { NodeMetrics } from './node-metrics.mjs'

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
   * `metricNames` are read from each process. Rates are computed over `rateWindowSeconds`, and a scrape times out
   * after `scrapeMs`.
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

  get wanted() {
    return this.#wanted
  }

  /** Returns the autoscaler's decision, which {@link apply} carries out. */
  async decide() {
    const nodes = await Promise.all(this.#fleet.processesOf(this.#name).map((node) => this.#scrape(node)))
    const wanted = this.#wanted
    // A requested process that has not started yet has no values.
    const valuesOf = (metric) => Array.from({ length: wanted }, (_, n) => nodes[n]?.value(metric))
    const metrics = Object.fromEntries(this.#metricNames.map((metric) => [metric, valuesOf(metric)]))
    const { desired, pods } = this.#autoscaler.next(performance.now() / 1000, wanted, metrics)
    return { wanted, metrics, desired, next: pods }
  }

  apply({ next }) {
    if (next === this.#wanted) return
    this.#wanted = next
    this.#fleet.scale(this.#name, next)
  }

  /** Returns undefined if the process did not answer. */
  async #scrape({ pid, internalPort }) {
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
