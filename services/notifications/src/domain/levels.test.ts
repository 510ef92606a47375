import { expect, test } from '@jest/globals'
import { NotificationLevel } from '@parley/contracts/api'
import { effectiveLevel } from './levels.ts'

const { DEFAULT, MUTED, NORMAL, ALL_MESSAGES } = NotificationLevel

test.each([
  ['without any chosen level, a room has NORMAL', [DEFAULT, DEFAULT], NORMAL],
  ['a room without a level has the level of the server', [DEFAULT, ALL_MESSAGES], ALL_MESSAGES],
  ['the level of the room overrides that of the server', [MUTED, ALL_MESSAGES], MUTED],
  ['without a level, the server has NORMAL', [DEFAULT], NORMAL],
])('%s', (_, stored, expected) => {
  expect(effectiveLevel(...stored)).toBe(expected)
})
