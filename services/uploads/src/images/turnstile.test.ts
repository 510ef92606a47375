import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { tooManyImages } from '../errors.ts'
import { Turnstile } from './turnstile.ts'

test('who waits too long is refused, and takes no place', async () => {
  const turnstile = new Turnstile(1, 9, tooManyImages, 1)
  const first = work()
  const passing = turnstile.pass(() => first.done)
  await expect(turnstile.pass(() => Promise.resolve())).rejects.toMatchObject({ code: Code.ResourceExhausted })
  first.finish()
  await passing
  expect(await turnstile.pass(() => Promise.resolve('free again'))).toBe('free again')
})

function work() {
  let finish: () => void = () => undefined
  const done = new Promise<void>((resolve) => (finish = resolve))
  return { done, finish }
}

test('so many pass at once, a few wait, more are refused, and a place is passed on', async () => {
  const turnstile = new Turnstile(2, 1, tooManyImages)
  const jobs = [work(), work(), work()]
  const begun: number[] = []
  const passing = jobs.map(({ done }, index) =>
    turnstile.pass(() => {
      begun.push(index)
      return done
    }),
  )
  await expect(turnstile.pass(() => Promise.resolve())).rejects.toMatchObject({ code: Code.ResourceExhausted })
  expect(begun).toEqual([0, 1])
  jobs[1]?.finish()
  await passing[1]
  expect(begun).toEqual([0, 1, 2])
  jobs.forEach(({ finish }) => finish())
  await Promise.all(passing)
  await expect(turnstile.pass(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await turnstile.pass(() => Promise.resolve('free again'))).toBe('free again')
})
