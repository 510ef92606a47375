import { expect, test } from '@jest/globals'
import { Code, ConnectError } from '@connectrpc/connect'
import { retryUntilSuccess } from './retry-until-success.ts'

test.each([
  ['does not log at first that another service is unavailable', new ConnectError('unavailable', Code.Unavailable), 0],
  ['logs other failures', new Error('no such table'), 2],
])('retryUntilSuccess %s', async (_, failure, times) => {
  const reported: unknown[] = []
  let tries = 0
  const work = async () => {
    if (++tries < 3) throw failure
  }
  await retryUntilSuccess('task', new AbortController().signal, work, (_task, error) => reported.push(error))
  expect(tries).toBe(3)
  expect(reported).toEqual(Array.from({ length: times }, () => failure))
})
