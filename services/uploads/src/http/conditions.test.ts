import { describe, expect, test } from '@jest/globals'
import { isUnchanged, mayServeRange } from './conditions.ts'

const at = 'Sat, 21 Nov 2026 05:00:00 GMT'
const state = { etag: '"a"', lastModified: new Date('2026-11-21T05:00:00.700Z') }

describe('isUnchanged', () => {
  test.each([
    ['"a"', true],
    ['W/"a"', true],
    ['"b", "a"', true],
    ['"b",W/"a" , "c"', true],
    ['*', true],
    ['"b"', false],
    ['a', false],
    ['', false],
  ])('with If-None-Match %j is %s', (tags, unchanged) => {
    expect(isUnchanged({ 'if-none-match': tags }, state)).toBe(unchanged)
  })

  test.each([
    [at, true],
    ['Sat, 21 Nov 2026 05:00:01 GMT', true],
    ['Sat, 21 Nov 2026 04:59:59 GMT', false],
    ['yesterday', false],
    [undefined, false],
  ])('with If-Modified-Since %j is %s', (since, unchanged) => {
    expect(isUnchanged({ 'if-modified-since': since }, state)).toBe(unchanged)
  })

  test('ignores If-Modified-Since if If-None-Match is given', () => {
    expect(isUnchanged({ 'if-none-match': '"b"', 'if-modified-since': at }, state)).toBe(false)
  })
})

test.each([
  [undefined, true],
  ['"a"', true],
  ['"b"', false],
  ['W/"a"', false],
  [at, true],
  ['Sat, 21 Nov 2026 05:00:01 GMT', false],
  ['Sat, 21 Nov 2026 04:59:59 GMT', false],
  ['whenever', false],
])('mayServeRange with If-Range %j is %s', (given, expected) => {
  expect(mayServeRange({ 'if-range': given }, state)).toBe(expected)
})
