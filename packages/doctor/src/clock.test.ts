import { expect, test } from '@jest/globals'
import { reportClock } from './clock.ts'
import { reportTo, type Finding } from './finding.ts'

const findingFor = (serverMs: number): Finding | undefined => {
  const findings: Finding[] = []
  reportClock(reportTo(findings), 'redis.clock', 'Redis', { serverMs, requestedMs: 100_000, answeredMs: 102_000 })
  return findings[0]
}

test('a slow response is not reported as a clock difference', () => {
  for (const serverMs of [100_000, 101_000, 102_000, 99_500, 102_900])
    expect(findingFor(serverMs)).toMatchObject({ result: 'ok' })
})

test('a small clock difference is a warning, a large one a failure', () => {
  expect(findingFor(104_000)).toMatchObject({
    result: 'warn',
    found: "the clock of Redis is 2.0 s ahead of this machine's",
    next: expect.stringContaining('at a difference of 30 s or more'),
  })
  expect(findingFor(60_000)).toMatchObject({
    result: 'fail',
    found: "the clock of Redis is 40.0 s behind this machine's",
    next: expect.stringContaining('at this difference'),
  })
})
