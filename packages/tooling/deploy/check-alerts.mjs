import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { parse } from 'yaml'
import { inWorkspace } from '../steps.mjs'

const declaration = /\b(counter|gauge|histogram)\(\s*'([a-z_.]+)'/g
const units = ['', '_seconds', '_bytes', '_milliseconds']
/** Words of a query that are no names of metrics. */
const notAMetric = /"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\b(by|on|without|ignoring)\s*\([^)]*\)|\b[a-z_]+(?=\s*\()/g

/** Checks the Prometheus rules: their format, and that every metric exists. */
export async function problemsOfAlerts(file) {
  const known = await exportedMetrics()
  const { groups, ...others } = parse(readFileSync(file, 'utf8'))
  const problems = Object.keys(others).map((key) => `alerts: unknown key ${key}`)
  for (const { alert, expr, for: pause, labels, annotations, ...rest } of groups.flatMap(({ rules }) => rules)) {
    const wrong = (problem) => problems.push(`alert ${alert}: ${problem}`)
    for (const key of Object.keys(rest)) wrong(`unknown key ${key}`)
    if (!/^Parley\w+$/.test(alert)) wrong('has no name with our prefix')
    if (pause !== undefined && !/^\d+[smh]$/.test(pause)) wrong(`${pause} is no time`)
    if (!['warning', 'critical'].includes(labels?.severity)) wrong('has no severity')
    if (!annotations?.summary) wrong('does not say what to do')
    const names = expr.replaceAll(notAMetric, ' ').match(/\b[a-z]+(_[a-z]+)+\b/g) ?? []
    if (names.length === 0) wrong('asks for no metric')
    for (const name of names) if (!known.has(name)) wrong(`nobody has the metric ${name}`)
  }
  return problems
}

/** Names under which metrics are served. */
async function exportedMetrics() {
  const names = new Set()
  for await (const file of glob('{packages,services}/*/src/**/*.ts', { cwd: inWorkspace('.') })) {
    for (const [, kind, name] of readFileSync(inWorkspace(file), 'utf8').matchAll(declaration)) {
      const ending = kind === 'counter' && !name.endsWith('_total') ? '_total' : ''
      for (const unit of units) names.add(`${name.replaceAll('.', '_')}${unit}${ending}`)
    }
  }
  return names
}
