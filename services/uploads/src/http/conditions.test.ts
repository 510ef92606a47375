import { describe, expect, test } from '@jest/globals'
import { isUnchanged, mayServeRange } from './conditions.ts'

const at = 'Sat, 21 Nov 2026 05:00:00 GMT'
const state = { etag: '"a"', lastModified: new Date('2026-11-21T05:00:00.700Z') }

describe('whether the client has the current version', () => {
  test.each([
    ['"a"', true],
    ['W/"a"', true],
    ['"b", "a"', true],
    ['"b",W/"a" , "c"', true],
    ['*', true],
    ['"b"', false],
    ['a', false],
    ['', false],
  ])('is decided by If-None-Match %j: %s', (tags, unchanged) => {
    expect(isUnchanged({ 'if-none-match': tags }, state)).toBe(unchanged)
  })

  test.each([
    [at, true],
    ['Sat, 21 Nov 2026 05:00:01 GMT', true],
    ['Sat, 21 Nov 2026 04:59:59 GMT', false],
    ['yesterday', false],
    [undefined, false],
  ])('is decided by If-Modified-Since %j: %s', (since, unchanged) => {
    expect(isUnchanged({ 'if-modified-since': since }, state)).toBe(unchanged)
  })

  test('is decided by If-None-Match alone if both are given', () => {
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
])('a part is sent with If-Range %j: %s', (given, holds) => {
  expect(mayServeRange({ 'if-range': given }, state)).toBe(holds)
})
