const notAMetric = /"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\b(by|on|without|ignoring)\s*\([^)]*\)|\b[a-z_0-9]+(?=\s*\()/g

/** A query must name a metric, and only metrics that are among the known series. */
export function problemsOfQuery(query, known) {
  const names = query.replaceAll(notAMetric, ' ').match(/\b[a-z]+([_:][a-z0-9]+)+\b/g) ?? []
  if (names.length === 0) return ['names no metric']
  return names.filter((name) => !known.has(name)).map((name) => `there is no metric ${name}`)
}
