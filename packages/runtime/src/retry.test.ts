import { expect, test } from '@jest/globals'
import { retry } from './retry.ts'

const pauses = { initialMs: 1, maxMs: 2 }

test('an operation is repeated until it succeeds', async () => {
  let tries = 0
  const result = await retry(() => {
    if (++tries < 5) throw new Error('not yet')
    return 'done'
  }, pauses)
  expect([result, tries]).toEqual(['done', 5])
})

test('an error that must not be retried is thrown', async () => {
  let tries = 0
  const result = retry(() => Promise.reject(new Error(`failure ${++tries}`)), {
    ...pauses,
    until: (error) => error instanceof Error && error.message === 'failure 3',
  })
  await expect(result).rejects.toThrow('failure 3')
})

test('a retry ends with the reason of its signal, even during a pause', async () => {
  const stop = new AbortController()
  const result = retry(
    () => {
      setImmediate(() => stop.abort(new Error('stopping')))
      throw new Error('not yet')
    },
    { signal: stop.signal, initialMs: 3_600_000, maxMs: 3_600_000 },
  )
  await expect(result).rejects.toThrow('stopping')
})
