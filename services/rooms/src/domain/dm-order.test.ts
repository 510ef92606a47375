import { expect, test } from '@jest/globals'
import { dmsWithMessages } from './dm-order.ts'

const dm = (id: string) => ({ room: { id } })

test('direct messages are ordered by last message, without empty and unknown ones', () => {
  const states = new Map([
    ['old', { empty: false, lastMessageAt: new Date(1000) }],
    ['new', { empty: false, lastMessageAt: new Date(2000) }],
    ['empty', { empty: true, lastMessageAt: undefined }],
  ])
  const shown = dmsWithMessages([dm('old'), dm('empty'), dm('unknown'), dm('new')], states)
  expect(shown.map(({ room }) => room.id)).toEqual(['new', 'old'])
})
