/**
 * `pnpm metrics` prints tables of all metrics; `--write` puts them into docs/metrics.md, `--check` fails when the
 * page differs from the declarations, or a declaration breaks a rule.
 */
import { parseArgs } from 'node:util'
import * as conventions from '@opentelemetry/semantic-conventions/incubating'
import { declaredMetrics, seriesOf } from './declared-metrics.mjs'
import { isUpToDate, markdownTable, writeGenerated } from './generated-page.mjs'

const page = 'docs/metrics.md'
const options = { write: { type: 'boolean' }, check: { type: 'boolean' }, json: { type: 'boolean' } }

const { values } = parseArgs({ options })
const { metrics, labels } = await declaredMetrics()

if (values.json) {
  const listed = metrics.map((metric) => ({ ...metric, series: seriesOf(metric) }))
  console.log(JSON.stringify({ metrics: listed, labels }))
} else if (values.write) await writeGenerated(page, 'metrics', tables())
else if (!values.check) console.log(tables())
else {
  const problems = problemsOfDeclarations()
  if (!(await isUpToDate(page, 'metrics', tables())))
    problems.push('docs/metrics.md: the tables are out of date; run: pnpm metrics --write')
  for (const problem of problems) console.log(problem)
  if (problems.length > 0) process.exitCode = 1
}

function tables() {
  const owners = [...new Set(metrics.map(({ owner }) => owner))]
  return [...owners.map(tableOf), '## Labels', labelTable()].join('\n\n')
}

function tableOf(owner) {
  const rows = metrics
    .filter((metric) => metric.owner === owner)
    .map((metric) => [
      `\`${metric.prometheus}\``,
      `\`${metric.name}\``,
      `${metric.kind}, ${metric.unit}`,
      metric.labels.map((label) => `\`${label}\``).join(', '),
      metric.description,
    ])
  return `## ${owner}\n\n${markdownTable([['in Prometheus', 'metric', 'kind, unit', 'labels', 'meaning'], ...rows])}`
}

function labelTable() {
  const rows = labels.map(({ name, prometheus, values: possible, atMost, meaning }) => [
    `\`${name}\``,
    `\`${prometheus}\``,
    possible ? possible.map((value) => `\`${value}\``).join(', ') : `at most ${atMost}`,
    meaning,
  ])
  return markdownTable([['label', 'in Prometheus', 'values', 'meaning'], ...rows])
}

function problemsOfDeclarations() {
  const problems = []
  const known = new Set(Object.values(conventions))
  const seen = new Set()
  for (const { name, prometheus, unit, description } of metrics) {
    const wrong = (problem) => problems.push(`metric ${name}: ${problem}`)
    if (seen.has(prometheus)) wrong('is declared twice')
    seen.add(prometheus)
    if (!/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/.test(name)) wrong('is not a dotted name')
    if (!name.startsWith('parley.') && !known.has(name))
      wrong('neither starts with parley. nor is a convention of OpenTelemetry')
    if (!/^(s|By|\{[a-z_]+\})$/.test(unit)) wrong(`${unit} is not a base unit`)
    if (!/^[A-Z0-9].*[^.]$/.test(description))
      wrong('its description does not start with a capital letter or digit, or ends with a full stop')
  }
  for (const { name } of labels)
    if (!name.startsWith('parley.') && !known.has(name))
      problems.push(`label ${name}: neither starts with parley. nor is a convention of OpenTelemetry`)
  const used = new Set(metrics.flatMap((metric) => metric.labels))
  for (const { name } of labels) if (!used.has(name)) problems.push(`label ${name}: no metric has it`)
  return problems
}
