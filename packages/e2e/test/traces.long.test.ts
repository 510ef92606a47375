import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createParleyClient } from '@parley/client'
import { AdminUserService } from '@parley/contracts/admin'
import {
  AssetUploadService,
  MessageService,
  MyAccountService,
  PushNotificationService,
  RoomService,
  VoiceCallService,
} from '@parley/contracts/api'
import { deployableNames } from '@parley/contracts/deployables'
import { eventually, type ReceivedSpan } from '@parley/testkit'
import { signIn, type Person } from '../src/people.ts'
import { lobbyId } from '../src/rooms.ts'
import { Socket } from '@parley/testkit/realtime-socket'
import { startTracedFleet, type TracedFleet } from '../src/traced-fleet.ts'

const owner = { login: 'olga.unmistakable', password: 'the owner whom all traces show' }
const invited = {
  ...{ login: 'bob.unmistakable', displayName: 'Bob Distinctive', email: 'bob@distinctive.example' },
  password: 'a password that nobody logs',
}
const mailedTo = 'carol@distinctive.example'
const written = {
  ...{ body: 'unspeakable salutations', room: 'unspeakable-room' },
  ...{ filename: 'unspeakable-notes.txt', content: 'unspeakable content' },
}

const client = { trace: randomBytes(16).toString('hex'), span: randomBytes(8).toString('hex') }
const traceparent = `00-${client.trace}-${client.span}-01`

let traced: TracedFleet
let olga: Person
let bob: Person
let urlCredential = ''

beforeAll(async () => {
  traced = await startTracedFleet(owner)
  const base = traced.fleet.url
  olga = await signIn(owner, base)
  await olga.call(MyAccountService.method.updateProfile, { displayName: 'Olga Distinctive' }, { base })
  await olga.call(AdminUserService.method.createUser, invited, { base })
  bob = await signIn(invited, base)
  await bob.call(PushNotificationService.method.subscribe, traced.pushService.subscribe('phone'), { base })
  await causeTracedActions()
  await traced.stop()
})
afterAll(async () => traced[Symbol.asyncDispose]())

async function causeTracedActions(): Promise<void> {
  const base = traced.fleet.url
  const groupId = await lobbyId(olga, { base })
  const { room } = await olga.call(RoomService.method.createRoom, { name: written.room, groupId }, { base })
  const roomId = room?.id ?? ''
  await bob.call(RoomService.method.joinRoom, { roomId }, { base })
  using socket = await Socket.subscribe(base, bob.token)
  const assetId = await upload(base, roomId)

  const headers = { traceparent }
  // OpenTelemetry's instrumentation of `fetch` would add this header.
  const withTrace: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), traceparent } })
  const sdk = createParleyClient({ baseUrl: base, token: olga.token, fetch: withTrace })
  const body = `${written.body} @${bob.login}`
  const request = { roomId, body, attachmentAssetIds: [assetId] }
  const { message } = await sdk.api.message.createMessage(request)
  await olga.call(VoiceCallService.method.joinCall, { roomId }, { base, headers })
  await olga.call(AdminUserService.method.createInvite, { email: mailedTo }, { base, headers })
  await download(base, { roomId, eventId: message?.id ?? '' })
  await socket.waitForMessage(message?.id ?? '')
  await socket.waitFor(({ event }) => event.case === 'callStarted')
  await eventually(() => expect(traced.pushService.receivedBy('phone')).toHaveLength(1))
  // Waits for the audit log too, which consumes all events.
  await eventually(() => expect(kindsOf('process admin-audit')).toEqual(expect.arrayContaining(['consumer'])))
  await eventually(() => expect(traced.collector.metrics.length).toBeGreaterThan(0))
}

async function download(base: string, message: { roomId: string; eventId: string }): Promise<void> {
  const shown = await bob.call(MessageService.method.getMessage, message, { base })
  const { pathname, search, searchParams } = new URL(shown.message?.attachments[0]?.assetUrl?.url ?? '')
  urlCredential = searchParams.get('access') ?? ''
  const answer = await fetch(`${base}${pathname}${search}`, { headers: { traceparent } })
  expect([answer.status, await answer.text()]).toEqual([200, written.content])
}

async function upload(base: string, roomId: string): Promise<string> {
  const content = Buffer.from(written.content)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const { createUpload, uploadChunk, completeUpload } = AssetUploadService.method
  const about = { roomId, filename: written.filename, contentType: 'text/plain', size: BigInt(content.length), sha256 }
  const uploadId = (await olga.call(createUpload, about, { base })).upload?.uploadId ?? ''
  await olga.call(uploadChunk, { uploadId, offset: 0n, content, chunkSha256: sha256 }, { base })
  return (await olga.call(completeUpload, { uploadId }, { base })).asset?.id ?? ''
}

const spans = (): ReceivedSpan[] => traced.collector.spans.filter(({ traceId }) => traceId === client.trace)
const kindsOf = (name: string): string[] => spans().flatMap((span) => (span.name === name ? [span.kind] : []))

test('the trace has spans of all nine deployables', () => {
  const services = new Set(spans().map(({ service }) => service))
  expect([...services].sort()).toEqual([...deployableNames].sort())
})

test('the parent of every span is in the trace too', () => {
  const known = new Set(spans().map(({ spanId }) => spanId))
  const orphans = spans().filter(({ parentSpanId = '' }) => parentSpanId !== client.span && !known.has(parentSpanId))
  expect(orphans.map(({ service, name, parentSpanId }) => ({ service, name, parentSpanId }))).toEqual([])
})

test.each([
  ['gateway', 'svc.api.v1.MessageService/CreateMessage', 'server'],
  ['gateway', 'svc.api.v1.MessageService/CreateMessage', 'client'],
  ['messaging', 'svc.api.v1.MessageService/CreateMessage', 'server'],
  ['accounts', 'svc.internal.v1.AccountsInternalService/ResolveHandles', 'server'],
  ['uploads', 'svc.internal.v1.UploadsInternalService/ClaimAssets', 'server'],
  ['messaging', 'append_posts', 'client'],
  ['messaging', 'publish EVENTS', 'producer'],
  ['notifications', 'process notifications-rooms', 'consumer'],
  ['rooms', 'svc.internal.v1.RoomsInternalService/ListRecipients', 'server'],
  ['notifications', 'POST push', 'client'],
  ['realtime', 'deliver to sockets', 'consumer'],
  ['admin', 'process admin-audit', 'consumer'],
  ['calls', 'hand over events', 'internal'],
  ['accounts', 'send mail', 'client'],
  ['accounts', 'MGET', 'client'],
])('%s has the span %s', (service, name, kind) => {
  const own = spans().filter((span) => span.service === service)
  expect(own.map((span) => [span.name, span.kind])).toContainEqual([name, kind])
})

test('the trace contains the deliveries to sockets', () => {
  const delivered = spans().filter(({ name }) => name === 'deliver to sockets')
  expect(delivered.map(({ attributes }) => attributes['parley.event.kind'])).toEqual(
    expect.arrayContaining(['message_posted', 'notification_created', 'people_called', 'call_started']),
  )
})

test('a download has spans of the gateway, of uploads and of its database', () => {
  const named = (name: string, service: string) =>
    spans().find((span) => span.name === name && span.service === service)
  const front = named('GET /assets/*', 'gateway')
  const behind = named('GET /assets/files/{asset}', 'uploads')
  expect(front).toMatchObject({ kind: 'server', parentSpanId: client.span })
  expect(behind).toMatchObject({ kind: 'server', parentSpanId: front?.spanId })
  expect(behind?.attributes).toMatchObject({ 'http.request.method': 'GET', 'http.response.status_code': 200 })
  const statements = spans().filter(({ parentSpanId }) => parentSpanId === behind?.spanId)
  expect(statements.map(({ attributes }) => attributes['db.system.name'])).toContain('postgresql')
})

test('log lines about sign-ins and a new account have the trace ids of the requests', () => {
  const lines = traced
    .logText()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, string>] : []))
  const requests = new Set(traced.collector.spans.map(({ traceId }) => traceId))
  const about = lines.filter(
    ({ msg, userId }) => msg === 'signed in' || (msg === 'account created' && userId === bob.userId),
  )
  expect(about).toHaveLength(3)
  expect(about.filter(({ trace_id = '' }) => !requests.has(trace_id))).toEqual([])
})

describe('no trace, metric or log line contains', () => {
  const endpoint = () => new URL(traced.pushService.subscribe('phone').endpoint).pathname
  test.each<[string, () => string]>([
    ['the body of a message', () => written.body],
    ['the name of a file', () => written.filename],
    ['the title of a room', () => written.room],
    ['the login of a person', () => 'unmistakable'],
    ['the display name of a person', () => 'Distinctive'],
    ['the content of a file', () => written.content],
    ['the credential of a signed URL', () => urlCredential],
    ['an e-mail address', () => invited.email],
    ['the address of a mail', () => mailedTo],
    ['a token', () => bob.token],
    ['the token of the sender', () => olga.token],
    ['a password', () => invited.password],
    ['the push endpoint of a browser', endpoint],
  ])('%s', (_, secret) => {
    const { batches, logs, metrics } = traced.collector
    expect([logs.length, metrics.length].every((count) => count > 0)).toBe(true)
    expect(secret()).not.toBe('')
    const said = `${JSON.stringify(batches)}\n${traced.logText()}`.split(/\n|(?<=\}),(?=\{)/)
    expect(said.filter((one) => one.toLowerCase().includes(secret().toLowerCase()))).toEqual([])
  })
})
