import { Code } from '@connectrpc/connect'
import { beforeAll, expect, test } from '@jest/globals'
import { eq } from 'drizzle-orm'
import { users } from '../src/store/schema.ts'
import { codeOf, makeUser, useEnv } from './_env.ts'

const env = useEnv()

beforeAll(() => env.start())

test('a handle is resolved to a role, or to a user and its roles', async () => {
  const ada = await makeUser(env, 'Ada.L', { roleNames: ['moderator'] })
  const gone = await makeUser(env, 'gone')
  await env.db.update(users).set({ deletedAt: new Date() }).where(eq(users.id, gone))
  await env.internal.reserveRoleName({ name: 'helpers', roleId: 'O1' })
  const { entries } = await env.internal.resolveHandles({
    handles: ['aDA.l', 'ada.L', 'Helpers', 'nobody', 'gone', 'a b', 'x\0', ''],
  })
  expect(new Map(entries.map(({ handle, owner }) => [handle, owner]))).toMatchObject(
    new Map<string, object>([
      ['ada.l', { case: 'user', value: { userId: ada, roleIds: ['moderator'] } }],
      ['helpers', { case: 'roleId', value: 'O1' }],
    ]),
  )
  expect(entries).toHaveLength(2)
  expect((await env.internal.resolveHandles({})).entries).toEqual([])
})

test('at most 100 handles are resolved at once', async () => {
  const handles = Array.from({ length: 101 }, (_, n) => `u${n}`)
  expect(await codeOf(env.internal.resolveHandles({ handles }))).toBe(Code.InvalidArgument)
})
