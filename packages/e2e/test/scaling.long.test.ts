import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { repositoryRoot } from '@parley/local'
import { eventually } from '@parley/testkit'
import { AutoscaledFleet } from '../src/scaling/autoscaled-fleet.ts'
import { Crowd } from '../src/scaling/crowd.ts'
import { NodeBalancer } from '../src/scaling/node-balancer.ts'
import { NodeSamples } from '../src/scaling/node-samples.ts'
import { type Course, lossesOf, mostWithin, pictureOfCourse, tableOf } from '../src/scaling/scaling-report.ts'

/** The picture is kept in docs/images with `PARLEY_SCREENSHOTS`. */
const keepsPicture = process.env['PARLEY_SCREENSHOTS'] !== undefined

const socketsPerNode = 80
const [few, many, fewer] = [60, 240, 150]
/** Sockets that a node must have to have its share; part of the clients always wait to reconnect. */
const share = (many / 3) * 0.75
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
  // All nodes share this machine: more of them would not make it faster.
  ...['--target', 'parley_realtime_lag_p95_seconds=10'],
]

let fleet: AutoscaledFleet
let course: Course
/** Sockets of the three nodes when the new ones were filled. */
let filled: number[]
let posts: { answered: number; failed: string[] }

/** Waits until the autoscaler has decided so many times more. */
async function decided(times: number): Promise<void> {
  const before = fleet.decisions.length
  await eventually(() => fleet.decisions.length >= before + times)
}

beforeAll(async () => {
  fleet = await AutoscaledFleet.start(settings, options)
  const listed = () => fleet.nodes()
  await using balancer = await NodeBalancer.start(listed)
  await using samples = new NodeSamples(listed)
  const crowd = await Crowd.gather({ gateway: fleet.url, sockets: balancer.url })
  const startedAt = Date.now()
  try {
    await crowd.resize(few)
    await eventually(() => expect(samples.counts()).toEqual([few]))
    await decided(5)
    await crowd.resize(many)
    // New nodes fill as sockets of the first reach their age.
    filled = await eventually(
      () => {
        const counts = samples.counts()
        expect(counts).toHaveLength(3)
        expect(Math.min(...counts)).toBeGreaterThan(share)
        return counts
      },
      { timeoutMs: 180_000 },
    )
    await crowd.resize(fewer)
    await eventually(() => expect(samples.nodes.filter(({ endedAt }) => endedAt !== undefined)).toHaveLength(1), {
      timeoutMs: 120_000,
    })
    await decided(5)
    const { log, ...others } = await crowd.finish()
    posts = others
    for (const stream of crowd.open) await eventually(() => expect(stream.received.at(-1)).toBe(log.at(-1)))
    const { nodes } = samples
    const { streams } = crowd
    const { decisions } = fleet
    const faults = crowd.faults(log)
    course = { startedAt, endedAt: Date.now(), nodes, decisions, streams, posts: log.length, faults }
    console.log(tableOf(course))
  } finally {
    crowd.close()
  }
}, 600_000)
afterAll(() => fleet?.[Symbol.asyncDispose]())

test('the autoscaler goes from one node to three and then to two', () => {
  const wanted = course.decisions.map(({ next }) => next)
  const changes = wanted.filter((pods, n) => pods !== wanted[n - 1])
  expect(changes.filter((pods, n) => !(pods === 2 && changes[n + 1] === 3))).toEqual([1, 3, 2])
})

test('the autoscaler takes a node away only after the metrics have asked for it many times in a row', () => {
  const { decisions } = course
  const left = decisions.findIndex(({ wanted, next }) => next < wanted)
  const asking = decisions.slice(0, left).findLastIndex(({ desired, wanted }) => desired >= wanted)
  expect(left - asking).toBeGreaterThan(5)
})

test('nodes that join get their share because sockets reach their age, spread over time', () => {
  expect(Math.min(...filled)).toBeGreaterThan(share)
  expect(course.nodes[0]?.rebalanced).toBeGreaterThan(many / 3)
  const ages = lossesOf(course).flatMap(({ reason, openMs }) => (reason === 'rebalance' ? openMs : []))
  expect(mostWithin(ages, maxAgeMs / 8)).toBeLessThan(ages.length / 2)
})

test('the node that leaves closes its sockets in slices, and has ended before its time is over', () => {
  const drained = lossesOf(course).filter(({ reason }) => reason === 'draining')
  const times = drained.map(({ at }) => at)
  expect(times.length).toBeGreaterThan(10)
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(drainWindowMs / 2)
  expect(mostWithin(times, drainWindowMs / 10)).toBeLessThan(times.length / 2)
  const left = course.nodes.find(({ endedAt }) => endedAt !== undefined)
  expect(Number(left?.endedAt) - Number(left?.leftAt)).toBeLessThan(drainTimeoutMs)
  expect(fleet.output).not.toContain('is killed')
})

test('every client receives every post once and in order, and none has to load again', () => {
  expect(posts).toEqual({ answered: course.posts, failed: [] })
  expect(course.posts).toBeGreaterThan(100)
  expect(course.faults).toEqual({ missed: 0, twice: 0, outOfOrder: 0 })
  expect(course.streams.flatMap(({ resets }) => resets)).toEqual([])
})

test('the course can be drawn', async () => {
  const picture = await pictureOfCourse(course)
  if (keepsPicture) writeFileSync(join(repositoryRoot(), 'docs/images/scaling.png'), picture)
  expect(picture.length).toBeGreaterThan(10_000)
})
