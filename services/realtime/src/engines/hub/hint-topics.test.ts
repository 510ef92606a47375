import { expect, test } from '@jest/globals'
import { HintTopics } from './hint-topics.ts'
import { fakeSocket } from '../../../test/_fake-socket.ts'
import { UserAccess } from './user-access.ts'

test('a slow socket gets no hints until it has caught up', () => {
  const hints = new HintTopics()
  const user = new UserAccess('U1', [], 1n)
  user.rooms.add('R1')
  const [slow, quick, opening] = [fakeSocket(), fakeSocket(), fakeSocket({ isOpen: false })]
  for (const socket of [slow, quick, opening]) user.connections.add(socket)
  for (const socket of [slow, quick]) hints.subscribe(socket, user)
  slow.buffered = opening.buffered = 65_537
  hints.updateSubscriptions([user])
  hints.updateSubscriptions([user])
  user.rooms.add('R2')
  for (const socket of [slow, quick]) hints.subscribeToRoom(socket, 'R2')
  const all = ['hints', 'room-hints:R1', 'room-hints:R2']
  expect([slow.subscribedTopics(), quick.subscribedTopics(), opening.subscribedTopics()]).toEqual([[], all, []])
  slow.buffered = 65_536
  hints.updateSubscriptions([user])
  hints.updateSubscriptions([user])
  expect(slow.subscribedTopics()).toEqual(all)
  user.rooms.delete('R1')
  for (const socket of [slow, quick]) hints.unsubscribeFromRoom(socket, 'R1')
  expect([slow.subscribedTopics(), quick.subscribedTopics()]).toEqual([
    ['hints', 'room-hints:R2'],
    ['hints', 'room-hints:R2'],
  ])
})
