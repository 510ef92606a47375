import { Code } from '@connectrpc/connect'
import { beforeAll, expect, test } from '@jest/globals'
import { serverImageUrl } from '@parley/signed-urls'
import { MyAccountService } from '@parley/contracts/api'
import { ServerImageKind } from '@parley/contracts/internal'
import { codeOf, makeUser, useEnv, secretKey } from './_env.ts'
import { deliveriesOf, recordUserEvents, type UserEvents } from './_user-events.ts'

const env = useEnv()
let events: UserEvents

beforeAll(async () => {
  await env.start()
  events = env.use(await recordUserEvents(env))
})

const account = (userId: string) => env.as(MyAccountService, { userId })
const upload = (userId: string, blobId: string) =>
  account(userId).uploadAvatar({ image: { filename: 'me.png' } }, { headers: { 'parley-blob': blobId } })
const urlOf = (key: string) =>
  serverImageUrl({ publicUrl: 'https://chat.example.org', signingSecret: secretKey }, key, {
    width: 96,
    height: 96,
    fit: 'cover',
  })

test('an uploaded blob becomes the avatar, and is announced to everyone', async () => {
  const userId = await makeUser(env, 'anna')
  const { user } = await upload(userId, 'blob1')
  const avatarUrl = urlOf('key-of-blob1')
  expect(env.fakes.images).toMatchObject([
    { blobId: 'blob1', kind: ServerImageKind.AVATAR, ownerId: userId, callerId: userId },
  ])
  expect(user).toMatchObject({ id: userId, avatarUrl })
  expect((await env.internal.getProfiles({ userIds: [userId] })).profiles).toMatchObject([{ user: { avatarUrl } }])
  expect((await env.internal.getPeople({ userIds: [userId] })).people).toMatchObject([{ avatarKey: 'key-of-blob1' }])
  expect(await events.waitFor(userId, 'user_avatar_set')).toEqual([
    ...['user_created', 'user_profile_updated', 'user_avatar_set'],
  ])
  const [, updated] = events.of(userId)
  // Uploads keeps only the image with this key.
  expect(updated?.fact).toMatchObject({ case: 'userChanged', value: { avatarKey: 'key-of-blob1' } })
  expect(deliveriesOf(updated)).toMatchObject([
    { to: 'everyone', envelope: { event: { case: 'userProfileUpdated', value: { userId, avatarUrl } } } },
  ])
})

test('removing an avatar is announced once; other changes keep its key', async () => {
  const userId = await makeUser(env, 'bert')
  await upload(userId, 'blob2')
  await account(userId).updateProfile({ displayName: 'Bert' })
  expect((await account(userId).deleteAvatar({})).user?.avatarUrl).toBeUndefined()
  expect((await account(userId).deleteAvatar({})).user?.avatarUrl).toBeUndefined()
  expect(await events.waitFor(userId, 'user_avatar_cleared')).toEqual([
    'user_created',
    ...['user_profile_updated', 'user_avatar_set'],
    ...['user_profile_updated', 'user_display_name_changed'],
    ...['user_profile_updated', 'user_avatar_cleared'],
  ])
  const facts = events.of(userId).flatMap(({ kind, fact }) => (kind === 'user_profile_updated' ? [fact.value] : []))
  expect(facts).toMatchObject([{ avatarKey: 'key-of-blob2' }, { avatarKey: 'key-of-blob2' }, { avatarKey: '' }])
})

test('an upload without image data is refused', async () => {
  const userId = await makeUser(env, 'carl')
  expect(await codeOf(account(userId).uploadAvatar({ image: { filename: 'me.png' } }))).toBe(Code.InvalidArgument)
})
