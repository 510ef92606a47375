import { expect, test } from '@jest/globals'
import { retry } from './retry.ts'

const pauses = { initialMs: 1, maxMs: 2 }

test('tries until it succeeds', async () => {
  let tries = 0
  const result = await retry(() => {
    if (++tries < 5) throw new Error('not yet')
    return 'done'
  }, pauses)
  expect([result, tries]).toEqual(['done', 5])
})

test('gives up on an error that must not be retried', async () => {
  let tries = 0
  const trying = retry(() => Promise.reject(new Error(`failure ${++tries}`)), {
    ...pauses,
    until: (error) => error instanceof Error && error.message === 'failure 3',
  })
  await expect(trying).rejects.toThrow('failure 3')
})

test('ends with the reason of the signal, even in the middle of a pause', async () => {
  const stop = new AbortController()
  const trying = retry(
    () => {
      setImmediate(() => stop.abort(new Error('stopping')))
      throw new Error('not yet')
    },
    { signal: stop.signal, initialMs: 3_600_000, maxMs: 3_600_000 },
  )
  await expect(trying).rejects.toThrow('stopping')
})
