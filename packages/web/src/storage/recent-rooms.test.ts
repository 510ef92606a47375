import { expect, test } from '@jest/globals'
import { lastRoom, recentRooms, saveVisit } from './recent-rooms.ts'

test('visited rooms are kept, the latest first and each once', () => {
  const stored = new Map<string, string>()
  const localStorage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  }
  Object.defineProperty(globalThis, 'localStorage', { value: localStorage, configurable: true })
  expect([recentRooms('Uann'), lastRoom('Uann')]).toEqual([[], undefined])
  for (const roomId of ['R1', 'R2', 'R1', 'R1', 'R3']) saveVisit('Uann', roomId)
  expect([recentRooms('Uann'), lastRoom('Uann')]).toEqual([['R3', 'R1', 'R2'], 'R3'])
  for (let n = 10; n < 40; n++) saveVisit('Uann', `R${n}`)
  expect(recentRooms('Uann')).toHaveLength(12)
  expect(recentRooms('Ubob')).toEqual([])
})
