import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { lobby, roomGroups, rooms } from '../src/store/schema.ts'
import { lobbyOf, openEnv, type Env } from './_env.ts'

let env: Env

beforeEach(async () => {
  env = await openEnv()
})
afterEach(() => env[Symbol.asyncDispose]())

const readStored = async () => ({
  groups: await env.db.select().from(roomGroups),
  rooms: await env.db.select().from(rooms).orderBy(rooms.name),
})

test('a new server gets a group with announcements and general', async () => {
  await env.start()
  await lobbyOf(env)
  const { groups, rooms } = await readStored()
  expect(groups).toMatchObject([{ name: 'Lobby' }])
  expect(rooms).toMatchObject([
    { name: 'announcements', universal: true, groupId: groups[0]?.id },
    { name: 'general', universal: false, groupId: groups[0]?.id },
  ])
  expect(new Set(env.admin.postingDenied)).toEqual(new Set([rooms[0]?.id]))
  for (const { id } of rooms) await eventually(() => expect(env.messaging.kindsOf(id)).toEqual(['created']))
})

test('two processes and a later one create the first group once', async () => {
  await Promise.all([env.start(), env.start()])
  await lobbyOf(env)
  await env.start()
  const { groups, rooms } = await readStored()
  expect(groups).toHaveLength(1)
  expect(rooms).toHaveLength(2)
  expect(new Set(env.admin.postingDenied)).toEqual(new Set([rooms[0]?.id]))
})

test('the first rooms are created only after admin has denied posting in announcements', async () => {
  env.admin.unavailable = true
  await env.start()
  await eventually(async () => (await env.db.select().from(lobby)).length === 1)
  expect((await readStored()).rooms).toEqual([])
  env.admin.unavailable = false
  await lobbyOf(env)
  expect((await readStored()).rooms).toHaveLength(2)
})

test('the first rooms are created even before messaging answers', async () => {
  env.messaging.stopAnswering()
  await env.start({ PARLEY_ROOMS_HAND_OVER_TIMEOUT: '300ms' })
  await eventually(async () => (await readStored()).rooms.length === 2)
  env.messaging.answer()
  await eventually(async () => {
    for (const { id } of (await readStored()).rooms) expect(env.messaging.kindsOf(id)).toEqual(['created'])
  })
})
