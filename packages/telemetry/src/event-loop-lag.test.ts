import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { EventLoopLag } from './event-loop-lag.ts'

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['performance'] }))
afterEach(() => void jest.useRealTimers())

/** Blocks the event loop for a fifth of a second, again and again until the monitor has seen it. */
async function block(lag: EventLoopLag) {
  while (lag.max() < 0.15) {
    await setTimeout(30)
    const end = performance.now() + 200
    while (performance.now() < end);
    await setTimeout(30)
  }
}

function passMinute() {
  for (let checks = 0; checks < 6; checks += 1) jest.runOnlyPendingTimers()
}

test('reading the lag changes nothing for other readers', async () => {
  using lag = new EventLoopLag()
  await block(lag)
  const seen = { max: lag.max(), p99: lag.p99() }
  expect(seen.p99).toBeGreaterThan(0.1)
  expect({ max: lag.max(), p99: lag.p99() }).toEqual(seen)
})

test('a lag is reported until the end of the next minute', async () => {
  using lag = new EventLoopLag()
  await block(lag)
  passMinute()
  expect(lag.max()).toBeGreaterThanOrEqual(0.15)
  expect(lag.p99()).toBeGreaterThan(0.1)
  passMinute()
  expect(lag.max()).toBeLessThan(0.15)
  expect(lag.p99()).toBeLessThan(0.1)
})
