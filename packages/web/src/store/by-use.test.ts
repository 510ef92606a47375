import { expect, test } from '@jest/globals'
import { byUse } from './by-use.ts'

const room = (id: string, isMember = true, hasUnread = false) => ({ id, isMember, hasUnread })

test('unread rooms come first, then recently visited ones; rooms that the viewer has not joined come last', () => {
  const rooms = [
    room('not-joined', false, true),
    room('idle'),
    room('before'),
    room('unread', true, true),
    room('latest'),
    room('unread-latest', true, true),
  ]
  const recent = ['latest', 'unread-latest', 'before', 'not-joined']
  const ids = byUse(rooms, recent).map(({ id }) => id)
  expect(ids).toEqual(['unread-latest', 'unread', 'latest', 'before', 'idle', 'not-joined'])
})
