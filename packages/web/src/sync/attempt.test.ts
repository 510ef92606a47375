import { expect, test } from '@jest/globals'
import { Code, ConnectError } from '@parley/client'
import { setLanguageFromFile } from '../messages/_texts-from-files.ts'
import { Attempt } from './attempt.ts'

test('actions for different subjects run at once; while one runs, another for the same subject is ignored', async () => {
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

test('a failure disappears when the action for its subject is repeated, even while another action runs', async () => {
  await setLanguageFromFile('en')
  const attempt = new Attempt()
  let finish: () => void = () => undefined
  const slow = attempt.run(() => new Promise<void>((resolve) => (finish = resolve)), 'Uann')
  await attempt.run(() => Promise.reject(new ConnectError('gone', Code.NotFound)), 'Ubob')
  await attempt.run(async () => undefined, 'Ucid')
  expect(attempt.failure.value).toBe('This no longer exists.')
  await attempt.run(async () => undefined, 'Ubob')
  expect(attempt.failure.value).toBeUndefined()
  finish()
  await slow
})
