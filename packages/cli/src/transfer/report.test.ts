import { expect, test } from '@jest/globals'
import { counted } from './counted.ts'
import { Report } from './report.ts'

test.each([
  ['people', 'person'],
  ['people who had an account here', 'person who had an account here'],
  ['replies', 'reply'],
  ['direct messages', 'direct message'],
  ['messages', 'message'],
])('one of %s is a %s', (many, one) => {
  expect([counted(1, many), counted(2, many), counted(0, many)]).toEqual([`1 ${one}`, `2 ${many}`, `0 ${many}`])
})

test('the size of a report is limited, regardless of the number of reasons', () => {
  const report = new Report()
  for (let index = 0; index < 1_000; index++)
    report.skipped('reactions', `there is no emoji ":e${index}:" here`, 'there')
  report.skipped('files', 'too large', 'there')
  const { notTaken } = report.toJson()
  expect(notTaken).toHaveLength(202)
  expect(notTaken.find(({ reason }) => reason === 'for other reasons')?.count).toBe(800)
  expect(notTaken.reduce((sum, { count }) => sum + count, 0)).toBe(1_001)
})
