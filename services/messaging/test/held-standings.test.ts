import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { expect, test } from '@jest/globals'
import { useFleet } from './_fleet.ts'

const fleet = useFleet()

test('ApplyRoomFacts returns the room and the standings changed above a version', async () => {
  const room = fleet.room()
  const until = new Date('2100-01-01')
  await room.channel(['ann', 'bob', 'cyd'])
  const version = BigInt(room.facts.length)
  await room.ban('bob')
  await room.leave('cyd')
  await room.join('dan')
  await room.ban('eve', until)
  await room.ban('fay')
  await room.unban('fay')
  await room.archive()
  const list = (afterUserId = '') =>
    fleet.messaging.applyRoomFacts({ roomId: room.roomId, standings: { aboveVersion: version, afterUserId } })
  const rest = [
    { userId: 'eve', member: false, banned: true, banExpiresAt: timestampFromDate(until) },
    { userId: 'fay', member: false, banned: false },
  ]
  const { heldVersion, heldEventId, room: held } = await list()
  expect([heldVersion, heldEventId]).toEqual([BigInt(room.facts.length), room.facts.at(-1)?.eventId])
  expect(held).toMatchObject({
    ...{ name: 'tea', groupId: 'G1', universal: false, archived: true },
    standings: [
      { userId: 'bob', member: false, banned: true },
      { userId: 'cyd', member: false, banned: false },
      { userId: 'dan', member: true, banned: false },
      ...rest,
    ],
  })
  expect((await list('dan')).room?.standings).toMatchObject(rest)
})

test('ApplyRoomFacts returns version 0 and no room if the room is unknown', async () => {
  const { heldVersion, room } = await fleet.messaging.applyRoomFacts({ roomId: 'Rnone', standings: {} })
  expect([heldVersion, room]).toEqual([0n, undefined])
})
