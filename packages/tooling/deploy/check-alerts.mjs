import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { declaredMetrics, seriesOf } from '../declared-metrics.mjs'
import { problemsOfQuery } from './queries.mjs'

/** Checks the Prometheus rules: their format, and that every metric exists. */
export async function problemsOfAlerts(file) {
  const { metrics } = await declaredMetrics()
  const known = new Set(metrics.flatMap(seriesOf))
  const { groups, ...others } = parse(readFileSync(file, 'utf8'))
  const problems = Object.keys(others).map((key) => `alerts: unknown key ${key}`)
  for (const { alert, expr, for: pause, labels, annotations, ...rest } of groups.flatMap(({ rules }) => rules)) {
    const wrong = (problem) => problems.push(`alert ${alert}: ${problem}`)
    for (const key of Object.keys(rest)) wrong(`unknown key ${key}`)
    if (!/^Parley\w+$/.test(alert)) wrong('has no name with our prefix')
    if (pause !== undefined && !/^\d+[smh]$/.test(pause)) wrong(`${pause} is no time`)
    if (!['warning', 'critical'].includes(labels?.severity)) wrong('has no severity')
    if (!annotations?.summary) wrong('does not say what to do')
    for (const problem of problemsOfQuery(expr, known)) wrong(problem)
  }
  return problems
}
