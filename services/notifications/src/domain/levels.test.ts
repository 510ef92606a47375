import { expect, test } from '@jest/globals'
import { NotificationLevel } from '@parley/contracts/api'
import { effectiveLevel } from './levels.ts'

const { DEFAULT, MUTED, NORMAL, ALL_MESSAGES } = NotificationLevel

test.each([
  ['nothing chosen is NORMAL', [DEFAULT, DEFAULT], NORMAL],
  ['a room takes the level of the server', [DEFAULT, ALL_MESSAGES], ALL_MESSAGES],
  ['the level of the room wins', [MUTED, ALL_MESSAGES], MUTED],
  ['the server alone', [DEFAULT], NORMAL],
])('%s', (_, stored, expected) => {
  expect(effectiveLevel(...stored)).toBe(expected)
})
