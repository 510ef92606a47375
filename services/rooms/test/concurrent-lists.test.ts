import { beforeAll, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import { codeOf, makeRoom, useEnv } from './_env.ts'

const env = useEnv()
let roomId: string
beforeAll(async () => {
  await env.start()
  roomId = await makeRoom(env, 'hall')
  for (const userId of ['Umallory', 'Ualice']) await env.as(userId).rooms.joinRoom({ roomId })
})

test('only a user with too many concurrent calls of ListMembers is refused', async () => {
  const list = (userId: string) => codeOf(env.as(userId).rooms.listMembers({ roomId, page: { limit: 500 } }))
  const calls = Array.from({ length: 200 }, () => list('Umallory'))
  expect(await list('Ualice')).toBeUndefined()
  expect(new Set(await Promise.all(calls))).toEqual(new Set([undefined, Code.ResourceExhausted]))
})
