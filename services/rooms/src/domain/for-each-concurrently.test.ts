import { setImmediate } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { forEachConcurrently } from './for-each-concurrently.ts'

test('all tasks run, never more than the limit at once', async () => {
  const done: number[] = []
  let running = 0
  let peak = 0
  await forEachConcurrently([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    peak = Math.max(peak, ++running)
    await Promise.resolve()
    done.push(item)
    running--
  })
  expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(peak).toBe(3)
  await forEachConcurrently([], 3, () => Promise.reject(new Error('nothing to do')))
})

test('the first failure is thrown, and no further item is started', async () => {
  const started: number[] = []
  const work = async (item: number) => {
    started.push(item)
    if (item === 2) throw new Error('two')
    await setImmediate()
  }
  await expect(forEachConcurrently([1, 2, 3, 4, 5, 6], 2, work)).rejects.toThrow('two')
  await setImmediate()
  expect(started).toEqual([1, 2])
})
