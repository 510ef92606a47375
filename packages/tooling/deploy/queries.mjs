/** Words of a query that are not names of metrics. */
const notAMetric = /"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\b(by|on|without|ignoring)\s*\([^)]*\)|\b[a-z_0-9]+(?=\s*\()/g

/** The mistake in a Prometheus query: it names no metric, or one that is not among the known series. */
export function problemsOfQuery(query, known) {
  const names = query.replaceAll(notAMetric, ' ').match(/\b[a-z]+([_:][a-z0-9]+)+\b/g) ?? []
  if (names.length === 0) return ['asks for no metric']
  return names.filter((name) => !known.has(name)).map((name) => `nobody has the metric ${name}`)
}
