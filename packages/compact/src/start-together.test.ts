import { expect, test } from '@jest/globals'
import type { Service } from '@parley/runtime'
import { startTogether, type Start } from './start-together.ts'

const closed: string[] = []
const service = (name: string): Service => ({
  internalPort: 0,
  [Symbol.asyncDispose]: () => Promise.resolve(void closed.push(name)),
})
/** Waits for a dependency that never becomes available, until it is aborted. */
const waiting: Start = (stop) =>
  new Promise((_resolve, reject) => {
    const giveUp = () => reject(stop.reason as Error)
    if (stop.aborted) giveUp()
    else stop.addEventListener('abort', giveUp)
  })

test('when a service fails to start, running services are closed, waiting ones aborted, and its error is thrown', async () => {
  const failure = new Error('the port is taken')
  const starts = new Map<string, Start>([
    ['rooms', () => Promise.resolve(service('rooms'))],
    ['calls', waiting],
    ['uploads', () => Promise.reject(failure)],
  ])
  await expect(startTogether(starts, new AbortController().signal)).rejects.toBe(failure)
  expect(closed).toEqual(['rooms'])
})

test('a stop during the start rejects with its reason', async () => {
  const stop = new AbortController()
  const starting = startTogether(new Map([['calls', waiting]]), stop.signal)
  stop.abort('SIGTERM')
  await expect(starting).rejects.toBe('SIGTERM')
})
