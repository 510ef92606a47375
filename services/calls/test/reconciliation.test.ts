import { beforeAll, expect, test } from '@jest/globals'
import { isNull, like } from 'drizzle-orm'
import { Code, ConnectError } from '@connectrpc/connect'
import { serveHttp, type Service } from '@parley/runtime'
import { eventually } from '@parley/testkit'
import { MediaServer } from '../src/engines/livekit/media-server.ts'
import { saveParticipants } from '../src/store/participants.ts'
import { callParticipants, calls } from '../src/store/schema.ts'
import { useEnv } from './_env.ts'

const env = useEnv({ compares: true })
let minutesAhead = 0
let services: Service[]

beforeAll(async () => {
  const now = () => new Date(Date.now() + minutesAhead * 60_000)
  services = await Promise.all([1, 2].map(() => env.start({}, { compareEveryMs: 120, now })))
})

const mediaRoomOf = async (roomId: string, userId: string) =>
  `server_${roomId}@${(await env.as(userId).getCallToken({ roomId })).callId}`
const published = (roomId: string) => env.messaging.eventsOf(roomId)

test('the comparison with the media server notices joins and leaves without a webhook', async () => {
  env.rooms.set('Rquiet', ['Ualice', 'Ubob'])
  await env.as('Ualice').joinCall({ roomId: 'Rquiet' })
  await env.connect('Ualice', 'Rquiet')
  await env.connect('Ubob', 'Rquiet')
  await eventually(async () => expect(await env.inCall('Rquiet', 'Ualice')).toEqual(['Ualice', 'Ubob']))
  env.livekit.disconnect('Ubob', await mediaRoomOf('Rquiet', 'Ualice'))
  await eventually(async () => expect(await env.inCall('Rquiet', 'Ualice')).toEqual(['Ualice']))
  env.livekit.disconnect('Ualice', await mediaRoomOf('Rquiet', 'Ualice'))
  await eventually(() =>
    expect(published('Rquiet').slice(2)).toEqual([
      'call_participant_joined Ubob reconciliation',
      'call_participant_left Ubob reconciliation',
      'call_participant_left Ualice reconciliation',
      'call_ended reconciliation',
    ]),
  )
})

test('the comparison removes people who are no longer members, without an event', async () => {
  env.rooms.set('Rroles', ['Ualice', 'Ubob'])
  for (const userId of ['Ualice', 'Ubob']) {
    await env.as(userId).joinCall({ roomId: 'Rroles' })
    await env.connect(userId, 'Rroles')
  }
  const mediaRoom = await mediaRoomOf('Rroles', 'Ualice')
  env.rooms.remove('Rroles', 'Ubob')
  await eventually(async () => expect(await env.inCall('Rroles', 'Ualice')).toEqual(['Ualice']))
  await eventually(() => expect([...(env.livekit.rooms.get(mediaRoom)?.participants.keys() ?? [])]).toEqual(['Ualice']))
  await eventually(() => expect(published('Rroles')).toContain('call_participant_left Ubob reconciliation'))
})

test('the comparison removes deactivated accounts, without an event, as soon as the accounts service is available', async () => {
  env.rooms.set('Rdeactivated', ['Ualice', 'Ubob'])
  for (const userId of ['Ualice', 'Ubob']) {
    await env.as(userId).joinCall({ roomId: 'Rdeactivated' })
    await env.connect(userId, 'Rdeactivated')
  }
  const mediaRoom = await mediaRoomOf('Rdeactivated', 'Ualice')
  let failed = 0
  env.accounts.beforeProfiles = () => {
    failed++
    throw new ConnectError('accounts is down', Code.Unavailable)
  }
  env.accounts.deactivated.add('Ubob')
  await eventually(() => expect(failed).toBeGreaterThan(2))
  const present = () => [...(env.livekit.rooms.get(mediaRoom)?.participants.keys() ?? [])]
  expect(present()).toEqual(['Ualice', 'Ubob'])
  env.accounts.beforeProfiles = undefined
  await eventually(async () => expect(await env.inCall('Rdeactivated', 'Ualice')).toEqual(['Ualice']))
  await eventually(() => expect(present()).toEqual(['Ualice']))
  env.accounts.deactivated.delete('Ubob')
})

test('while the rooms service fails, participants stay and the media server is not counted as failing', async () => {
  const countMediaFailures = async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${services[0]?.internalPort}/metrics`)).text()
    return /^parley_calls_media_server_failures_total(?:\{.*\})? (\d+)/m.exec(metrics)?.[1] ?? '0'
  }
  env.rooms.set('Rdown', ['Ualice'])
  await env.as('Ualice').joinCall({ roomId: 'Rdown' })
  await env.connect('Ualice', 'Rdown')
  const before = await countMediaFailures()
  let failed = 0
  env.rooms.beforeRecipients = ({ roomId }) => {
    if (roomId !== 'Rdown') return
    failed++
    throw new ConnectError('rooms is down', Code.Unavailable)
  }
  await eventually(() => expect(failed).toBeGreaterThan(2))
  env.rooms.beforeRecipients = undefined
  expect(await countMediaFailures()).toBe(before)
  expect(await env.inCall('Rdown', 'Ualice')).toEqual(['Ualice'])
  await env.as('Ualice').leaveCall({ roomId: 'Rdown' })
})

test('the comparison keeps a participant who has not connected yet, and removes one who takes too long', async () => {
  env.rooms.set('Rlost', ['Ualice', 'Ubob'])
  await env.as('Ualice').joinCall({ roomId: 'Rlost' })
  const requested = () => env.livekit.requests.filter(({ room }) => room.startsWith('server_Rlost@')).length
  await eventually(() => expect(requested()).toBeGreaterThan(2))
  expect(await env.inCall('Rlost', 'Ubob')).toEqual(['Ualice'])
  minutesAhead += 2
  await eventually(async () => expect(await env.inCall('Rlost', 'Ubob')).toBeUndefined())
  const ended = ['call_participant_left Ualice reconciliation', 'call_ended reconciliation']
  await eventually(() => expect(published('Rlost').slice(2)).toEqual(ended))
})

test('the comparison closes the room of an ended call at the media server, but no other room there', async () => {
  env.rooms.set('Rleft', ['Ualice'])
  await env.as('Ualice').joinCall({ roomId: 'Rleft' })
  const { token, callId } = await env.as('Ualice').getCallToken({ roomId: 'Rleft' })
  await env.as('Ualice').leaveCall({ roomId: 'Rleft' })
  const others = ['lobby', `other.server_Rleft@${callId}`, 'server_Rleft@Cunknown']
  for (const name of others) env.livekit.rooms.set(name, { sid: `RM_${name}`, name, participants: new Map() })
  await env.livekit.connect(token)
  await eventually(() => expect(env.livekit.rooms.has(`server_Rleft@${callId}`)).toBe(false))
  expect(others.filter((name) => env.livekit.rooms.has(name))).toEqual(others)
})

test('a 404 from a proxy of the media server is not mistaken for an empty room', async () => {
  await using proxy = await serveHttp({
    ...{ host: '127.0.0.1', port: 0 },
    handle: (_request, response) => response.writeHead(404).end('404 page not found'),
  })
  const { apiKey, apiSecret } = env.livekit
  const server = new MediaServer({ url: proxy.url, apiKey, apiSecret, serverId: undefined, webhookKeys: [] })
  await expect(server.listParticipants('server_R1@C1')).rejects.toThrow()
  await expect(server.removeParticipant('server_R1@C1', 'Ualice')).rejects.toThrow()
})

test('thousands of participants can be stored at once', async () => {
  env.rooms.set('Rcrowd', ['Ualice'])
  await env.as('Ualice').joinCall({ roomId: 'Rcrowd' })
  const [alice] = await env.db.select().from(callParticipants).where(isNull(callParticipants.leftAt))
  if (!alice) throw new Error('nobody is in the call')
  const crowd = Array.from({ length: 6_000 }, (_, n) => ({ ...alice, userId: `Ucrowd${n}`, leftAt: new Date() }))
  await env.db.transaction((tx) => saveParticipants(tx, crowd))
  expect(await env.db.$count(callParticipants, like(callParticipants.userId, 'Ucrowd%'))).toBe(6_000)
  await env.as('Ualice').leaveCall({ roomId: 'Rcrowd' })
})

test('every call is ended if the media server remains unavailable', async () => {
  env.rooms.set('Rdown', ['Ualice'])
  await env.as('Ualice').joinCall({ roomId: 'Rdown' })
  await env.connect('Ualice', 'Rdown')
  env.livekit.isUnavailable = true
  await eventually(() => expect(published('Rdown').at(-1)).toBe('call_ended reconciliation'))
  await eventually(async () => {
    const rows = await env.db.select().from(calls)
    expect(rows.every(({ endedAt, e2eeKey }) => endedAt !== null && e2eeKey === null)).toBe(true)
  })
})
