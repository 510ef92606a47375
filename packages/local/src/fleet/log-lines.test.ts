import { expect, test } from '@jest/globals'
import { noteworthy } from './log-lines.ts'

test.each([
  ['{"level":"warn","msg":"slow"}', 'rooms: warn: slow'],
  ['{"level":"error","msg":"failed","err":{"message":"no route"}}', 'rooms: error: failed (no route)'],
  ['{"level":50,"msg":"failed","reason":"gone"}', 'rooms: error: failed (gone)'],
  ['{"level":60,"msg":"over"}', 'rooms: fatal: over'],
  ['TypeError: x is not a function', 'rooms: TypeError: x is not a function'],
])('%s is shown', (line, shown) => {
  expect(noteworthy('rooms', line)).toBe(shown)
})

test.each(['{"level":"info","msg":"up"}', '{"level":30,"msg":"up"}', '{"msg":"no level"}', '', '  '])(
  '%j is not',
  (line) => {
    expect(noteworthy('rooms', line)).toBeUndefined()
  },
)
