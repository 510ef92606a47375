import { expect, test } from '@jest/globals'
import { toAnswer } from './answer.ts'

const now = new Date('2026-03-01T12:00:00Z')
const busy = (isFailing: boolean, retryAfterMs = 0) => ({ outcome: 'busy', isFailing, retryAfterMs })

test.each([
  [200, { outcome: 'accepted' }],
  [201, { outcome: 'accepted' }],
  [202, { outcome: 'accepted' }],
  [301, { outcome: 'refused' }],
  [307, { outcome: 'refused' }],
  [400, { outcome: 'refused' }],
  [401, { outcome: 'refused' }],
  [403, { outcome: 'refused' }],
  [404, { outcome: 'gone' }],
  [408, busy(true)],
  [410, { outcome: 'gone' }],
  [413, { outcome: 'refused' }],
  [429, busy(false)],
  [500, busy(true)],
  [503, busy(true)],
])('the status %d means %j', (status, answer) => expect(toAnswer(status, undefined, now)).toEqual(answer))

test.each([
  ['7', 7_000],
  [' 7 ', 7_000],
  ['Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
  ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
  ['86400', 3_600_000],
  ['Mon, 01 Mar 2027 12:00:00 GMT', 3_600_000],
  ['-1', 0],
  ['soon', 0],
  ['', 0],
])('Retry-After "%s" is a delay of %d ms', (retryAfter, ms) => {
  expect(toAnswer(429, retryAfter, now)).toEqual(busy(false, ms))
  expect(toAnswer(503, retryAfter, now)).toEqual(busy(true, ms))
})
