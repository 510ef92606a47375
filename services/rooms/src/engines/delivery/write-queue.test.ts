import { setImmediate } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import type { Committed, RoomChange } from './commit-changes.ts'
import { WriteQueue } from './write-queue.ts'

const nothingCommitted = () => Promise.resolve([])
const newQueue = () => new WriteQueue(nothingCommitted)

const change = (userId: string) => ({ roomId: 'R1', userId }) as RoomChange
const committed = { facts: [], entries: [] } as unknown as Committed
const remaining = { timeoutMs: () => undefined }

test('work under one key runs in order, also after failures', async () => {
  const queue = newQueue()
  const seen: string[] = []
  const work = (name: string) => async () => {
    seen.push(`${name} begins`)
    await setImmediate()
    seen.push(`${name} ends`)
    if (name === 'a') throw new Error('a fails')
    return name
  }
  const results = await Promise.allSettled(['a', 'b'].map((name) => queue.run('R1', undefined, work(name))))
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  expect(results).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 'b' }])
})

test('work under different keys runs concurrently', async () => {
  const queue = newQueue()
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const slow = queue.run('R1', undefined, () => gate)
  await queue.run('R2', undefined, () => Promise.resolve())
  open()
  await slow
})

test('no work starts after the deadline of its caller', async () => {
  let started = false
  const call = newQueue().run('R1', { timeoutMs: () => 0 }, () => Promise.resolve((started = true)))
  await expect(call).rejects.toThrow('try again')
  expect(started).toBe(false)
})

test('the queue keeps no state of finished work', async () => {
  const queue = newQueue()
  await queue.run('R1', undefined, () => Promise.resolve())
  await setImmediate()
  expect(queue.size).toBe(0)
})

test('waiting changes of a room are committed together, or one by one if one is refused', async () => {
  const transactions: string[][] = []
  const queue = new WriteQueue(async (_, changes) => {
    transactions.push(changes.map(({ userId }) => userId))
    await setImmediate()
    if (changes.some(({ userId }) => userId === 'banned')) throw new Error('refused')
    return changes.map(() => committed)
  })
  const users = ['a', 'b', 'c', 'banned', 'd']
  const outcomes = await Promise.allSettled(users.map((userId) => queue.change(change(userId), remaining)))
  expect(transactions).toEqual([['a'], ['b', 'c', 'banned', 'd'], ['b'], ['c'], ['banned'], ['d']])
  expect(outcomes.map(({ status }) => status)).toEqual(
    users.map((user) => (user === 'banned' ? 'rejected' : 'fulfilled')),
  )
})
