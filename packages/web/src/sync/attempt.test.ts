import { expect, test } from '@jest/globals'
import { Attempt } from './attempt.ts'

test('actions for different subjects run at once, and a repeated one for the same subject is ignored', async () => {
  const attempt = new Attempt()
  const done: string[] = []
  const finish = new Map<string, () => void>()
  const remove = (id: string) =>
    attempt.run(async () => {
      await new Promise<void>((resolve) => finish.set(id, resolve))
      done.push(id)
    }, id)
  const running = [remove('Uann'), remove('Ubob'), remove('Uann')]
  finish.get('Ubob')?.()
  expect(await running[1]).toBe(true)
  expect(attempt.busy.value).toBe(true)
  finish.get('Uann')?.()
  expect(await Promise.all(running)).toEqual([true, true, false])
  expect([done, attempt.busy.value]).toEqual([['Ubob', 'Uann'], false])
})
