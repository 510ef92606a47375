import { expect, test } from '@jest/globals'
import { retryWhileOverloaded } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import { makeRoom, openEnv, person, type Env } from './_env.ts'

const timeoutMs = 60_000

const people = Array.from({ length: 1_000 }, (_, n) => `Ucrowd${n}`)

// Transactions are counted, because the time would depend on the machine.
test.each<[string, (env: Env, roomId: string, userId: string) => Promise<unknown>]>([
  ['join by themselves', (env, roomId, userId) => env.as(userId).rooms.joinRoom({ roomId }, { timeoutMs })],
  [
    'are added by somebody',
    (env, roomId, userId) => env.as('Uadmin', 'admin').rooms.addMember({ roomId, userId }, { timeoutMs }),
  ],
])('a thousand people who %s at once become members in few transactions', async (_how, enter) => {
  await using env = await openEnv()
  env.accounts.people.push(...people.map((userId) => person(userId)))
  await env.start({ PARLEY_ROOMS_HAND_OVER_TIMEOUT: '55s' })
  const roomId = await makeRoom(env, 'crowd')
  const outcomes = await Promise.all(
    people.map((userId) => retryWhileOverloaded(() => enter(env, roomId, userId)).then(() => 'in', String)),
  )
  expect(outcomes.filter((outcome) => outcome !== 'in')).toEqual([])

  const joined = env.messaging.factsOf(roomId).flatMap(({ fact }) => (fact.case === 'joined' ? fact.value.userId : []))
  expect(joined.filter((userId) => userId.startsWith('Ucrowd')).sort()).toEqual([...people].sort())
  const { rows } = await env.db.execute<{ transactions: number; members: number }>(sql`
    select count(distinct xmin::text)::integer as transactions, count(*)::integer as members
    from room_members where room_id = ${roomId} and member and user_id like 'Ucrowd%'`)
  expect(rows[0]?.members).toBe(1_000)
  expect(rows[0]?.transactions).toBeLessThan(100)
})
