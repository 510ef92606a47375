import { expect, test } from '@jest/globals'
import { sql } from 'drizzle-orm'
import { makeRoom, openEnv } from './_env.ts'

/** How fast the machine is says nothing here; by how few transactions it is done does. */
const timeoutMs = 60_000

test('a thousand people at one link all get in within their deadlines, by few transactions', async () => {
  await using env = await openEnv()
  await env.start({ PARLEY_ROOMS_HAND_OVER_TIMEOUT: '55s' })
  const roomId = await makeRoom(env, 'link')
  const people = Array.from({ length: 1_000 }, (_, n) => `Ulink${n}`)
  const refusals = await Promise.all(
    people.map((userId) =>
      env
        .as(userId)
        .rooms.joinRoom({ roomId }, { timeoutMs })
        .then(() => '', String),
    ),
  )
  expect(refusals.filter((refusal) => refusal !== '')).toEqual([])

  const joined = env.messaging.factsOf(roomId).flatMap(({ fact }) => (fact.case === 'joined' ? fact.value.userId : []))
  expect(joined.filter((userId) => userId.startsWith('Ulink')).sort()).toEqual([...people].sort())
  const { rows } = await env.db.execute<{ transactions: number; members: number }>(sql`
    select count(distinct xmin::text)::integer as transactions, count(*)::integer as members
    from room_members where room_id = ${roomId} and member and user_id like 'Ulink%'`)
  expect(rows[0]?.members).toBe(1_000)
  expect(rows[0]?.transactions).toBeLessThan(100)
})
