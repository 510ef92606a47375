/**
 * Generates and checks the Grafana dashboards in deploy/grafana/; panels may use only declared metrics and the series of
 * our recording rules. `--json` prints the queries as Grafana sends them, with `--rate-interval` (default 5m) as the
 * interval of rates.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { dashboards } from './deploy/dashboards/index.mjs'
import { fillVariables, grafanaDashboard } from './deploy/grafana.mjs'
import { recordedSeries } from './deploy/objectives.mjs'
import { problemsOfQuery } from './deploy/queries.mjs'
import { declaredMetrics, seriesOf } from './declared-metrics.mjs'
import { formatText } from './format.mjs'
import { inWorkspace } from './steps.mjs'

const folder = 'deploy/grafana'
const { values } = parseArgs({
  options: {
    write: { type: 'boolean' },
    check: { type: 'boolean' },
    json: { type: 'boolean' },
    'rate-interval': { type: 'string' },
  },
})

if (values.write) {
  await mkdir(inWorkspace(folder), { recursive: true })
  for (const board of dashboards) await writeFile(fileOf(board), await textOf(board))
} else if (values.check) {
  const problems = await problemsOfDashboards()
  for (const problem of problems) console.log(problem)
  if (problems.length > 0) process.exitCode = 1
} else if (values.json) {
  console.log(JSON.stringify(queriesOfPanels(values['rate-interval'])))
} else {
  console.log('pnpm dashboards --write | --check | --json [--rate-interval <duration>]')
  process.exitCode = 2
}

function queriesOfPanels(rateInterval) {
  return dashboards.flatMap((board) => {
    const { title: dashboard, panels } = grafanaDashboard(board)
    return panels.flatMap(({ title: panel, fieldConfig, targets }) =>
      targets.map(({ expr, legendFormat: legend }) => {
        const { unit } = fieldConfig.defaults
        return { name: board.name, dashboard, panel, unit, legend, query: fillVariables(expr, { rateInterval }) }
      }),
    )
  })
}

async function problemsOfDashboards() {
  const { metrics } = await declaredMetrics()
  const known = new Set([...metrics.flatMap(seriesOf), ...recordedSeries])
  const problems = dashboards.flatMap(({ name, panels }) =>
    panels.flatMap(({ title, queries }) =>
      queries.flatMap(([query]) => problemsOfQuery(query, known).map((problem) => `${name}, ${title}: ${problem}`)),
    ),
  )
  const current = await Promise.all(
    dashboards.map(async (board) => {
      const text = await readFile(fileOf(board), 'utf8').catch(() => '')
      return text === (await textOf(board))
    }),
  )
  return current.every(Boolean)
    ? problems
    : [...problems, `${folder}: a dashboard is out of date; run: pnpm dashboards --write`]
}

function fileOf({ name }) {
  return inWorkspace(`${folder}/${name}.json`)
}

function textOf(board) {
  return formatText(fileOf(board), JSON.stringify(grafanaDashboard(board)))
}
