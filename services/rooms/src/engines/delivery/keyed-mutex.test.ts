import { setImmediate } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { KeyedMutex } from './keyed-mutex.ts'

test('under one key work runs one by one, in the order of arrival, whatever fails', async () => {
  const mutex = new KeyedMutex()
  const seen: string[] = []
  const work = (name: string) => async () => {
    seen.push(`${name} begins`)
    await setImmediate()
    seen.push(`${name} ends`)
    if (name === 'a') throw new Error('a fails')
    return name
  }
  const results = await Promise.allSettled(['a', 'b'].map((name) => mutex.run('R1', undefined, work(name))))
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  expect(results).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 'b' }])
})

test('other keys do not wait', async () => {
  const mutex = new KeyedMutex()
  let open = () => {}
  const gate = new Promise<void>((resolve) => (open = resolve))
  const slow = mutex.run('R1', undefined, () => gate)
  await mutex.run('R2', undefined, () => Promise.resolve())
  open()
  await slow
})

test('nothing is begun for a caller who is gone', async () => {
  let begun = false
  const call = new KeyedMutex().run('R1', { timeoutMs: () => 0 }, () => Promise.resolve((begun = true)))
  await expect(call).rejects.toThrow('try again')
  expect(begun).toBe(false)
})

test('remembers nothing of those who are done', async () => {
  const mutex = new KeyedMutex()
  await mutex.run('R1', undefined, () => Promise.resolve())
  await setImmediate()
  expect(mutex.size).toBe(0)
})
