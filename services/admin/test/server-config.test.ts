import { fromBinary } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { beforeAll, expect, test } from '@jest/globals'
import type { Event } from '@parley/contracts/internal'
import { RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'
import { eventually, recordEvents, type Recording } from '@parley/testkit'
import { useAdmin } from './_admin.ts'

const admin = useAdmin()
let recording: Recording

beforeAll(async () => {
  recording = admin.use(await recordEvents(admin.bus, 'evt.config.server.>'))
  await admin.start()
})

const causedBy = (userId: string) => recording.events.filter(({ actorId }) => actorId === userId)
const refused = (code: Code) => ({ code })
const kinds = (events: readonly Event[]) => events.map(({ kind }) => kind)

test('every method of AdminServerService needs server.manage', async () => {
  const { adminServer } = admin.alice
  const denied = expect.objectContaining({ code: Code.PermissionDenied })
  for (const call of [
    () => adminServer.getServerConfig({}),
    () => adminServer.updateServerConfig({ motd: 'hi' }),
    () => adminServer.uploadServerLogo({}),
    () => adminServer.deleteServerLogo({}),
    () => adminServer.uploadServerBanner({}),
    () => adminServer.deleteServerBanner({}),
    () => adminServer.getServerSecurityConfig({}),
    () => adminServer.updateBlockedUsernames({ blockedUsernames: [] }),
  ]) {
    await expect(call()).rejects.toEqual(denied)
  }
})

test('texts are set, unchanged when absent, and reset when empty', async () => {
  const { adminServer } = admin.bert
  const set = await adminServer.updateServerConfig({ serverName: 'Acme', description: 'We talk.', motd: '# hi' })
  expect(set.config).toMatchObject({ serverName: 'Acme', description: 'We talk.', motd: '# hi', welcomeMessage: '' })
  expect(set.publicProfile).toMatchObject({ name: 'Acme', description: 'We talk.' })
  expect((await admin.alice.server.getMotd({})).motd).toBe('# hi')

  const more = await adminServer.updateServerConfig({ welcomeMessage: 'Welcome.', motd: '' })
  expect(more.config).toMatchObject({ serverName: 'Acme', motd: '', welcomeMessage: 'Welcome.' })
  expect((await admin.anonymous.discovery.getServer({})).profile).toMatchObject({
    name: 'Acme',
    welcomeMessage: 'Welcome.',
  })
  expect((await admin.alice.server.getMotd({})).motd).toBeUndefined()

  const reset = await adminServer.updateServerConfig({ serverName: '', description: '', welcomeMessage: '' })
  expect(reset.config).toMatchObject({ serverName: '', description: '', welcomeMessage: '' })
  expect(reset.publicProfile?.name).toBe('Parley')
  expect(reset.publicProfile?.description).not.toBe('')
  expect(await adminServer.getServerConfig({})).toMatchObject({
    config: reset.config,
    publicProfile: reset.publicProfile,
  })
})

test('the version of the message of the day changes with its text', async () => {
  const { adminServer } = admin.bert
  const version = async () => (await admin.anonymous.discovery.getServer({})).motdVersion
  await adminServer.updateServerConfig({ motd: 'Closed on Friday' })
  const first = await version()
  expect(first).toBeDefined()
  expect(await version()).toBe(first)
  await adminServer.updateServerConfig({ motd: 'Open on Friday' })
  expect(await version()).toBeGreaterThan(first ?? 0n)
  await adminServer.updateServerConfig({ motd: '' })
  expect(await version()).toBeUndefined()
})

test('a change is announced once; the audit log gets no texts', async () => {
  const { adminServer } = admin.as('Ucarla', 'admin')
  await adminServer.updateServerConfig({ serverName: 'Beta', motd: 'secret words' })
  await adminServer.updateServerConfig({ serverName: 'Beta' })
  await adminServer.updateServerConfig({ serverName: 'Gamma' })
  await eventually(() => expect(causedBy('Ucarla')).toHaveLength(5))
  const events = causedBy('Ucarla')
  expect(kinds(events)).toEqual([
    'server_updated',
    'server_name_changed',
    'server_motd_changed',
    'server_updated',
    'server_name_changed',
  ])
  const [delivery] = events[0]?.deliveries ?? []
  expect(delivery?.audience).toEqual({ case: 'everyone', value: true })
  const envelope = fromBinary(RealtimeEventEnvelopeSchema, delivery?.envelope ?? new Uint8Array())
  expect(envelope).toMatchObject({ id: events[0]?.id, event: { case: 'serverUpdated', value: { name: 'Beta' } } })
  for (const { fact } of events) expect(JSON.stringify(fact)).not.toMatch(/secret|Beta|Gamma/)
})

test('texts that are too long and empty updates are refused', async () => {
  const { adminServer } = admin.bert
  const invalid = refused(Code.InvalidArgument)
  await expect(adminServer.updateServerConfig({})).rejects.toMatchObject(invalid)
  await expect(adminServer.updateServerConfig({ serverName: 'x'.repeat(81) })).rejects.toMatchObject(invalid)
  await expect(adminServer.updateServerConfig({ description: 'x'.repeat(501) })).rejects.toMatchObject(invalid)
  await expect(adminServer.updateServerConfig({ motd: 'ä'.repeat(501) })).rejects.toMatchObject(invalid)
  await expect(adminServer.updateServerConfig({ welcomeMessage: 'ä'.repeat(5001) })).rejects.toMatchObject(invalid)
})

test('concurrent changes are all announced, each with its own version', async () => {
  const { adminServer } = admin.as('Udora', 'admin')
  await Promise.all(
    ['one', 'two', 'three', 'four'].map((description) => adminServer.updateServerConfig({ description })),
  )
  await eventually(() => expect(causedBy('Udora')).toHaveLength(8))
  expect(new Set(causedBy('Udora').map(({ version }) => version)).size).toBe(4)
})

test('blocked usernames are normalised, apply at once and are audited', async () => {
  const { adminServer } = admin.as('Uemil', 'admin')
  expect((await adminServer.getServerSecurityConfig({})).blockedUsernames).toEqual([
    'admin',
    'op',
    'operator',
    'root',
    'superuser',
    'support',
  ])
  const wanted = { blockedUsernames: [' Root', 'boss', '', 'BOSS', 'admin'] }
  expect((await adminServer.updateBlockedUsernames(wanted)).blockedUsernames).toEqual(['admin', 'boss', 'root'])
  expect((await adminServer.getServerSecurityConfig({})).blockedUsernames).toEqual(['admin', 'boss', 'root'])
  expect((await admin.anonymous.internal.checkLogin({ login: 'Boss' })).blocked).toBe(true)
  expect((await admin.anonymous.internal.checkLogin({ login: 'support' })).blocked).toBe(false)
  await adminServer.updateBlockedUsernames(wanted)
  await adminServer.updateBlockedUsernames({ blockedUsernames: [] })
  await eventually(() => expect(causedBy('Uemil')).toHaveLength(2))
  const events = causedBy('Uemil')
  expect(kinds(events)).toEqual(['server_blocked_usernames_changed', 'server_blocked_usernames_changed'])
  expect(events[0]).toMatchObject({ deliveries: [], fact: { value: { details: { added: '1', removed: '4' } } } })
  const tooMany = Array.from({ length: 1001 }, (_, n) => `n${n}`)
  await expect(adminServer.updateBlockedUsernames({ blockedUsernames: tooMany })).rejects.toMatchObject(
    refused(Code.InvalidArgument),
  )
})
