import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { derivedId, dmRoomId, newId, unkeyedDmRoomId } from './id.ts'

describe('newId', () => {
  test.each([
    ['user', 'U'],
    ['room', 'R'],
    ['group', 'G'],
    ['link', 'L'],
    ['call', 'C'],
    ['asset', 'A'],
    ['event', 'E'],
    ['notification', 'N'],
    ['credential', 'S'],
    ['role', 'O'],
    ['invite', 'I'],
  ] as const)('of kind %s returns %s and 14 base62 digits', (kind, prefix) => {
    expect(newId(kind)).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{14}$`))
  })

  test('uses all 62 digits and does not repeat itself', () => {
    const ids = Array.from({ length: 2000 }, () => newId('event').slice(1))
    expect(new Set(ids).size).toBe(ids.length)
    expect(new Set(ids.join('')).size).toBe(62)
  })
})

const key = Buffer.alloc(32, 7)

describe('dmRoomId', () => {
  test('depends only on the set of people and the key', () => {
    const room = dmRoomId(key, ['Ub', 'Ua'])
    expect(room).toMatch(/^R[0-9A-Za-z]{14}$/)
    expect(dmRoomId(key, ['Ua', 'Ub'])).toBe(room)
    expect(dmRoomId(key, ['Ua', 'Ub', 'Ua'])).toBe(room)
    expect(dmRoomId(key, ['Ua'])).not.toBe(room)
    expect(dmRoomId(Buffer.alloc(32, 8), ['Ua', 'Ub'])).not.toBe(room)
  })

  test('does not confuse ids that join to the same text', () => {
    expect(dmRoomId(key, ['Ua', 'bUc'])).not.toBe(dmRoomId(key, ['Uab', 'Uc']))
  })

  test('without a key consists of the lowest base62 digits of SHA-256 over the sorted ids, each followed by NUL', () => {
    const digest = BigInt(`0x${createHash('sha256').update('Ua\0Ub\0').digest('hex')}`)
    const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    const expected = Array.from({ length: 14 }, (_, i) => alphabet[Number((digest / 62n ** BigInt(i)) % 62n)]).join('')
    expect(unkeyedDmRoomId(['Ub', 'Ua'])).toBe(`R${expected}`)
  })

  test('refuses an empty set', () => {
    expect(() => dmRoomId(key, [])).toThrow(RangeError)
  })
})

test('a derived id depends only on its kind and parts', () => {
  const id = derivedId('event', 'Ua', 'key')
  expect(id).toMatch(/^E[0-9A-Za-z]{14}$/)
  expect(derivedId('event', 'Ua', 'key')).toBe(id)
  expect(new Set([id, derivedId('event', 'Uak', 'ey'), derivedId('event', 'key', 'Ua')]).size).toBe(3)
  expect(derivedId('room', 'Ua', 'key').slice(1)).not.toBe(id.slice(1))
})
