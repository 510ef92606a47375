import { expect, test } from '@jest/globals'
import { rangeOf } from './range.ts'

test.each([
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=2-5', { start: 2, end: 5 }],
  ['Bytes= 2-5 ', { start: 2, end: 5 }],
  ['bytes=2-', { start: 2, end: 9 }],
  ['bytes=9-', { start: 9, end: 9 }],
  ['bytes=2-99999999999999999999', { start: 2, end: 9 }],
  ['bytes=-3', { start: 7, end: 9 }],
  ['bytes=-10', { start: 0, end: 9 }],
  ['bytes=-99', { start: 0, end: 9 }],
  ['bytes=10-', 'beyond'],
  ['bytes=10-20', 'beyond'],
  ['bytes=99999999999999999999-', 'beyond'],
  ['bytes=-0', 'beyond'],
  [undefined, undefined],
  ['', undefined],
  ['bytes=-', undefined],
  ['bytes=5-2', undefined],
  ['bytes=0-1,3-4', undefined],
  ['bytes=a-b', undefined],
  ['bytes=-1-2', undefined],
  ['bytes=1.5-2', undefined],
  ['items=0-1', undefined],
])('in a file of ten bytes %j selects %j', (header, range) => {
  expect(rangeOf(header, 10)).toEqual(range)
})

test('an empty file has no ranges', () => {
  for (const header of ['bytes=0-', 'bytes=-1']) expect(rangeOf(header, 0)).toBe('beyond')
})
