import { beforeAll, expect, test } from '@jest/globals'
import { eventually, requestErasure } from '@parley/testkit'
import { callParticipants, idempotentCalls, mediaChores } from '../src/store/schema.ts'
import { useEnv } from './_env.ts'

const env = useEnv()

beforeAll(async () => {
  env.livekit.webhookUrl = `${(await env.start()).url}/webhooks/livekit`
})

const joinAndConnect = async (roomId: string, userIds: string[]) => {
  env.rooms.set(roomId, userIds)
  for (const userId of userIds) {
    await env.as(userId).joinCall({ roomId })
    await env.connect(userId, roomId)
  }
  await env.livekit.waitUntilSent()
}
const atMediaServer = (roomId: string) =>
  [...env.livekit.rooms.values()]
    .filter(({ name }) => name.startsWith(`server_${roomId}@`))
    .flatMap(({ participants }) => [...participants.keys()])

test.each([
  { how: 'leaves the room', kind: 'user_left_room', fact: 'left' },
  { how: 'is banned from the room', kind: 'member_banned', fact: 'banned' },
] as const)('a person who $how is removed from the call and the media server', async ({ kind, fact }) => {
  const roomId = `R${fact}`
  await joinAndConnect(roomId, ['Ualice', 'Ubob'])
  env.rooms.remove(roomId, 'Ualice')
  await env.announce(kind, roomId, { case: fact, value: { userId: 'Ualice' } })
  await eventually(async () => expect(await env.inCall(roomId, 'Ubob')).toEqual(['Ubob']))
  await eventually(() => expect(atMediaServer(roomId)).toEqual(['Ubob']))

  env.rooms.remove(roomId, 'Ubob')
  await env.announce(kind, roomId, { case: fact, value: { userId: 'Ubob' } })
  await eventually(() =>
    expect(env.messaging.eventsOf(roomId).slice(3)).toEqual([
      'call_participant_left Ualice user',
      'call_participant_left Ubob user',
      'call_ended user',
    ]),
  )
  await eventually(() => expect(atMediaServer(roomId)).toEqual([]))
})

test('a late event does not remove somebody who is a member again', async () => {
  await joinAndConnect('Rback', ['Ualice', 'Ubob'])
  await env.announce('user_left_room', 'Rback', { case: 'left', value: { userId: 'Ualice' } })
  env.rooms.remove('Rback', 'Ubob')
  await env.announce('user_left_room', 'Rback', { case: 'left', value: { userId: 'Ubob' } })
  await eventually(async () => expect(await env.inCall('Rback', 'Ualice')).not.toContain('Ubob'))
  expect(await env.inCall('Rback', 'Ualice')).toEqual(['Ualice'])
})

test('when a room is no longer universal, those who were members only because it was universal leave its call', async () => {
  await joinAndConnect('Runiversal', ['Ualice', 'Ubob'])
  env.rooms.remove('Runiversal', 'Ubob')
  await env.announce('room_universal_changed', 'Runiversal', { case: 'universal', value: { universal: false } })
  await eventually(async () => expect(await env.inCall('Runiversal', 'Ualice')).toEqual(['Ualice']))
  await eventually(() => expect(atMediaServer('Runiversal')).toEqual(['Ualice']))
})

test('a deactivated account leaves its call; a signed-out one stays', async () => {
  await joinAndConnect('Rone', ['Uerna', 'Ualice'])
  await env.announceSessionsEnded('Ualice', 'logout')
  await env.announceSessionsEnded('Uerna', 'account_deactivated')
  await eventually(async () => {
    expect(await env.inCall('Rone', 'Ualice')).toEqual(['Ualice'])
    expect(atMediaServer('Rone')).toEqual(['Ualice'])
  })
})

test('an old token does not let a deactivated account return; a new one does after the reactivation', async () => {
  await joinAndConnect('Rlocked', ['Ufiona', 'Ualice'])
  const { token } = await env.as('Ufiona').getCallToken({ roomId: 'Rlocked' })
  env.accounts.deactivated.add('Ufiona')
  await env.announceSessionsEnded('Ufiona', 'account_deactivated')
  await eventually(() => expect(atMediaServer('Rlocked')).toEqual(['Ualice']))
  await env.livekit.connect(token)
  await env.livekit.waitUntilSent()
  await eventually(() => expect(atMediaServer('Rlocked')).toEqual(['Ualice']))
  expect(await env.inCall('Rlocked', 'Ualice')).toEqual(['Ualice'])
  env.accounts.deactivated.delete('Ufiona')
  await env.connect('Ufiona', 'Rlocked')
  await eventually(async () => expect(await env.inCall('Rlocked', 'Ualice')).toEqual(['Ualice', 'Ufiona']))
})

test('a deleted account leaves every call; after its erasure, even a late webhook restores no data', async () => {
  await joinAndConnect('Rone', ['Udora', 'Ualice'])
  await joinAndConnect('Rtwo', ['Udora', 'Ualice'])
  await env.as('Udora').joinCall({ roomId: 'Rone' }, { headers: { 'Idempotency-Key': 'hers' } })
  for (const roomId of ['Rone', 'Rtwo']) env.rooms.remove(roomId, 'Udora')
  await env.announceDeletion('Udora')
  for (const roomId of ['Rone', 'Rtwo'])
    await eventually(async () => {
      expect(await env.inCall(roomId, 'Ualice')).toEqual(['Ualice'])
      expect(atMediaServer(roomId)).toEqual(['Ualice'])
    })
  await eventually(async () => expect(await env.db.select().from(mediaChores)).toEqual([]))
  await env.livekit.waitUntilSent()
  await requestErasure(env.bus, 'Udora', 1)
  await eventually(() => expect(env.erasures.found('Udora', 1)).toBe(3n))
  await requestErasure(env.bus, 'Udora', 2)
  await eventually(() => expect(env.erasures.found('Udora', 2)).toBe(0n))
  const { webhookUrl = '', events } = env.livekit
  const gone = events.findLast(
    ({ event, participant }) => event === 'participant_left' && participant?.identity === 'Udora',
  )
  if (!gone) throw new Error('no event reports that Udora left')
  expect(await env.livekit.send(webhookUrl, { ...gone, id: 'EV_late' })).toBe(200)
  const remaining = [
    ...(await env.db.select().from(callParticipants)),
    ...(await env.db.select().from(idempotentCalls)),
  ]
  expect(JSON.stringify(remaining, (_, value: unknown) => (typeof value === 'bigint' ? null : value))).not.toContain(
    'Udora',
  )
})

test('even without a deletion event, an erasure removes a person from calls, and an old token does not let them return', async () => {
  await joinAndConnect('Rlast', ['Uerased', 'Ualice'])
  const { token } = await env.as('Uerased').getCallToken({ roomId: 'Rlast' })
  await requestErasure(env.bus, 'Uerased', 1)
  await eventually(() => expect(env.erasures.found('Uerased', 1)).toBeDefined())
  expect(await env.inCall('Rlast', 'Ualice')).toEqual(['Ualice'])
  await eventually(() => expect(atMediaServer('Rlast')).toEqual(['Ualice']))
  // The token still admits to the media room, and rooms may not know of the deletion yet.
  await env.livekit.connect(token)
  await env.livekit.waitUntilSent()
  await eventually(() => expect(atMediaServer('Rlast')).toEqual(['Ualice']))
  expect(await env.inCall('Rlast', 'Ualice')).toEqual(['Ualice'])
})
