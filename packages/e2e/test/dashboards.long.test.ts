import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { repositoryRoot } from '@parley/local'
import { parse } from 'yaml'
import { temporaryDataDir } from '../src/abandoned.ts'
import { drawDashboard, type PlottedPanel } from '../src/dashboard-picture.ts'
import { createEverydayUsers, type EverydayUsers, startEverydayUse } from '../src/everyday-use.ts'
import { fleet, reasonNotToFreeze } from '../src/fleet.ts'
import { waitUntilHealthy } from '../src/processes.ts'
import { findPrometheus, jobsOf, Prometheus, type Series } from '../src/prometheus.ts'
import {
  parkAnEvent,
  readTooSlowly,
  fillQueues,
  withoutPostgres,
  withoutRedis,
  withoutService,
  withPausesOf,
  withPausesOfNats,
} from '../src/provoked-faults.ts'

type Query = { name: string; dashboard: string; panel: string; unit: string; legend: string; query: string }

const pictures = process.env['PARLEY_SCREENSHOTS'] === undefined ? undefined : join(repositoryRoot(), 'docs/images')

const tooling = (program: string, ...args: string[]): unknown =>
  JSON.parse(
    execFileSync(process.execPath, ['--no-warnings', join(repositoryRoot(), 'packages/tooling', program), ...args], {
      encoding: 'utf8',
    }),
  )
const ruleFiles = ['alerts', 'objectives'].map((name) => join(repositoryRoot(), `helm/parley/files/${name}.yaml`))
const queries = tooling('dashboards.mjs', '--json', '--rate-interval', '10s') as Query[]

type Scaling = { metrics: Record<string, { series: string; query: string }> }

const scaling = parse(readFileSync(join(repositoryRoot(), 'helm/parley/files/scaling.yaml'), 'utf8')) as Scaling

const found = await findPrometheus()
const why = reasonNotToFreeze() ?? ('reason' in found ? ` (skipped: ${found.reason})` : '')
const withPrometheus = why === '' ? describe : describe.skip
if (why !== '') console.log(`dashboards on a real fleet: not tested${why}`)

const folder = temporaryDataDir()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Query that has results while the condition of an alert is met. */
const alertOf = (name: string) => `ALERTS{alertname="${name}"}`
const perSecond = (series: string) => `sum(rate(${series}[10s]))`

async function causeFaultsInTurn(users: EverydayUsers, waitUntilShown: (query: string) => Promise<void>) {
  await readTooSlowly(users.ada.token, waitUntilShown)
  await waitUntilShown(alertOf('ParleyPushesFail'))
  await withoutService('accounts', waitUntilShown, [
    perSecond('parley_messaging_profiles_unresolved_total'),
    perSecond('parley_messaging_handles_unresolved_total'),
    perSecond('parley_realtime_dependency_failures_total'),
  ])
  await waitUntilShown(perSecond('parley_jobs_wait_seconds_count'))
  await withoutService('messaging', waitUntilShown, [
    alertOf('ParleyRoomsLeftBehind'),
    perSecond('rpc_client_call_duration_seconds_count{rpc_response_status_code="unavailable"}'),
    perSecond('http_server_request_duration_seconds_count{http_response_status_code=~"5.."}'),
  ])
  await withPausesOf('messaging', waitUntilShown, perSecond('parley_rpc_server_not_started_total'))
  await fillQueues(users.owner, waitUntilShown, 'sum(parley_rpc_server_queue_waiting)')
  await withoutRedis(waitUntilShown, alertOf('ParleyPresenceUnknown'))
  await withPausesOfNats(waitUntilShown, [
    alertOf('ParleySocketsLag'),
    perSecond('messaging_client_operation_duration_seconds_count{error_type!=""}'),
  ])
}

withPrometheus(`dashboards of a fleet that had many faults${why}`, () => {
  let prometheus: Prometheus
  beforeAll(async () => {
    if (!('path' in found)) return
    prometheus = await Prometheus.start(found.path, folder, jobsOf(fleet().state().services), ruleFiles)
    const waitUntilShown = (query: string) => prometheus.waitUntilAboveZero(query, 400_000)
    const users = await createEverydayUsers()
    await using _use = startEverydayUse(users)
    await Promise.all([parkAnEvent(users, waitUntilShown), causeFaultsInTurn(users, waitUntilShown)])
    // Last, because parkAnEvent and fillQueues need their connections to PostgreSQL.
    await withoutPostgres(waitUntilShown, alertOf('ParleyDatabaseNotReached'))
    await Promise.all([users.pushService, users.mediaServer].map((one) => one[Symbol.asyncDispose]()))
  }, 900_000)
  afterAll(async () => {
    await prometheus?.[Symbol.asyncDispose]()
    await waitUntilHealthy()
  })

  test.each([
    'ParleyDatabaseNotReached',
    'ParleyErrorBudgetBurnsFast',
    'ParleyEventsParked',
    'ParleyPresenceUnknown',
    'ParleyPushesFail',
    'ParleyRoomsLeftBehind',
    'ParleySocketsLag',
  ])('the condition of %s was met', async (alert) => {
    expect(await prometheus.seriesOf(alertOf(alert))).not.toEqual([])
  })

  test.each(queries)('$dashboard: panel $panel shows values of $legend', async ({ query }) => {
    const series = await prometheus.seriesOf(query)
    const numbers = series.flatMap(({ points }) => points.map(([, value]) => value))
    expect(Math.max(0, ...numbers)).toBeGreaterThan(0)
  })

  test.each(Object.entries(scaling.metrics))('autoscalers get %s of every process', async (_, { series, query }) => {
    const values = await prometheus.seriesOf(
      query.replaceAll('<<.LabelMatchers>>', 'job!=""').replaceAll('<<.GroupBy>>', 'instance'),
    )
    const numbers = values.flatMap(({ points }) => points.map(([, value]) => value))
    expect(Math.max(0, ...numbers)).toBeGreaterThan(0)
    const processesOf = (all: Series[]) => [...new Set(all.map(({ labels }) => labels['instance']))].sort()
    expect(processesOf(values)).toEqual(processesOf(await prometheus.seriesOf(series)))
  })

  test.each([...new Set(queries.map(({ name }) => name))])('the dashboard %s can be drawn', async (name) => {
    const drawn = queries.filter((query) => query.name === name)
    const panels = new Map<string, PlottedPanel>()
    for (const { panel, unit, legend, query } of drawn) {
      const lines = (await prometheus.seriesOf(query)).map(({ labels, points }) => ({
        legend: legend.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => labels[label] ?? ''),
        points,
      }))
      panels.set(panel, { title: panel, unit, lines: [...(panels.get(panel)?.lines ?? []), ...lines] })
    }
    const picture = await drawDashboard(drawn[0]?.dashboard ?? '', [...panels.values()])
    if (pictures !== undefined) writeFileSync(join(pictures, `dashboard-${name}.png`), picture)
    expect(picture.length).toBeGreaterThan(10_000)
  })
})
