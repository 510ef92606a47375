import { fromBinary } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { TypingHintSchema, type TypingHint } from '@parley/contracts/internal'
import { typingHints, typingHintSubject } from '@parley/events'
import { beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { useFleet } from './_fleet.ts'

const fleet = useFleet()
const hints: (TypingHint & { subject: string })[] = []
beforeAll(async () => {
  fleet.bus.nc.subscribe(typingHints, {
    callback: (_, { data, subject }) => hints.push({ ...fromBinary(TypingHintSchema, data), subject }),
  })
  await fleet.bus.nc.flush()
})

const type = (userId: string, roomId: string, threadRootEventId = '') =>
  fleet.as(userId).rooms.updateTypingIndicator({ roomId, threadRootEventId })
const hintsOf = (roomId: string) =>
  eventually(() => {
    const found = hints.filter((hint) => hint.roomId === roomId)
    return found.length > 0 && found
  })

test('typing in a channel or a thread is announced', async () => {
  const { roomId } = await fleet.room().channel(['ann'])
  expect(await type('ann', roomId)).toMatchObject({ updated: true })
  await type('ann', roomId, 'Eany')
  await eventually(() => hints.filter((hint) => hint.roomId === roomId).length === 2)
  const about = { subject: typingHintSubject(roomId), roomId, userId: 'ann', dmParticipantIds: [] }
  expect(await hintsOf(roomId)).toMatchObject([
    { ...about, threadRootEventId: '' },
    { ...about, threadRootEventId: 'Eany' },
  ])
})

test('typing in a direct message is announced with its participants', async () => {
  const { roomId } = await fleet.room().dm(['ann', 'bob'])
  await type('bob', roomId)
  expect(await hintsOf(roomId)).toMatchObject([{ userId: 'bob', dmParticipantIds: ['ann', 'bob'] }])
})

test('only members may type, also in archived and universal rooms', async () => {
  const room = await fleet.room().channel(['ann'])
  const { roomId } = room
  await expect(type('eve', roomId)).rejects.toMatchObject({ code: Code.PermissionDenied })
  await expect(type('ann', 'Rnothing')).rejects.toMatchObject({ code: Code.NotFound })
  await expect(type('ann', roomId, 'x'.repeat(65))).rejects.toMatchObject({ code: Code.InvalidArgument })
  await room.setUniversal(true)
  await type('eve', roomId)
  await room.ban('eve')
  await expect(type('eve', roomId)).rejects.toMatchObject({ code: Code.PermissionDenied })
  await room.archive()
  await type('ann', roomId)
  await eventually(() => hints.filter((hint) => hint.roomId === roomId).length === 2)
  expect((await hintsOf(roomId)).map(({ userId }) => userId)).toEqual(['eve', 'ann'])
})

test('typing adds nothing to the outbox', async () => {
  const { roomId } = await fleet.room().channel(['ann'])
  await fleet.untilRelayed(roomId)
  const count = async () => (await fleet.pool.query<{ n: bigint }>('select count(*) as n from outbox')).rows[0]?.n
  const before = await count()
  await type('ann', roomId)
  await hintsOf(roomId)
  expect(await count()).toEqual(before)
})
