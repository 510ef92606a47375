import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { countCosts, type CostCounter } from '@parley/testkit'
import { say } from './_conversation.ts'
import { startFleet, type Fleet } from './_fleet.ts'

let fleet: Fleet
let costs: CostCounter
let roomId: string
let otherId: string
beforeAll(async () => {
  fleet = await startFleet({ processes: 0 })
  costs = fleet.use(await countCosts(fleet.bus))
  await fleet.start()
  const room = async () => (await fleet.room().channel(['ann', 'bob'])).roomId
  roomId = await room()
  otherId = await room()
})
afterAll(() => fleet[Symbol.asyncDispose]())

const ann = () => fleet.as('ann')
const bob = () => fleet.as('bob')

test('the unread messages of all rooms are one statement', async () => {
  await say(ann(), roomId, 'here')
  await say(ann(), otherId, 'there')
  expect(await costs.of(() => fleet.messaging.hasUnread({ userId: 'bob' }))).toEqual({
    statements: ['read_unread'],
    requests: [],
  })
  expect(await costs.of(() => fleet.messaging.roomStates({ userId: 'bob', roomIds: [roomId, otherId] }))).toEqual({
    statements: ['read_room_states'],
    requests: [],
  })
})

test('GetRoomEvents runs one statement once the names of the authors are known', async () => {
  await say(ann(), roomId, 'hello')
  await say(bob(), roomId, 'hello')
  const read = () => bob().rooms.getRoomEvents({ roomId, limit: 50 })
  await read()
  expect(await costs.of(read)).toEqual({ statements: ['read_timeline_older'], requests: [] })
})

test.each(['hello', 'hello @bob'])('CreateMessage runs one statement: %s', async (body) => {
  const post = () => say(ann(), roomId, body)
  await post()
  expect(await costs.of(post)).toEqual({ statements: ['append_message'], requests: [] })
})

/** A change of a message without side effects. */
const change = (...own: string[]) => [
  ...['select: erasures', 'read_changeable', 'begin', 'lock_line', 'read_changeable'],
  ...own,
  ...['store_line_events', 'commit'],
]

test('UpdateMessage reads the message, changes it and reads the result', async () => {
  const { id: eventId } = await say(ann(), roomId, 'first')
  const update = (body: string) => ann().messages.updateMessage({ roomId, eventId, body })
  await update('second')
  expect(await costs.of(() => update('third'))).toEqual({
    statements: [...change('edit_body'), 'read_events_by_id'],
    requests: [],
  })
})

test('AddReaction reads the message, adds to it and reads the tally', async () => {
  const { id: messageEventId } = await say(ann(), roomId, 'well')
  const react = (emoji: string) => bob().messages.addReaction({ roomId, messageEventId, emoji })
  await react('tada')
  expect(await costs.of(() => react('heart'))).toEqual({
    statements: [...change('add_reaction'), 'read_tally'],
    requests: [],
  })
})

test('MarkRoomAsRead moves the marker in one transaction', async () => {
  const { id: upToEventId } = await say(ann(), roomId, 'last')
  expect(await costs.of(() => bob().rooms.markRoomAsRead({ roomId, upToEventId }))).toEqual({
    statements: [
      ...['select: erasures', 'read_place_in_room', 'begin'],
      ...['move_room_marker', 'raise_reader', 'store_reader_event', 'commit'],
    ],
    requests: [],
  })
})
