import { beforeAll, expect, test } from '@jest/globals'
import type { Service } from '@parley/runtime'
import { eventually } from '@parley/testkit'
import { signWebhook, type FakeLivekitEvent } from '@parley/testkit/livekit'
import { mediaChores } from '../src/store/schema.ts'
import { useEnv } from './_env.ts'

const env = useEnv()
let service: Service
let hook: string

const webhookKeys = { apiKey: 'hooks', apiSecret: 'the secret of webhooks and of nothing else' }

beforeAll(async () => {
  service = await env.start({
    PARLEY_LIVEKIT_WEBHOOK_API_KEY: webhookKeys.apiKey,
    PARLEY_LIVEKIT_WEBHOOK_API_SECRET: webhookKeys.apiSecret,
  })
  hook = `${service.url}/webhooks/livekit`
  env.livekit.webhookUrl = hook
})

const post = async (body: string, authorization?: string) => {
  const headers = authorization === undefined ? {} : { authorization }
  const response = await fetch(hook, { method: 'POST', body, headers })
  return { status: response.status, body: await response.json() }
}
const signed = (body: string, keys = webhookKeys) => signWebhook(keys, body)

const mediaRoomOf = async (roomId: string, userId: string) => {
  const { callId } = await env.as(userId).getCallToken({ roomId })
  return `server_${roomId}@${callId}`
}

test('webhooks add and remove participants', async () => {
  env.rooms.set('Rhooks', ['Ualice', 'Ubob'])
  await env.as('Ualice').joinCall({ roomId: 'Rhooks' })
  const mediaRoom = await mediaRoomOf('Rhooks', 'Ualice')
  await env.connect('Ualice', 'Rhooks')
  await env.connect('Ubob', 'Rhooks')
  await env.livekit.waitUntilSent()
  expect(await env.inCall('Rhooks', 'Ualice')).toEqual(['Ualice', 'Ubob'])

  // Reconnecting is not leaving.
  await env.connect('Ubob', 'Rhooks')
  await env.livekit.waitUntilSent()
  expect(await env.inCall('Rhooks', 'Ualice')).toEqual(['Ualice', 'Ubob'])
  env.livekit.disconnect('Ubob', mediaRoom)
  await env.livekit.waitUntilSent()
  expect(await env.inCall('Rhooks', 'Ualice')).toEqual(['Ualice'])
  env.livekit.disconnect('Ualice', mediaRoom)
  await env.livekit.waitUntilSent()
  expect(await env.inCall('Rhooks', 'Ualice')).toBeUndefined()
  await eventually(() =>
    expect(env.messaging.eventsOf('Rhooks')).toEqual([
      'call_started user',
      'call_participant_joined Ualice user',
      'call_participant_joined Ubob livekit',
      'call_participant_left Ubob livekit',
      'call_participant_left Ualice livekit',
      'call_ended livekit',
    ]),
  )
})

test('the end of a call closes its room at the media server, even if a late participant opens it again', async () => {
  env.rooms.set('Rlate', ['Ualice'])
  await env.as('Ualice').joinCall({ roomId: 'Rlate' })
  const { token, callId } = await env.as('Ualice').getCallToken({ roomId: 'Rlate' })
  await env.livekit.connect(token)
  await env.as('Ualice').leaveCall({ roomId: 'Rlate' })
  const mediaRoom = `server_Rlate@${callId}`
  await eventually(() => expect(env.livekit.rooms.has(mediaRoom)).toBe(false))
  await env.livekit.connect(token)
  await env.livekit.waitUntilSent()
  await eventually(() => expect(env.livekit.rooms.has(mediaRoom)).toBe(false))
  expect(await env.inCall('Rlate', 'Ualice')).toBeUndefined()
})

test('a banned participant who connects with an earlier token is removed', async () => {
  env.rooms.set('Rbanned', ['Ualice', 'Ubob'])
  await env.as('Ualice').joinCall({ roomId: 'Rbanned' })
  const { token } = await env.as('Ubob').getCallToken({ roomId: 'Rbanned' })
  env.rooms.remove('Rbanned', 'Ubob')
  const mediaRoom = await mediaRoomOf('Rbanned', 'Ualice')
  await env.livekit.connect(token)
  await env.livekit.waitUntilSent()
  await eventually(() =>
    expect(env.livekit.requests).toContainEqual({ method: 'RemoveParticipant', room: mediaRoom, identity: 'Ubob' }),
  )
  expect(await env.inCall('Rbanned', 'Ualice')).toEqual(['Ualice'])
  expect(env.messaging.eventsOf('Rbanned')).not.toContain('call_participant_joined Ubob livekit')
})

const roomFinished = (mediaRoom: string, id: string, secondsAgo: number): FakeLivekitEvent => ({
  ...{ event: 'room_finished', id, createdAt: String(Math.trunc(Date.now() / 1000) - secondsAgo) },
  room: { sid: env.livekit.rooms.get(mediaRoom)?.sid ?? '', name: mediaRoom },
})

test('a room closed by the media server ends the call, even for people who are about to connect', async () => {
  env.rooms.set('Rclosed', ['Ualice', 'Ubob'])
  await env.as('Ualice').joinCall({ roomId: 'Rclosed' })
  await env.connect('Ualice', 'Rclosed')
  const mediaRoom = await mediaRoomOf('Rclosed', 'Ualice')
  await env.livekit.waitUntilSent()
  await env.as('Ubob').joinCall({ roomId: 'Rclosed' })
  expect(await env.livekit.send(hook, roomFinished(mediaRoom, 'EV_closed', 0))).toBe(200)
  expect(await env.inCall('Rclosed', 'Ubob')).toBeUndefined()
  await eventually(() => expect(env.messaging.eventsOf('Rclosed').at(-1)).toBe('call_ended livekit'))
})

test('a late report that the media server closed a room does not end the call of a person who has joined since', async () => {
  env.rooms.set('Rlater', ['Ualice', 'Ubob'])
  await env.as('Ualice').joinCall({ roomId: 'Rlater' })
  await env.connect('Ualice', 'Rlater')
  const mediaRoom = await mediaRoomOf('Rlater', 'Ualice')
  await env.livekit.waitUntilSent()
  await env.as('Ubob').joinCall({ roomId: 'Rlater' })
  const late = roomFinished(mediaRoom, 'EV_late', 5)
  env.livekit.rooms.delete(mediaRoom)
  expect(await env.livekit.send(hook, late)).toBe(200)
  expect(await env.inCall('Rlater', 'Ubob')).toEqual(['Ubob'])
  await env.as('Ubob').leaveCall({ roomId: 'Rlater' })
  expect(await env.inCall('Rlater', 'Ubob')).toBeUndefined()
})

const atMediaServer = (mediaRoom: string) => [...(env.livekit.rooms.get(mediaRoom)?.participants.keys() ?? [])].sort()

test('requests that failed during an outage of the media server are repeated', async () => {
  env.rooms.set('Raway', ['Ualice', 'Ubob'])
  for (const userId of ['Ualice', 'Ubob']) {
    await env.as(userId).joinCall({ roomId: 'Raway' })
    await env.connect(userId, 'Raway')
  }
  const mediaRoom = await mediaRoomOf('Raway', 'Ubob')
  env.livekit.isUnavailable = true
  await env.as('Ualice').leaveCall({ roomId: 'Raway' })
  expect(atMediaServer(mediaRoom)).toEqual(['Ualice', 'Ubob'])
  env.livekit.isUnavailable = false
  await eventually(() => expect(atMediaServer(mediaRoom)).toEqual(['Ubob']))
  await env.as('Ubob').leaveCall({ roomId: 'Raway' })
})

test('a person who returned before the removal reached the media server stays', async () => {
  env.rooms.set('Rback', ['Ualice', 'Ubob'])
  for (const userId of ['Ualice', 'Ubob']) {
    await env.as(userId).joinCall({ roomId: 'Rback' })
    await env.connect(userId, 'Rback')
  }
  const mediaRoom = await mediaRoomOf('Rback', 'Ubob')
  env.livekit.isUnavailable = true
  await env.as('Ualice').leaveCall({ roomId: 'Rback' })
  await env.as('Ualice').joinCall({ roomId: 'Rback' })
  await env.connect('Ualice', 'Rback')
  // The outage lasts until the removal is dropped as obsolete: a removal that is already running must not succeed.
  await eventually(async () => expect(await env.db.select().from(mediaChores)).toEqual([]))
  env.livekit.isUnavailable = false
  expect(atMediaServer(mediaRoom)).toEqual(['Ualice', 'Ubob'])
  for (const userId of ['Ualice', 'Ubob']) await env.as(userId).leaveCall({ roomId: 'Rback' })
})

test('only webhooks signed with one of the two key pairs are accepted; other requests are refused', async () => {
  const event = JSON.stringify({ event: 'room_started', id: 'EV_1', room: { name: 'server_R1@C1', sid: 'RM_1' } })
  const own = await signed(event)
  const ignored = { status: 200, body: { taken: false } }
  expect(await post(own.body, own.authorization)).toEqual(ignored)
  expect(await post(event, (await signed(event, env.livekit)).authorization)).toEqual(ignored)

  const unsigned = { status: 401, body: { error: 'the webhook is not signed with a key of this server' } }
  const otherSecret = { ...webhookKeys, apiSecret: 'another secret of the same length, about' }
  for (const authorization of [
    undefined,
    '',
    'no token',
    own.authorization.slice(0, -3),
    (await signed(`${event} `)).authorization,
    (await signed(event, otherSecret)).authorization,
    (await signed(event, { ...webhookKeys, apiKey: 'others' })).authorization,
  ])
    expect(await post(event, authorization)).toEqual(unsigned)

  for (const garbage of ['', 'no json', '[]', '{"event":7}']) {
    const { authorization } = await signed(garbage)
    expect((await post(garbage, authorization)).status).toBe(400)
  }
  const large = `{"event":"${'x'.repeat(65_536)}"}`
  expect((await post(large, (await signed(large)).authorization)).status).toBe(413)
  const unannounced = new Blob([large]).stream()
  expect((await fetch(hook, { method: 'POST', body: unannounced, duplex: 'half' })).status).toBe(413)
  expect((await fetch(hook)).status).toBe(405)
  expect((await fetch(`${service.url}/webhooks/other`)).status).toBe(404)
})

test('webhooks about recorders, unknown rooms and rooms of other servers are ignored', async () => {
  env.rooms.set('Rours', ['Ualice'])
  await env.as('Ualice').joinCall({ roomId: 'Rours' })
  const mediaRoom = await mediaRoomOf('Rours', 'Ualice')
  const participant = { sid: 'PA_x', identity: 'Ualice', name: '', metadata: '', state: 'ACTIVE' as const }
  const joined = { event: 'participant_joined', createdAt: '1', participant: { ...participant, joinedAt: '1' } }
  for (const [n, name] of [
    `other.${mediaRoom}`,
    mediaRoom.replace('Rours', 'Rtheirs'),
    mediaRoom.replace(/@.*/, '@Cunknown'),
    'lobby',
  ].entries()) {
    const body = JSON.stringify({ ...joined, id: `EV_other${n}`, room: { name, sid: 'RM_x' } })
    const { authorization } = await signed(body)
    expect(await post(body, authorization)).toEqual({ status: 200, body: { taken: false } })
  }
  const recorder = { ...joined, id: 'EV_recorder', participant: { ...joined.participant, kind: 'EGRESS' } }
  const body = JSON.stringify({ ...recorder, room: { name: mediaRoom, sid: 'RM_x' } })
  expect(await post(body, (await signed(body)).authorization)).toEqual({ status: 200, body: { taken: false } })
})
