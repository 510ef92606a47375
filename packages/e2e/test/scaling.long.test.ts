import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { repositoryRoot } from '@parley/local'
import { eventually } from '@parley/testkit'
import { AutoscaledFleet } from '../src/scaling/autoscaled-fleet.ts'
import { Crowd } from '../src/scaling/crowd.ts'
import { NodeBalancer } from '../src/scaling/node-balancer.ts'
import { NodeSamples } from '../src/scaling/node-samples.ts'
import { type ScalingRun, lossesOf, mostWithin, drawRun, formatTable } from '../src/scaling/scaling-report.ts'

const savesPicture = process.env['PARLEY_SCREENSHOTS'] !== undefined

const socketsPerNode = 80
const [few, many, fewer] = [60, 240, 150]
/** Less than a third, because some clients are reconnecting. */
const balancedSockets = (many / 3) * 0.75
const maxAgeMs = 40_000
const drainWindowMs = 5_000
const drainTimeoutMs = 15_000
const settings = {
  PARLEY_REALTIME_MAX_SOCKET_AGE: `${maxAgeMs}ms`,
  PARLEY_REALTIME_DRAIN_WINDOW: `${drainWindowMs}ms`,
  PARLEY_DRAIN_TIMEOUT: `${drainTimeoutMs}ms`,
}
const options = [
  ...['--min', '1', '--max', '3', '--every', '1', '--faster', '60'],
  ...['--target', `parley_realtime_sockets=${socketsPerNode}`],
  ...['--target', 'parley_realtime_lag_p95_seconds=10'],
]

let fleet: AutoscaledFleet
let run: ScalingRun
let balancedCounts: number[]
let posts: { answered: number; failed: string[] }

async function waitForDecisions(times: number): Promise<void> {
  const before = fleet.decisions.length
  await eventually(() => fleet.decisions.length >= before + times)
}

beforeAll(async () => {
  fleet = await AutoscaledFleet.start(settings, options)
  const listed = () => fleet.nodes()
  await using balancer = await NodeBalancer.start(listed)
  await using samples = new NodeSamples(listed)
  const crowd = await Crowd.create({ gateway: fleet.url, sockets: balancer.url })
  const startedAt = Date.now()
  try {
    await crowd.resize(few)
    await eventually(() => expect(samples.counts()).toEqual([few]))
    await waitForDecisions(5)
    await crowd.resize(many)
    // No socket is old enough yet to be closed, so the first node must still have all of them.
    await eventually(() => expect(Math.max(...samples.counts())).toBe(many))
    // The first node closes sockets when they reach their maximum age; their clients reconnect to new nodes.
    balancedCounts = await eventually(
      () => {
        const counts = samples.counts()
        expect(counts).toHaveLength(3)
        expect(Math.min(...counts)).toBeGreaterThan(balancedSockets)
        return counts
      },
      { timeoutMs: 180_000 },
    )
    await crowd.resize(fewer)
    await eventually(() => expect(samples.nodes.filter(({ endedAt }) => endedAt !== undefined)).toHaveLength(1), {
      timeoutMs: 120_000,
    })
    await waitForDecisions(5)
    const { log, ...others } = await crowd.finish()
    posts = others
    for (const stream of crowd.open) await eventually(() => expect(stream.received.at(-1)).toBe(log.at(-1)))
    const { nodes } = samples
    const { streams } = crowd
    const { decisions } = fleet
    const faults = crowd.faults(log)
    run = { startedAt, endedAt: Date.now(), nodes, decisions, streams, posts: log.length, faults }
    console.log(formatTable(run))
  } finally {
    crowd.close()
  }
}, 600_000)
afterAll(() => fleet?.[Symbol.asyncDispose]())

test('the autoscaler goes from one node to three and then to two', () => {
  const wanted = run.decisions.map(({ next }) => next)
  const changes = wanted.filter((nodes, n) => nodes !== wanted[n - 1])
  expect(changes.filter((nodes, n) => !(nodes === 2 && changes[n + 1] === 3))).toEqual([1, 3, 2])
})

test('the autoscaler reads the number of sockets and the lag of the nodes', () => {
  const valuesOf = (metric: string) => run.decisions.flatMap(({ metrics }) => metrics[metric] ?? [])
  const sockets = valuesOf('parley_realtime_sockets').filter((value) => value !== null)
  expect(sockets).toEqual(expect.arrayContaining([0, few, many]))
  const lags = valuesOf('parley_realtime_lag_p95_seconds').filter((value) => value !== null)
  expect(lags.filter((lag) => lag > 0).length).toBeGreaterThan(run.decisions.length / 2)
  expect(Math.max(...lags)).toBeGreaterThan(1.5 * Math.min(...lags.filter((lag) => lag > 0)))
})

test('the autoscaler removes a node after more than five consecutive decisions for fewer nodes', () => {
  const { decisions } = run
  const removal = decisions.findIndex(({ wanted, next }) => next < wanted)
  const lastOther = decisions.slice(0, removal).findLastIndex(({ desired, wanted }) => desired >= wanted)
  expect(removal - lastOther).toBeGreaterThan(5)
})

test('new nodes get their part of the sockets, spread over time', () => {
  expect(Math.min(...balancedCounts)).toBeGreaterThan(balancedSockets)
  expect(run.nodes[0]?.rebalanced).toBeGreaterThan(many / 3)
  const ages = lossesOf(run).flatMap(({ reason, openMs }) => (reason === 'rebalance' ? openMs : []))
  expect(mostWithin(ages, maxAgeMs / 8)).toBeLessThan(ages.length / 2)
})

test('the removed node closes its sockets in slices, and ends before its drain timeout', () => {
  const drained = lossesOf(run).filter(({ reason }) => reason === 'draining')
  const times = drained.map(({ at }) => at)
  expect(times.length).toBeGreaterThan(10)
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(drainWindowMs / 2)
  expect(mostWithin(times, drainWindowMs / 10)).toBeLessThan(times.length / 2)
  const removed = run.nodes.find(({ endedAt }) => endedAt !== undefined)
  expect(Number(removed?.endedAt) - Number(removed?.leftAt)).toBeLessThan(drainTimeoutMs)
  expect(fleet.output).not.toContain('exits now')
})

test('every client receives every post once and in order', () => {
  expect(posts).toEqual({ answered: run.posts, failed: [] })
  expect(run.posts).toBeGreaterThan(100)
  expect(run.faults).toEqual({ missed: 0, twice: 0, outOfOrder: 0 })
  expect(run.streams.flatMap(({ resets }) => resets)).toEqual([])
})

test('the run can be drawn', async () => {
  const picture = await drawRun(run)
  if (savesPicture) writeFileSync(join(repositoryRoot(), 'docs/images/scaling.png'), picture)
  expect(picture.length).toBeGreaterThan(10_000)
})
