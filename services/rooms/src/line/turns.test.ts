import { setImmediate } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { Turns } from './turns.ts'

test('under one key work runs one by one, in the order of arrival, whatever fails', async () => {
  const turns = new Turns()
  const seen: string[] = []
  const work = (name: string) => async () => {
    seen.push(`${name} begins`)
    await setImmediate()
    seen.push(`${name} ends`)
    if (name === 'a') throw new Error('a fails')
    return name
  }
  const results = await Promise.allSettled(['a', 'b'].map((name) => turns.take('R1', undefined, work(name))))
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  expect(results).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 'b' }])
})

test('other keys do not wait', async () => {
  const turns = new Turns()
  let open = () => {}
  const gate = new Promise<void>((resolve) => (open = resolve))
  const slow = turns.take('R1', undefined, () => gate)
  await turns.take('R2', undefined, () => Promise.resolve())
  open()
  await slow
})

test('nothing is begun for a caller who is gone', async () => {
  let begun = false
  const call = new Turns().take('R1', { timeoutMs: () => 0 }, () => Promise.resolve((begun = true)))
  await expect(call).rejects.toThrow('try again')
  expect(begun).toBe(false)
})

test('remembers nothing of those who are done', async () => {
  const turns = new Turns()
  await turns.take('R1', undefined, () => Promise.resolve())
  await setImmediate()
  expect(turns.size).toBe(0)
})
