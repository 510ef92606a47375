import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import type { Context } from '../src/context.ts'
import { endExpiredBans } from '../src/jobs/end-expired-bans.ts'
import { roomBans } from '../src/store/schema.ts'
import { lobbyOf, makeRoom, openEnv, person } from './_env.ts'

test('the end of a ban does not wait until the end of another ban is delivered', async () => {
  await using env = await openEnv()
  env.accounts.people = [person('Umallory'), person('Umod')]
  const process = await env.start()
  await lobbyOf(env)
  const rooms = [await makeRoom(env, 'first'), await makeRoom(env, 'second')].sort()
  for (const roomId of rooms) await env.as('Umallory').rooms.joinRoom({ roomId })
  const expiresAt = timestampFromDate(new Date(Date.now() + 3_600_000))
  for (const roomId of rooms)
    await env.as('Umod', 'moderator').rooms.banMember({ roomId, userId: 'Umallory', reason: 'noise', expiresAt })
  await process[Symbol.asyncDispose]()
  await env.db.update(roomBans).set({ expiresAt: sql`now()` })

  const delivered: string[] = []
  const { promise: applied, resolve: apply } = Promise.withResolvers<void>()
  const deliver = (roomId: string) => {
    delivered.push(roomId)
    return applied
  }
  const writes = { run: (_key: string, _call: undefined, write: () => Promise<unknown>) => write() }
  const ctx = { db: env.db, now: () => new Date(), writes, delivery: { deliver } } as unknown as Context
  await using _job = endExpiredBans(ctx, new AbortController().signal)
  try {
    await eventually(() => expect([...delivered].sort()).toEqual(rooms))
  } finally {
    apply()
  }
})
