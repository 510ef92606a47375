import { expect, test } from '@jest/globals'
import { isAnnouncements, isRoomName, roomNameKey } from './room-name.ts'

test.each(['a', 'general', 'Release_2-1', 'x'.repeat(30)])('%s is a room name', (name) => {
  expect(isRoomName(name)).toBe(true)
})

test.each(['', 'two words', 'dot.ted', 'käse', 'x'.repeat(31), 'a\n', '#general'])('%j is not a room name', (name) => {
  expect(isRoomName(name)).toBe(false)
})

test('names that differ only in case have the same key', () => {
  expect(roomNameKey('General')).toBe(roomNameKey('gENERAL'))
})

test('the name announcements is recognised in any letter case', () => {
  expect(isAnnouncements('AnnounceMents')).toBe(true)
  expect(isAnnouncements('announcements2')).toBe(false)
})
