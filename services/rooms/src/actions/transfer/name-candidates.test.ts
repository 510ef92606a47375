import { expect, test } from '@jest/globals'
import { isRoomName } from '../../domain/room-name.ts'
import { nameCandidates } from './name-candidates.ts'

test.each([
  ['is unchanged if it is valid and has no hyphen at its ends', 'dev_ops-2', 'dev_ops-2'],
  ['loses accents', 'café', 'cafe'],
  ['gets hyphens for characters that room names cannot have', 'a.b c/d', 'a-b-c-d'],
  ['becomes "room" if it has no valid characters', '日本', 'room'],
  ['is cut to 30 characters', 'x'.repeat(80), 'x'.repeat(30)],
])('a name from another product %s', (_, name, first) => {
  const candidates = nameCandidates(name, 'R0123456789ABCD')
  expect(candidates[0]).toBe(first)
  expect(candidates.filter((candidate) => !isRoomName(candidate))).toEqual([])
  expect(new Set(candidates).size).toBe(candidates.length)
})
