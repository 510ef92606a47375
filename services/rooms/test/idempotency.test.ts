import { beforeAll, expect, test } from '@jest/globals'
import { create } from '@bufbuild/protobuf'
import { Code, type CallOptions } from '@connectrpc/connect'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { PolicyDecisionSchema } from '@parley/contracts/internal'
import type { Service } from '@parley/runtime'
import { sql } from 'drizzle-orm'
import { idempotentCalls, rooms } from '../src/store/schema.ts'
import { codeOf, lobbyOf, useEnv } from './_env.ts'

const env = useEnv()
let first: Service
let groupId: string

const shy = 'Ushy'

beforeAll(async () => {
  env.admin.policy.decisions.push(
    create(PolicyDecisionSchema, {
      userId: shy,
      permission: 'room.list',
      scope: { kind: PermissionScopeKind.SERVER },
      decision: PermissionDecision.DENY,
    }),
  )
  first = await env.start({ PARLEY_ROOMS_HAND_OVER_TIMEOUT: '3s' })
  groupId = await lobbyOf(env)
})

const admin = () => env.as('Uadmin', 'admin').rooms

async function make(key: string, name: string, by = admin()): Promise<{ id: string; replayed: boolean }> {
  let replayed = false
  const options: CallOptions = {
    headers: { 'Idempotency-Key': key },
    onHeader: (headers) => (replayed = headers.get('Idempotency-Replayed') === 'true'),
  }
  const { room } = await by.createRoom({ name, groupId }, options)
  return { id: room?.id ?? '', replayed }
}

test('a request repeated with its key has no further effect, and gets the same room', async () => {
  const first = await make('key-1', 'once')
  expect(first.replayed).toBe(false)
  expect(await make('key-1', 'once')).toEqual({ id: first.id, replayed: true })
})

test('a repetition returns the current room', async () => {
  const { id } = await make('key-now', 'before')
  await admin().updateRoom({ roomId: id, name: 'after', description: 'words' })
  const { room } = await admin().createRoom({ name: 'before', groupId }, { headers: { 'Idempotency-Key': 'key-now' } })
  expect(room).toMatchObject({ id, name: 'after', description: 'words' })
})

test('a repetition shows no changes of a room that the caller cannot see', async () => {
  const creator = env.as(shy, 'admin').rooms
  const { id } = await make('key-gone', 'public-name', creator)
  await admin().updateRoom({ roomId: id, name: 'secret-name', description: 'secret' })
  await admin().removeMember({ roomId: id, userId: shy })
  const repeat = () =>
    creator.createRoom({ name: 'public-name', groupId }, { headers: { 'Idempotency-Key': 'key-gone' } })
  expect((await repeat()).room).toMatchObject({ id, name: 'public-name', description: '' })
  await creator.joinRoom({ roomId: id })
  expect((await repeat()).room).toMatchObject({ id, name: 'secret-name', description: 'secret' })
})

test('another process returns the same response', async () => {
  const { id } = await make('key-0', 'elsewhere')
  await first[Symbol.asyncDispose]()
  first = await env.start({ PARLEY_ROOMS_HAND_OVER_TIMEOUT: '3s' })
  expect(await make('key-0', 'elsewhere')).toEqual({ id, replayed: true })
})

test('a different request with the same key is refused', async () => {
  await make('key-2', 'here')
  expect(await codeOf(make('key-2', 'there'))).toBe(Code.InvalidArgument)
})

test('keys of different callers are independent', async () => {
  const mine = await make('key-3', 'mine')
  const theirs = await make('key-3', 'theirs', env.as('Uother', 'admin').rooms)
  expect(theirs).toMatchObject({ replayed: false })
  expect(theirs.id).not.toBe(mine.id)
})

test('the key of a failed call can be used again', async () => {
  expect(await codeOf(make('key-4', 'not a name'))).toBe(Code.InvalidArgument)
  expect(await make('key-4', 'a-name')).toMatchObject({ replayed: false })
})

test('a repeat of a call that failed with unavailable returns the room which that call created', async () => {
  env.messaging.stopAnswering()
  expect(await codeOf(make('key-5', 'patient'))).toBe(Code.Unavailable)
  expect(await codeOf(make('key-5', 'patient'))).toBe(Code.Unavailable)
  env.messaging.answer()
  const { id, replayed } = await make('key-5', 'patient')
  expect(replayed).toBe(true)
  expect(env.messaging.kindsOf(id)).toEqual(['created', 'joined'])
  expect(
    await env.db
      .select()
      .from(rooms)
      .where(sql`name = 'patient'`),
  ).toHaveLength(1)
})

test('concurrent calls with one key create one room', async () => {
  const second = await env.start()
  for (const round of ['s1', 's2', 's3', 's4', 's5']) {
    const made = await Promise.all([1, 2, 3, 4].map(() => make(`key-${round}`, `same-${round}`)))
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    expect(made.filter(({ replayed }) => !replayed)).toHaveLength(1)
  }
  await second[Symbol.asyncDispose]()
})

test('a response stored by an earlier release is returned', async () => {
  const { id } = await make('key-old', 'older')
  await env.db.execute(sql`
    insert into idempotent_calls (caller_id, method, key, request_digest, response, room_id, version, created_at)
    select caller_id, method, 'key-older', request_digest, response, ${id}, 1, now() from idempotent_calls where key = 'key-old'`)
  expect(await make('key-older', 'older')).toEqual({ id, replayed: true })
})

test('a key can be reused after a day', async () => {
  await make('key-6', 'yesterday')
  await env.db.update(idempotentCalls).set({ createdAt: sql`now() - interval '25 hours'` })
  expect(await make('key-6', 'today')).toMatchObject({ replayed: false })
})
