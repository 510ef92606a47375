/** Parts of a query that are not names of metrics. */
const notAMetric = /"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\b(by|on|without|ignoring)\s*\([^)]*\)|\b[a-z_0-9]+(?=\s*\()/g

/** Problems of a Prometheus query: it names no metric, or a metric that is not among the known series. */
export function problemsOfQuery(query, known) {
  const names = query.replaceAll(notAMetric, ' ').match(/\b[a-z]+([_:][a-z0-9]+)+\b/g) ?? []
  if (names.length === 0) return ['names no metric']
  return names.filter((name) => !known.has(name)).map((name) => `there is no metric ${name}`)
}
