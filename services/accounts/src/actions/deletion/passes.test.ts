import { expect, test } from '@jest/globals'
import { erasingServices, nextStep, type NextStep } from './passes.ts'

const firstPauseMs = 15_000
const reports = (found: bigint, missing?: string) =>
  new Map(erasingServices.filter((service) => service !== missing).map((service) => [service, found]))
const step = (pass: number, sinceMs: number, found: ReadonlyMap<string, bigint>): NextStep =>
  nextStep({ pass, askedAt: new Date(0), found }, new Date(sinceMs), firstPauseMs)

test.each<[string, NextStep, NextStep]>([
  ['waits while a service has not reported', step(1, 599_999, reports(0n, 'rooms')), 'wait'],
  ['requests the same pass again after ten minutes', step(1, 600_000, reports(0n, 'rooms')), { request: 1 }],
  ['waits between passes', step(1, 14_999, reports(0n)), 'wait'],
  ['requests a second pass even if the first found nothing', step(1, 15_000, reports(0n)), { request: 2 }],
  ['completes when a later pass found nothing', step(2, 0, reports(0n)), 'complete'],
  [
    'requests another pass while a service finds data',
    step(2, 15_000, new Map([...reports(0n), ['rooms', 1n]])),
    { request: 3 },
  ],
  ['waits longer after several passes', step(7, 59_999, reports(1n)), 'wait'],
  ['still requests the next pass after the longer wait', step(7, 60_000, reports(1n)), { request: 8 }],
  ['waits at most an hour between passes', step(1000, 3600_000, reports(1n)), { request: 1001 }],
])('a deletion %s', (_, actual, expected) => expect(actual).toEqual(expected))
