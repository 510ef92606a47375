import { expect, test } from '@jest/globals'
import { formatCount } from './format-count.ts'
import { Report } from './report.ts'

test.each([
  ['people', 'person'],
  ['people who already had an account', 'person who already had an account'],
  ['replies', 'reply'],
  ['direct messages', 'direct message'],
  ['messages', 'message'],
])('the singular of %s is %s', (many, one) => {
  expect([formatCount(1, many), formatCount(2, many), formatCount(0, many)]).toEqual([
    `1 ${one}`,
    `2 ${many}`,
    `0 ${many}`,
  ])
})

test('a report lists at most 200 reasons for each kind of record, and counts the rest together', () => {
  const report = new Report()
  for (let index = 0; index < 1_000; index++)
    report.addSkipped('reactions', `this server has no emoji ":e${index}:"`, 'there')
  report.addSkipped('files', 'too large', 'there')
  const { notTaken } = report.toJson()
  expect(notTaken).toHaveLength(202)
  expect(notTaken.find(({ reason }) => reason === 'for other reasons')?.count).toBe(800)
  expect(notTaken.reduce((sum, { count }) => sum + count, 0)).toBe(1_001)
})
