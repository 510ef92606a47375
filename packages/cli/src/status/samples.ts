/** The finite values of a metric in Prometheus' text format, regardless of labels. */
function samples(metrics: string, name: string): number[] {
  const pattern = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, 'gm')
  return [...metrics.matchAll(pattern)].map(([, value]) => Number(value)).filter((value) => Number.isFinite(value))
}

/** The sum of the values of a metric; null if it has no value. */
export function total(metrics: string, name: string): number | null {
  const values = samples(metrics, name)
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0)
}

/** The largest value of a metric; null if it has no value. */
export function largest(metrics: string, name: string): number | null {
  const values = samples(metrics, name)
  return values.length === 0 ? null : Math.max(...values)
}
