import { expect, test } from '@jest/globals'
import { periodically } from './periodically.ts'

test('runs again and again, also after a failure, and never twice at a time', async () => {
  let running = 0
  let most = 0
  let runs = 0
  await new Promise<void>((enough) => {
    const task = periodically({
      name: 'test',
      everyMs: 1,
      run: async () => {
        most = Math.max(most, ++running)
        await new Promise(setImmediate)
        running--
        if (++runs === 2) throw new Error('a failure')
        if (runs === 4) void task[Symbol.asyncDispose]().then(enough)
      },
    })
  })
  expect([runs, most]).toEqual([4, 1])
})

test('disposing tells the run under way and waits for it', async () => {
  const { promise: started, resolve: start } = promised()
  let finished = false
  const task = periodically({
    name: 'test',
    everyMs: 1,
    run: async (signal) => {
      start()
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve)
      })
      await new Promise(setImmediate)
      finished = true
    },
  })
  await started
  await task[Symbol.asyncDispose]()
  expect(finished).toBe(true)
})

test('ends with the signal that it was given', async () => {
  const stop = new AbortController()
  let runs = 0
  const { promise: ran, resolve: first } = promised()
  const task = periodically({
    name: 'test',
    everyMs: 1,
    signal: stop.signal,
    run: () => {
      runs++
      stop.abort()
      first()
    },
  })
  await ran
  await task[Symbol.asyncDispose]()
  expect(runs).toBe(1)
})

function promised(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
