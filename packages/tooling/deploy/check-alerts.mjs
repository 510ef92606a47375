import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { declaredMetrics, seriesOf } from '../declared-metrics.mjs'
import { formatText } from '../format.mjs'
import { inWorkspace } from '../steps.mjs'
import { dashboards } from './dashboards/index.mjs'
import { recordedSeries, rulesOfObjectives, tableOfObjectives } from './objectives.mjs'
import { problemsOfQuery } from './queries.mjs'
import { problemsOfRunbooks, runbookOf } from './runbooks.mjs'

const marked = /(<!-- objectives -->\n)[\s\S]*?(<!-- \/objectives -->)/

/**
 * The rules must be well-formed and use existing metrics, each alert needs a runbook, and the files generated from
 * the objectives must be up to date. `write` updates these files.
 */
export async function problemsOfAlerts(folder, { write } = {}) {
  const outdated = await outdatedObjectives(`${folder}/objectives.yaml`, write)
  const { metrics } = await declaredMetrics()
  // OpenTelemetry's exporter reports the resource attributes of a process as the metric `target_info`.
  const known = new Set([...metrics.flatMap(seriesOf), ...recordedSeries, 'target_info'])
  const files = ['alerts', 'objectives'].map((name) => `${folder}/${name}.yaml`).filter((file) => existsSync(file))
  const rules = files.flatMap((file) => parse(readFileSync(file, 'utf8')).groups.flatMap((group) => group.rules))
  const alerts = rules.filter(({ alert }) => alert)
  return [
    ...rules.flatMap((rule) => problemsOfRule(rule, known)),
    ...problemsOfRunbooks(
      alerts.map(({ alert }) => alert),
      dashboards,
    ),
    ...outdated,
  ]
}

async function outdatedObjectives(rules, write) {
  const page = inWorkspace('docs/runbooks/README.md')
  const text = readFileSync(page, 'utf8')
  const current = new Map([
    [rules, await formatText(rules, rulesOfObjectives())],
    [
      page,
      await formatText(
        page,
        text.replace(marked, (_, before, after) => `${before}\n${tableOfObjectives()}\n\n${after}`),
      ),
    ],
  ])
  if (write) for (const [file, content] of current) await writeFile(file, content)
  return [...current]
    .filter(([file, content]) => !existsSync(file) || readFileSync(file, 'utf8') !== content)
    .map(([file]) => `${file} is out of date; run: pnpm check-deploy --write`)
}

function problemsOfRule({ alert, record, expr, for: duration, labels, annotations, ...rest }, known) {
  const problems = [...Object.keys(rest).map((key) => `unknown key ${key}`), ...problemsOfQuery(expr, known)]
  if (alert) {
    if (!/^Parley\w+$/.test(alert)) problems.push('its name does not start with Parley')
    if (duration !== undefined && !/^\d+[smh]$/.test(duration)) problems.push(`${duration} is not a duration`)
    if (!['warning', 'critical'].includes(labels?.severity)) problems.push('has no severity')
    if (!annotations?.summary) problems.push('has no summary')
    if (annotations?.runbook !== runbookOf(alert)) problems.push(`does not name its runbook, ${runbookOf(alert)}`)
  }
  return problems.map((problem) => `rule ${alert ?? record}: ${problem}`)
}
