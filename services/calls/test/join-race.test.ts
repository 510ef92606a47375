import { beforeAll, expect, test } from '@jest/globals'
import { eventually, retryWhileOverloaded } from '@parley/testkit'
import { calls } from '../src/store/schema.ts'
import { useEnv } from './_env.ts'

const env = useEnv()

beforeAll(() => Promise.all([env.start(), env.start()]))

const join = (userId: string, roomId: string) => retryWhileOverloaded(() => env.as(userId).joinCall({ roomId }))
const leave = (userId: string, roomId: string) => retryWhileOverloaded(() => env.as(userId).leaveCall({ roomId }))

test('concurrent joins in several processes create one call, with each participant once', async () => {
  const people = Array.from({ length: 32 }, (_, n) => `Up${n}`)
  env.rooms.set('Rrace', people)
  await Promise.all([...people, ...people].map((userId) => join(userId, 'Rrace')))
  expect(await env.inCall('Rrace', 'Up0')).toEqual([...people].sort())
  expect(await env.db.select().from(calls)).toHaveLength(1)
  await eventually(() => expect(env.messaging.eventsOf('Rrace')).toHaveLength(33))
  const [first, ...others] = env.messaging.eventsOf('Rrace')
  expect(first).toBe('call_started user')
  expect(others.sort()).toEqual(people.map((userId) => `call_participant_joined ${userId} user`).sort())

  await Promise.all([...people, ...people].map((userId) => leave(userId, 'Rrace')))
  expect(await env.inCall('Rrace', 'Up0')).toBeUndefined()
  await eventually(() => expect(env.messaging.eventsOf('Rrace')).toHaveLength(66))
  expect(env.messaging.eventsOf('Rrace').filter((what) => what === 'call_ended user')).toHaveLength(1)
})

test('if people join and leave concurrently, every call that starts also ends', async () => {
  const people = Array.from({ length: 8 }, (_, n) => `Uq${n}`)
  env.rooms.set('Rchurn', people)
  const churn = people.map(async (userId) => {
    for (let round = 0; round < 5; round++) {
      await join(userId, 'Rchurn')
      await leave(userId, 'Rchurn')
    }
  })
  await Promise.all(churn)
  expect(await env.inCall('Rchurn', 'Uq0')).toBeUndefined()
  await eventually(() => {
    const published = env.messaging.eventsOf('Rchurn')
    const count = (kind: string) => published.filter((what) => what.startsWith(kind)).length
    expect(count('call_started')).toBeGreaterThan(0)
    expect(count('call_ended')).toBe(count('call_started'))
    expect(count('call_participant_left')).toBe(40)
  })
})
