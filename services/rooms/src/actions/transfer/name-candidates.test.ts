import { expect, test } from '@jest/globals'
import { isRoomName } from '../../domain/room-name.ts'
import { nameCandidates } from './name-candidates.ts'

test.each([
  ['stays', 'dev_ops-2', 'dev_ops-2'],
  ['loses accents', 'café', 'cafe'],
  ['has hyphens for what rooms cannot have', 'a.b c/d', 'a-b-c-d'],
  ['is "room" when nothing is left', '日本', 'room'],
  ['is cut', 'x'.repeat(80), 'x'.repeat(30)],
])('a name from another product %s', (_, name, first) => {
  const candidates = nameCandidates(name, 'R0123456789ABCD')
  expect(candidates[0]).toBe(first)
  expect(candidates.filter((candidate) => !isRoomName(candidate))).toEqual([])
  expect(new Set(candidates).size).toBe(candidates.length)
})
