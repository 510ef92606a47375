/** Computes each metric of the custom metrics API from the newest scrape and the oldest one in the rate window. */
const readings = {
  parley_realtime_sockets: (newest) => sumOf(newest, 'parley_realtime_sockets'),
  parley_realtime_lag_p95_seconds: quantile(0.95, 'parley_realtime_lag_seconds'),
}

export const readableMetrics = Object.keys(readings)

export class NodeMetrics {
  #windowSeconds
  #scrapes = []

  constructor(windowSeconds) {
    this.#windowSeconds = windowSeconds
  }

  /** `text` is what the process served; `at` is in seconds. */
  add(at, text) {
    this.#scrapes.push({ at, samples: samplesIn(text) })
    this.#scrapes = this.#scrapes.filter(
      (scrape, n, all) => scrape.at >= at - this.#windowSeconds || n >= all.length - 2,
    )
  }

  /** Returns undefined before the first scrape, and for a gauge that the process does not report. */
  value(name) {
    const [oldest] = this.#scrapes
    const newest = this.#scrapes.at(-1)
    return newest && readings[name](newest.samples, oldest.samples)
  }
}

function samplesIn(text) {
  return text.split('\n').flatMap((line) => {
    const [, series, labels = '', value] = /^([a-z]\w*)(?:\{(.*)\})? (\S+)/.exec(line) ?? []
    return series === undefined ? [] : [{ series, labels, value: Number(value) }]
  })
}

const samplesOf = (samples, series) => samples.filter((sample) => sample.series === series)

function sumOf(samples, series) {
  const found = samplesOf(samples, series)
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0)
}

/** Does what `histogram_quantile` of Prometheus does, over the values added in the window; 0 if there are none. */
function quantile(part, histogram) {
  return (newest, oldest) => {
    const [before, after] = [oldest, newest].map((samples) => bucketsOf(samples, `${histogram}_bucket`))
    const added = [...after].map(([end, count]) => ({ end, count: count - (before.get(end) ?? 0) }))
    const rank = part * (added.at(-1)?.count ?? 0)
    if (rank === 0) return 0
    const at = added.findIndex(({ count }) => count >= rank)
    const below = added[at - 1] ?? { end: 0, count: 0 }
    const { end, count } = added[at]
    return end === Infinity ? below.end : below.end + ((end - below.end) * (rank - below.count)) / (count - below.count)
  }
}

function bucketsOf(samples, series) {
  const counts = new Map()
  for (const { labels, value } of samplesOf(samples, series)) {
    const end = /le="([^"]+)"/.exec(labels)[1]
    const key = end === '+Inf' ? Infinity : Number(end)
    counts.set(key, (counts.get(key) ?? 0) + value)
  }
  return new Map([...counts].sort(([one], [other]) => one - other))
}
