import { expect, test } from '@jest/globals'
import { assertNotEmpty, updateOf } from './room-update.ts'

const room = { name: 'tea', description: 'leaves', universal: false }

test('an update without fields is refused', () => {
  expect(() => assertNotEmpty({})).toThrow('at least one field')
  expect(() => assertNotEmpty({ description: '' })).not.toThrow()
})

test('absent fields stay unchanged, an empty description clears the stored one', () => {
  expect(updateOf(room, { description: '' })).toEqual({
    name: 'tea',
    description: '',
    detailsChanged: true,
    universalChanged: false,
  })
})

test('equal values are no change', () => {
  expect(updateOf(room, { name: 'tea', universal: false })).toMatchObject({
    detailsChanged: false,
    universalChanged: false,
  })
  expect(updateOf(room, { universal: true })).toMatchObject({ detailsChanged: false, universalChanged: true })
})
