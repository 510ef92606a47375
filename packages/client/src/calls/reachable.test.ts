import { expect, test } from '@jest/globals'
import { Code, ConnectError } from '@connectrpc/connect'
import { reportUnreachable } from './reachable.ts'

test('an unreachable server is reported as unavailable', async () => {
  const fetch = reportUnreachable(() => Promise.reject(new TypeError('fetch failed')))
  const error = await fetch('http://nowhere').catch(ConnectError.from)
  expect(error).toMatchObject({ code: Code.Unavailable })
})

test('an aborted request is not reported as unavailable', async () => {
  const abort = new AbortController()
  abort.abort()
  const fetch = reportUnreachable(() => Promise.reject(new TypeError('aborted')))
  await expect(fetch('http://nowhere', { signal: abort.signal })).rejects.toThrow(TypeError)
})
