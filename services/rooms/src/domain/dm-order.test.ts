import { expect, test } from '@jest/globals'
import { activeDms } from './dm-order.ts'

const dm = (id: string) => ({ room: { id } })

test('conversations are ordered by their last message, and empty and unknown ones are hidden', () => {
  const states = new Map([
    ['old', { empty: false, lastMessageAt: new Date(1000) }],
    ['new', { empty: false, lastMessageAt: new Date(2000) }],
    ['empty', { empty: true, lastMessageAt: undefined }],
  ])
  const shown = activeDms([dm('old'), dm('empty'), dm('unknown'), dm('new')], states)
  expect(shown.map(({ room }) => room.id)).toEqual(['new', 'old'])
})
