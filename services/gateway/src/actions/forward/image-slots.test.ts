import { expect, test } from '@jest/globals'
import { ImageSlots } from './image-slots.ts'

const request = { destroy: () => undefined }

test('a user gets at most half of the slots, and a slot that is released twice is freed once', () => {
  const slots = new ImageSlots(4)
  const releases = ['U1', 'U1', 'U2'].map((userId) => slots.acquire(request, userId))
  expect(() => slots.acquire(request, 'U1')).toThrow('too many images')
  releases.push(slots.acquire(request, 'U3'))
  expect(() => slots.acquire(request, 'U4')).toThrow('too many images')
  releases[0]?.()
  releases[0]?.()
  releases.push(slots.acquire(request, 'U1'))
  expect(() => slots.acquire(request, 'U4')).toThrow('too many images')
  for (const release of releases) release()
})
