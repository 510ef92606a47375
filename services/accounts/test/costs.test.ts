import { beforeAll, expect, test } from '@jest/globals'
import { countCosts, type CostCounter } from '@parley/testkit'
import { makeUser, useEnv, signIn } from './_env.ts'

const env = useEnv()
let costs: CostCounter
const userIds: string[] = []
beforeAll(async () => {
  costs = env.use(await countCosts(env.bus))
  await env.start()
  for (const login of ['ann', 'bob']) userIds.push(await makeUser(env, login))
})

test('GetViewer runs one statement and calls two other services', async () => {
  const [userId = ''] = userIds
  const getViewer = () => env.viewerOf(userId).getViewer({})
  await getViewer()
  expect(await costs.of(getViewer)).toEqual({
    statements: ['viewer'],
    requests: ['NotificationsInternalService.GetPreferences', 'MessagingInternalService.HasUnread'],
  })
})

test('GetProfiles runs one statement for all users', async () => {
  expect(await costs.of(() => env.internal.getProfiles({ userIds }))).toEqual({
    statements: ['users_by_ids'],
    requests: [],
  })
})

test('OpenSockets runs one statement for all credentials', async () => {
  const both = await Promise.all(['ann', 'bob'].map((login) => signIn(env, login)))
  const digests = both.flatMap((signedIn) => signedIn.digests)
  expect(await costs.of(() => env.internal.openSockets({ digests }))).toEqual({
    statements: ['select: user_roles, credentials, users'],
    requests: [],
  })
})
