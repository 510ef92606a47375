import { Code, ConnectError } from '@connectrpc/connect'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { eventually, recordEvents } from '@parley/testkit'
import { useFleet } from './_fleet.ts'
import type { RoomFeed } from './_room-feed.ts'

const fleet = useFleet({ processes: 2, outages: true })
let room: RoomFeed
beforeAll(async () => {
  room = await fleet.room().channel(['ann'])
})

const post = (body: string) => fleet.as('ann').messages.createMessage({ roomId: room.roomId, body })

const oneCallOfEach = (): Promise<unknown>[] => {
  const { roomId, facts } = room
  const ann = fleet.as('ann')
  return [
    post('x'),
    ann.messages.createMessage({ roomId, body: 'x', inReplyTo: 'Ex' }),
    ann.messages.getMessage({ roomId, eventId: 'Ex' }),
    ann.messages.batchGetMessages({ roomId, eventIds: ['Ex'] }),
    ann.rooms.getRoomEvents({ roomId }),
    ann.rooms.getRoomEventsAround({ roomId, eventId: 'Ex' }),
    fleet.messaging.applyRoomFacts({ roomId, facts }),
    fleet.messaging.roomStates({ userId: 'ann', roomIds: [roomId] }),
    fleet.messaging.hasUnread({ userId: 'ann' }),
  ]
}

const codesOf = async (calls: Promise<unknown>[]) =>
  (await Promise.allSettled(calls)).map((call) =>
    call.status === 'rejected' ? ConnectError.from(call.reason).code : 'ok',
  )

describe('without PostgreSQL', () => {
  test('posts, reads and facts fail with unavailable; posts and reads work again afterwards', async () => {
    await post('before')
    await fleet.database.stop()
    const codes = await codesOf(oneCallOfEach())
    expect(codes).toEqual(codes.map(() => Code.Unavailable))
    await fleet.database.start()
    await eventually(() => post('after'))
    expect(await codesOf([fleet.as('ann').rooms.getRoomEvents({ roomId: room.roomId })])).toEqual(['ok'])
  })
})

describe('without NATS', () => {
  test('posts fail with unavailable, and work again afterwards', async () => {
    await using recorded = await recordEvents(fleet.bus, `evt.room.${room.roomId}.message_posted.text`)
    const { message } = await post('just before')
    await fleet.nats.stop()
    expect(await codesOf([post('x')])).toEqual([Code.Unavailable])
    await fleet.nats.start()
    const again = await eventually(() => post('after'))
    await fleet.untilRelayed(room.roomId)
    await eventually(() => {
      const received = recorded.events.map(({ id }) => id)
      expect(received).toContain(message?.id)
      expect(received).toContain(again.message?.id)
    })
  })
})
