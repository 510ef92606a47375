import { afterEach, expect, jest, test } from '@jest/globals'
import type { Bus } from '../bus.ts'
import { serveRpc } from './serve.ts'

afterEach(() => void jest.useRealTimers())

test('a server that cannot start leaves no timer behind', async () => {
  const failure = new Error('the connection is closed')
  const nc = {
    subscribe: () => ({ unsubscribe: () => undefined }),
    flush: () => Promise.reject(failure),
    isClosed: () => true,
  }
  jest.useFakeTimers()
  const before = jest.getTimerCount()
  await expect(serveRpc({ nc } as unknown as Bus, { deployable: 'rooms', routes: () => undefined })).rejects.toBe(
    failure,
  )
  expect(jest.getTimerCount()).toBe(before)
})
