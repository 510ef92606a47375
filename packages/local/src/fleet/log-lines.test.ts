import { expect, test } from '@jest/globals'
import { formatForTerminal } from './log-lines.ts'

test.each([
  ['{"level":"warn","msg":"slow"}', 'rooms: warn: slow'],
  ['{"level":"error","msg":"failed","err":{"message":"no route"}}', 'rooms: error: failed (no route)'],
  ['{"level":50,"msg":"failed","reason":"gone"}', 'rooms: error: failed (gone)'],
  ['{"level":60,"msg":"over"}', 'rooms: fatal: over'],
  ['TypeError: x is not a function', 'rooms: TypeError: x is not a function'],
])('%s is shown', (line, shown) => {
  expect(formatForTerminal('rooms', line)).toBe(shown)
})

test.each(['{"level":"info","msg":"up"}', '{"level":30,"msg":"up"}', '{"msg":"no level"}', '', '  '])(
  '%j is not shown',
  (line) => {
    expect(formatForTerminal('rooms', line)).toBeUndefined()
  },
)
