import { Code } from '@connectrpc/connect'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { eventually, publishEvents, recordEvents } from '@parley/testkit'
import { eq } from 'drizzle-orm'
import { userRoles, users } from '../src/store/schema.ts'
import { codeOf, makeUser, useEnv } from './_env.ts'

const env = useEnv()

beforeAll(async () => {
  // Two processes, of which one removes a deleted role.
  await env.start()
  await env.start()
})

const assign = (roleId: string, ...userIds: string[]) =>
  env.db.insert(userRoles).values(userIds.map((userId) => ({ userId, roleId })))
const holders = async (roleId: string) => (await env.internal.listRoleHolders({ roleId })).users.map(({ id }) => id)

/** As admin does when Uboss deletes roles. */
async function announceDeletion(revision: bigint, ...deletedRoleIds: string[]): Promise<void> {
  const about = { aggregateType: 'policy', aggregateId: 'server', kind: 'policy_changed' } as const
  const fact = { case: 'policy' as const, value: { revision, deletedRoleIds } }
  await publishEvents(env.bus, { ...about, version: revision, actorId: 'Uboss', fact })
}

describe('the holders of a role', () => {
  test('are listed oldest first, without deleted accounts', async () => {
    const ada = await makeUser(env, 'ada')
    const bob = await makeUser(env, 'bob')
    const gone = await makeUser(env, 'gone')
    await assign('Ocrew', bob, ada, gone)
    await env.db.update(users).set({ deletedAt: new Date() }).where(eq(users.id, gone))
    expect(await holders('Ocrew')).toEqual([ada, bob])
    expect((await env.internal.listRoleHolders({ roleId: 'Ocrew' })).users[0]).toMatchObject({ login: 'ada' })
    expect(await holders('Onone')).toEqual([])
  })
})

describe('the name of a role', () => {
  const reserve = (name: string, roleId: string) => codeOf(env.internal.reserveRoleName({ name, roleId }))

  test('cannot be reserved while a login or role has it', async () => {
    await makeUser(env, 'Crew')
    expect(await reserve('crew', 'O1')).toBe(Code.AlreadyExists)
    expect(await reserve('sailors', 'O1')).toBeUndefined()
    expect(await reserve('sailors', 'O1')).toBeUndefined()
    expect(await reserve('sailors', 'O2')).toBe(Code.AlreadyExists)
  })

  test('cannot be used as a login until it is released', async () => {
    expect(await reserve('cooks', 'O3')).toBeUndefined()
    expect(await codeOf(makeUser(env, 'Cooks'))).toBe(Code.AlreadyExists)
    await env.internal.releaseRoleName({ roleId: 'O3' })
    await env.internal.releaseRoleName({ roleId: 'O3' })
    expect(await codeOf(makeUser(env, 'Cooks'))).toBeUndefined()
  })

  test('is given to one of several concurrent calls', async () => {
    const racers = [makeUser(env, 'pilots'), ...['O4', 'O5', 'O6'].map((id) => reserve('pilots', id))]
    const codes = await Promise.all(racers.map((racer) => racer.catch(() => Code.AlreadyExists)))
    expect(codes.filter((code) => code !== Code.AlreadyExists)).toHaveLength(1)
  })

  test('is released only if a role, not a user, has it', async () => {
    const userId = await makeUser(env, 'keeper')
    await env.internal.releaseRoleName({ roleId: userId })
    expect(await reserve('keeper', 'O7')).toBe(Code.AlreadyExists)
  })
})

test('a deleted role is removed from all holders, and announced for each', async () => {
  const made = await Promise.all(Array.from({ length: 5 }, (_, n) => makeUser(env, `sailor${n}`)))
  const other = await makeUser(env, 'landlubber')
  await assign('Osailor', ...made)
  await assign('Okept', ...made.slice(0, 1), other)
  await using recording = await recordEvents(env.bus, 'evt.control.user.>')

  await announceDeletion(2n, 'Osailor', 'Onobody')
  await eventually(() => expect(recording.events).toHaveLength(5))
  expect(await holders('Osailor')).toEqual([])
  expect(await holders('Okept')).toEqual([made[0], other])
  for (const { aggregateId, kind, actorId, version, fact } of recording.events) {
    expect(made).toContain(aggregateId)
    expect({ kind, actorId }).toEqual({ kind: 'roles_changed', actorId: 'Uboss' })
    const roleIds = aggregateId === made[0] ? ['Okept'] : []
    expect(fact).toMatchObject({ case: 'userRolesChanged', value: { roleIds, rolesVersion: version } })
  }
  const [row] = await env.db
    .select()
    .from(users)
    .where(eq(users.id, made[1] ?? ''))
  expect(row).toMatchObject({ rolesVersion: row?.version })
})

test('a deleted role is removed from more holders than fit into a batch', async () => {
  const createdAt = new Date()
  const crowd = Array.from({ length: 450 }, (_, n) => `Ucrowd${n}`)
  await env.db.insert(users).values(crowd.map((id) => ({ id, login: id, version: 1n, rolesVersion: 1n, createdAt })))
  await assign('Ocrowd', ...crowd)
  await announceDeletion(3n, 'Ocrowd')
  await eventually(async () => expect(await holders('Ocrowd')).toEqual([]))
})
