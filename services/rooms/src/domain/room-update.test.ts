import { expect, test } from '@jest/globals'
import { assertNotEmpty, updateOf } from './room-update.ts'

const room = { name: 'tea', description: 'leaves', universal: false }

test('an update that names nothing is refused', () => {
  expect(() => assertNotEmpty({})).toThrow('at least one field')
  expect(() => assertNotEmpty({ description: '' })).not.toThrow()
})

test('fields that are not named stay, an empty description clears', () => {
  expect(updateOf(room, { description: '' })).toEqual({
    name: 'tea',
    description: '',
    renamed: true,
    universalChanged: false,
  })
})

test('equal values are no change', () => {
  expect(updateOf(room, { name: 'tea', universal: false })).toMatchObject({ renamed: false, universalChanged: false })
  expect(updateOf(room, { universal: true })).toMatchObject({ renamed: false, universalChanged: true })
})
