import { execFileSync } from 'node:child_process'
import { describe, expect, test } from '@jest/globals'
import { dashboards } from '../deploy/dashboards/index.mjs'
import { fillVariables, grafanaDashboard } from '../deploy/grafana.mjs'
import { recordedSeries } from '../deploy/objectives.mjs'
import { problemsOfQuery } from '../deploy/queries.mjs'

const program = new URL('../metrics-table.mjs', import.meta.url).pathname
const { metrics } = JSON.parse(
  execFileSync(process.execPath, ['--no-warnings', program, '--json'], { encoding: 'utf8' }),
)
const known = new Set([...metrics.flatMap(({ series }) => series), ...recordedSeries])
const panels = dashboards.flatMap(({ name, panels: own }) => own.map((panel) => [`${name}: ${panel.title}`, panel]))

describe('the queries of', () => {
  test.each(panels)('%s use only declared metrics', (_, { queries }) => {
    expect(queries.flatMap(([query]) => problemsOfQuery(query, known))).toEqual([])
  })
})

test('a query without a metric or with an undeclared metric is reported', () => {
  expect(problemsOfQuery('sum(rate(parley_messaging_posted_total{a_b="c_d"}[5m])) by (e_f)', known)).toEqual([])
  expect(problemsOfQuery('rate(messages_posted_total[5m]) / parley_realtime_sockets', known)).toEqual([
    'there is no metric messages_posted_total',
  ])
  expect(problemsOfQuery('vector(0)', known)).toEqual(['names no metric'])
})

test('variables of a query are replaced, and an unknown variable throws an error', () => {
  expect(fillVariables('rate(parley_a_total[$__rate_interval])', { rateInterval: '10s' })).toBe(
    'rate(parley_a_total[10s])',
  )
  expect(() => fillVariables('parley_a_total{parley_service="$service"}')).toThrow('unknown variable')
})

test('each panel of a dashboard has its own id and position, and a description', () => {
  for (const board of dashboards) {
    const made = grafanaDashboard(board)
    expect(new Set(made.panels.map(({ id }) => id)).size).toBe(board.panels.length)
    expect(new Set(made.panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(board.panels.length)
    expect(made.panels.filter(({ description }) => !description)).toEqual([])
  }
})

// gRPC always answers with the status 200.
test('panels about public calls count no other requests, and do not use the HTTP status', () => {
  const about = panels.filter(([name]) => /public calls$/i.test(name))
  expect(about).toHaveLength(3)
  for (const [, { queries }] of about) {
    for (const [query] of queries) {
      const asked = query.match(/http_server_request_duration_seconds_\w+(\{[^}]*\})?/g)
      expect(asked.filter((each) => !each.includes('{http_route=~"/svc[.].+"'))).toEqual([])
      expect(query).not.toContain('status_code')
    }
  }
})
