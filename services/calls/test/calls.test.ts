import { Code } from '@connectrpc/connect'
import { beforeAll, expect, test } from '@jest/globals'
import { RoomKind } from '@parley/contracts/api'
import { RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'
import { fromBinary } from '@bufbuild/protobuf'
import { TokenVerifier } from 'livekit-server-sdk'
import { eventually } from '@parley/testkit'
import { calls } from '../src/store/schema.ts'
import { useEnv } from './_env.ts'

const env = useEnv()

beforeAll(() => env.start())

const published = (roomId: string) => env.messaging.eventsOf(roomId)

test('the first participant starts a call, others join it, the last ends it, and the room is notified', async () => {
  env.rooms.set('Rwhole', ['Ualice', 'Ubob'])
  const [alice, bob] = [env.as('Ualice'), env.as('Ubob')]
  await expect(alice.getActiveCall({ roomId: 'Rwhole' })).rejects.toMatchObject({ code: Code.NotFound })
  expect(await alice.joinCall({ roomId: 'Rwhole' })).toMatchObject({ joined: true })
  expect(await bob.joinCall({ roomId: 'Rwhole' })).toMatchObject({ joined: true })
  expect(await bob.joinCall({ roomId: 'Rwhole' })).toMatchObject({ joined: true })
  const { call } = await bob.getActiveCall({ roomId: 'Rwhole' })
  expect(call).toMatchObject({
    room: { id: 'Rwhole', kind: RoomKind.CHANNEL, name: 'general' },
    participants: [
      { user: { id: 'Ualice', displayName: 'Person Ualice' }, callId: call?.callId },
      { user: { id: 'Ubob' }, joinedAt: expect.anything(), callId: call?.callId },
    ],
  })
  const listed = await bob.listCallParticipants({ roomId: 'Rwhole' })
  expect(listed.participants.map(({ user }) => user?.id)).toEqual(['Ualice', 'Ubob'])

  expect(await alice.leaveCall({ roomId: 'Rwhole' })).toMatchObject({ left: true })
  expect(await alice.leaveCall({ roomId: 'Rwhole' })).toMatchObject({ left: true })
  expect(await env.inCall('Rwhole', 'Ubob')).toEqual(['Ubob'])
  expect(await bob.leaveCall({ roomId: 'Rwhole' })).toMatchObject({ left: true })
  expect(await env.inCall('Rwhole', 'Ubob')).toBeUndefined()
  expect((await bob.listCallParticipants({ roomId: 'Rwhole' })).participants).toEqual([])
  await eventually(() =>
    expect(published('Rwhole')).toEqual([
      'call_started user',
      'call_participant_joined Ualice user',
      'call_participant_joined Ubob user',
      'call_participant_left Ualice user',
      'call_participant_left Ubob user',
      'call_ended user',
    ]),
  )
  const ofTheRoom = env.messaging.events.filter(({ roomId }) => roomId === 'Rwhole')
  const received = ofTheRoom.map(({ envelope, eventId, actorId }) => {
    const { id, actorId: actor, event } = fromBinary(RealtimeEventEnvelopeSchema, envelope)
    expect({ id, actor }).toEqual({ id: eventId, actor: actorId })
    return [event.case, actor, event.value]
  })
  const value = expect.objectContaining({ roomId: 'Rwhole', callId: call?.callId, source: 1 })
  expect(received).toEqual([
    ['callStarted', 'Ualice', value],
    ['callParticipantJoined', 'Ualice', value],
    ['callParticipantJoined', 'Ubob', value],
    ['callParticipantLeft', 'Ualice', value],
    ['callParticipantLeft', 'Ubob', value],
    ['callEnded', 'Ubob', value],
  ])
  const versions = ofTheRoom.map(({ version }) => version)
  expect(versions).toEqual([...new Set(versions)].sort())
})

test('a token is valid for five minutes and one call; the call has one key, which is deleted when the call ends', async () => {
  env.rooms.set('Rtoken', ['Ualice', 'Ubob'])
  const alice = env.as('Ualice')
  await expect(alice.getCallToken({ roomId: 'Rtoken' })).rejects.toMatchObject({ code: Code.FailedPrecondition })
  await alice.joinCall({ roomId: 'Rtoken' })
  const { token, e2eeKey, callId } = await env.as('Ubob').getCallToken({ roomId: 'Rtoken' })
  const claims = await new TokenVerifier(env.livekit.apiKey, env.livekit.apiSecret).verify(token)
  expect(claims).toMatchObject({ sub: 'Ubob', name: 'Person Ubob' })
  expect(claims.video).toEqual({ roomJoin: true, room: `server_Rtoken@${callId}` })
  const metadata: unknown = JSON.parse(claims.metadata ?? '')
  expect(metadata).toEqual({ login: 'ubob', avatarUrl: 'https://chat.example.org/Ubob', callId })
  const { exp = 0, nbf = 0 } = claims as { exp?: number; nbf?: number }
  // The clock is read once for each of the two claims, and a second may end in between.
  expect([299, 300]).toContain(exp - nbf)
  expect(e2eeKey).toMatch(/^[A-Za-z0-9+/]{43}$/)
  expect(Buffer.from(e2eeKey, 'base64')).toHaveLength(32)
  expect((await alice.getCallToken({ roomId: 'Rtoken' })).e2eeKey).toBe(e2eeKey)

  await alice.leaveCall({ roomId: 'Rtoken' })
  const rows = await env.db.select().from(calls)
  expect(rows.find(({ id }) => id === callId)).toMatchObject({ e2eeKey: null, endedAt: expect.any(Date) })
  await alice.joinCall({ roomId: 'Rtoken' })
  const next = await alice.getCallToken({ roomId: 'Rtoken' })
  expect(next.callId).not.toBe(callId)
  expect(next.e2eeKey).not.toBe(e2eeKey)
})

test('only members of a room can join and see its call, also in archived rooms and direct messages', async () => {
  env.rooms.set('Rarchived', ['Ualice'], { archived: true })
  env.rooms.set('0dm', ['Ualice', 'Ubob'], { kind: RoomKind.DM, name: '' })
  const [alice, eve] = [env.as('Ualice'), env.as('Ueve')]
  for (const roomId of ['Rarchived', '0dm']) expect((await alice.joinCall({ roomId })).joined).toBe(true)
  const { token } = await env.as('Ubob').getCallToken({ roomId: '0dm' })
  const claims = await new TokenVerifier(env.livekit.apiKey, env.livekit.apiSecret).verify(token)
  expect(claims.video?.room).toMatch(/^DM_0dm@/)

  const { calls: mine } = await alice.listActiveCalls({})
  expect(mine.map(({ room }) => room?.id)).toEqual(expect.arrayContaining(['Rarchived', '0dm']))
  expect((await env.as('Ubob').listActiveCalls({})).calls.map(({ room }) => room?.id)).toContain('0dm')
  expect((await eve.listActiveCalls({})).calls).toEqual([])
  const requested = ['0dm', 'Rarchived', '0dm', 'Runknown']
  expect((await alice.batchGetActiveCalls({ roomIds: requested })).calls.map(({ room }) => room?.id)).toEqual([
    '0dm',
    'Rarchived',
  ])
  expect((await eve.batchGetActiveCalls({ roomIds: requested })).calls).toEqual([])

  for (const [roomId, code] of [
    ['0dm', Code.PermissionDenied],
    ['Runknown', Code.NotFound],
  ] as const)
    for (const refused of [
      eve.joinCall({ roomId }),
      eve.leaveCall({ roomId }),
      eve.getCallToken({ roomId }),
      eve.listCallParticipants({ roomId }),
      eve.getActiveCall({ roomId }),
    ])
      await expect(refused).rejects.toMatchObject({ code })
  await expect(alice.batchGetActiveCalls({ roomIds: [] })).rejects.toMatchObject({ code: Code.InvalidArgument })
})

test('a repeated join with the same key gets the same response, and does not join again', async () => {
  env.rooms.set('Rkeys', ['Ualice', 'Ubob'])
  const alice = env.as('Ualice')
  const headers = { 'Idempotency-Key': 'once' }
  const replayed: (string | null)[] = []
  const options = { headers, onHeader: (response: Headers) => replayed.push(response.get('Idempotency-Replayed')) }
  expect((await alice.joinCall({ roomId: 'Rkeys' }, options)).joined).toBe(true)
  await alice.leaveCall({ roomId: 'Rkeys' })
  expect((await alice.joinCall({ roomId: 'Rkeys' }, options)).joined).toBe(true)
  expect(replayed).toEqual([null, 'true'])
  expect(await env.inCall('Rkeys', 'Ualice')).toBeUndefined()
  await expect(alice.joinCall({ roomId: '0dm' }, { headers })).rejects.toMatchObject({ code: Code.InvalidArgument })
  expect((await env.as('Ubob').joinCall({ roomId: 'Rkeys' }, { headers })).joined).toBe(true)
  expect(await env.inCall('Rkeys', 'Ualice')).toEqual(['Ubob'])
})

test('a user whose membership ends while they join is refused and does not stay in the call', async () => {
  env.rooms.set('Rban', ['Ualice', 'Ubob'])
  await env.as('Ubob').joinCall({ roomId: 'Rban' })
  let requested = 0
  env.rooms.beforeAccess = ({ roomId, userId }) => {
    if (roomId === 'Rban' && userId === 'Ualice' && ++requested === 2) env.rooms.remove(roomId, userId)
  }
  const join = () => env.as('Ualice').joinCall({ roomId: 'Rban' }, { headers: { 'Idempotency-Key': 'banned' } })
  await expect(join()).rejects.toMatchObject({ code: Code.PermissionDenied })
  env.rooms.beforeAccess = undefined
  await expect(join()).rejects.toMatchObject({ code: Code.PermissionDenied })
  expect(await env.inCall('Rban', 'Ubob')).toEqual(['Ubob'])
})
