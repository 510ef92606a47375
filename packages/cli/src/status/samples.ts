function samples(metrics: string, name: string): number[] {
  const pattern = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, 'gm')
  return [...metrics.matchAll(pattern)].map(([, value]) => Number(value)).filter((value) => Number.isFinite(value))
}

/** Returns null if the metric has no finite value. */
export function total(metrics: string, name: string): number | null {
  const values = samples(metrics, name)
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0)
}

/** Returns null if the metric has no finite value. */
export function largest(metrics: string, name: string): number | null {
  const values = samples(metrics, name)
  return values.length === 0 ? null : Math.max(...values)
}
