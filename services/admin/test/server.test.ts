import { beforeAll, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import { useAdmin } from './_admin.ts'

const admin = useAdmin()

beforeAll(async () => {
  await admin.start({
    PARLEY_LIVEKIT_ENABLED: 'true',
    PARLEY_LIVEKIT_URL: 'wss://media.example.org',
    PARLEY_PUSH_VAPID_PUBLIC_KEY: 'BKey',
    PARLEY_MESSAGING_EDIT_WINDOW: '2h',
  })
})

test('there is no message of the day until one is set', async () => {
  expect((await admin.alice.server.getMotd({})).motd).toBeUndefined()
})

test('clients get the runtime configuration', async () => {
  const { runtime } = await admin.alice.server.getRuntimeConfig({})
  expect(runtime).toMatchObject({
    pushNotificationsEnabled: false,
    livekitUrl: 'wss://media.example.org',
    videoProcessingEnabled: false,
    maxUploadSize: 26_214_400n,
    maxVideoUploadSize: 100_000_000n,
    messageEditWindowSeconds: 7200,
  })
  expect(runtime?.vapidPublicKey).toBeUndefined()
})

test('roles are listed by position', async () => {
  const { roles } = await admin.alice.roles.listRoles({})
  expect(roles.map(({ name, position, isSystem }) => [name, position, isSystem])).toEqual([
    ['everyone', 0, true],
    ['moderator', 100, true],
    ['admin', 900, true],
    ['owner', 1000, true],
  ])
})

test('a role is found by its name', async () => {
  const { role } = await admin.alice.roles.getRole({ name: 'moderator' })
  expect(role).toMatchObject({ name: 'moderator', displayName: 'Moderator', pingable: true })
  await expect(admin.alice.roles.getRole({ name: 'janitor' })).rejects.toMatchObject({ code: Code.NotFound })
})

test('BatchGetRoles returns the known roles once each, in the requested order', async () => {
  const { roles } = await admin.alice.roles.batchGetRoles({ names: ['owner', 'janitor', 'admin', 'owner'] })
  expect(roles.map(({ name }) => name)).toEqual(['owner', 'admin'])
})

test('roles, the message of the day and the configuration are refused to anonymous callers', async () => {
  const refused = { code: Code.Unauthenticated }
  await expect(admin.anonymous.roles.listRoles({})).rejects.toMatchObject(refused)
  await expect(admin.anonymous.server.getMotd({})).rejects.toMatchObject(refused)
  await expect(admin.anonymous.adminServer.getServerConfig({})).rejects.toMatchObject(refused)
})

test('a login is blocked in any letter case, but only as a whole', async () => {
  const blocked = async (login: string) => (await admin.anonymous.internal.checkLogin({ login })).blocked
  expect(await blocked('Root')).toBe(true)
  expect(await blocked('rooter')).toBe(false)
})
