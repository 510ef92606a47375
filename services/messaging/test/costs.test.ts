import { beforeAll, expect, test } from '@jest/globals'
import { countCosts, type CostCounter } from '@parley/testkit'
import { say } from './_conversation.ts'
import { useFleet } from './_fleet.ts'

const fleet = useFleet({ processes: 0 })
let costs: CostCounter
let roomId: string
let otherId: string
beforeAll(async () => {
  costs = fleet.use(await countCosts(fleet.bus))
  await fleet.start()
  const room = async () => (await fleet.room().channel(['ann', 'bob'])).roomId
  roomId = await room()
  otherId = await room()
})

const ann = () => fleet.as('ann')
const bob = () => fleet.as('bob')

test('HasUnread and RoomStates run one statement each', async () => {
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

test('GetRoomEvents runs one statement if profiles are cached', async () => {
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

test('UpdateMessage runs one statement to read, and one to change', async () => {
  const { id: eventId } = await say(ann(), roomId, 'first')
  const update = (body: string) => ann().messages.updateMessage({ roomId, eventId, body })
  await update('second')
  expect(await costs.of(() => update('third'))).toEqual({
    statements: ['read_changeable', 'edit_body_with_event'],
    requests: [],
  })
})

test('AddReaction and RemoveReaction run one statement to read, one to change', async () => {
  const { id: messageEventId } = await say(ann(), roomId, 'well')
  const reaction = (emoji: string) => ({ roomId, messageEventId, emoji })
  await bob().messages.addReaction(reaction('tada'))
  expect(await costs.of(() => bob().messages.addReaction(reaction('heart')))).toEqual({
    statements: ['read_changeable', 'add_reaction_with_event'],
    requests: [],
  })
  expect(await costs.of(() => bob().messages.removeReaction(reaction('heart')))).toEqual({
    statements: ['read_changeable', 'remove_reaction_with_event'],
    requests: [],
  })
})

test('MarkRoomAsRead runs one statement to read, one to change', async () => {
  const { id: upToEventId } = await say(ann(), roomId, 'last')
  expect(await costs.of(() => bob().rooms.markRoomAsRead({ roomId, upToEventId }))).toEqual({
    statements: ['read_place_in_room', 'mark_room_read'],
    requests: [],
  })
})

test('FollowThread, UnfollowThread and MarkThreadAsRead run one statement to read, one to change', async () => {
  const { id: threadRootEventId } = await say(ann(), roomId, 'root')
  const thread = { roomId, threadRootEventId }
  await say(ann(), roomId, 'reply', thread)
  for (const [call, statement] of [
    [() => bob().threads.followThread(thread), 'decide_following'],
    [() => bob().threads.unfollowThread(thread), 'decide_following'],
    [() => bob().threads.markThreadAsRead(thread), 'mark_thread_read'],
  ] as const)
    expect(await costs.of(call)).toEqual({ statements: ['read_place_in_thread', statement], requests: [] })
})
