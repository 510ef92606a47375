import { fromBinary } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { EventBatchSchema } from '@parley/contracts/internal'
import { eventSubject, eventStream } from '@parley/events'
import { startFleet } from './_fleet.ts'

test('await_stream waits until the event is on the stream', async () => {
  await using fleet = await startFleet({ processes: 2 })
  const room = await fleet.room().channel(['ann'])
  const subject = eventSubject({ aggregateType: 'room', aggregateId: room.roomId, kind: 'user_left_room' })
  const streams = (await fleet.bus.nc.jetstreamManager()).streams
  for (let n = 0; n < 40; n++) {
    room.add({ case: 'joined', value: { userId: 'bob' } })
    await room.leave('bob')
    const stored = await streams.getMessage(eventStream, { last_by_subj: subject })
    expect(fromBinary(EventBatchSchema, stored.data).events.at(-1)?.id).toBe(room.facts.at(-1)?.eventId)
  }
})

test('without the stream, await_stream applies the facts and fails with unavailable; a retry waits again', async () => {
  const waits: bigint[][] = []
  let isDown = true
  const waitUntilStored = async (entries: readonly bigint[]) => {
    waits.push([...entries])
    if (isDown) throw new ConnectError('the event stream is not available; try again', Code.Unavailable)
  }
  await using fleet = await startFleet({ relay: { wake: () => undefined, waitUntilStored } })
  const room = fleet.room()
  const unavailable = { code: Code.Unavailable }
  await expect(room.channel(['ann', 'bob'])).rejects.toMatchObject(unavailable)
  expect((await fleet.as('bob').rooms.getRoomEvents({ roomId: room.roomId })).page?.events).toHaveLength(3)
  await expect(room.deliver()).rejects.toMatchObject(unavailable)
  isDown = false
  await room.deliver()
  expect(waits).toHaveLength(3)
  expect(new Set(waits.map(([entry]) => entry)).size).toBe(1)
  await fleet.messaging.applyRoomFacts({ roomId: room.roomId, facts: room.facts })
  expect(waits).toHaveLength(3)
})
