import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { Code, ConnectError, type MemberClient } from '@parley/client'
import { Sender, type NewMessage } from './sender.ts'

let sender: Sender
let isReachable: boolean
let lastUser: string
let listeners: Map<string, () => void>
const createMessage = jest.fn(async () => {
  if (!isReachable) throw new ConnectError('not now', Code.Unavailable)
  return { message: { id: 'M1' } }
})

beforeEach(() => {
  jest.useFakeTimers()
  createMessage.mockClear()
  isReachable = true
  lastUser = 'U1'
  listeners = new Map()
  // Replaces APIs that only browsers have.
  const locks = { request: async (_: string, held: () => Promise<boolean>) => held() }
  const addEventListener = (name: string, listener: () => void) => void listeners.set(name, listener)
  const localStorage = { getItem: () => lastUser }
  for (const [name, value] of Object.entries({ navigator: { onLine: false, locks }, addEventListener, localStorage }))
    Object.defineProperty(globalThis, name, { value, configurable: true })
  sender = new Sender({ api: { message: { createMessage } } } as unknown as MemberClient, 'U1', () => undefined)
})
afterEach(() => {
  sender.close()
  jest.useRealTimers()
})

const written: NewMessage = {
  ...{ roomId: 'R1', threadRootEventId: '', inReplyTo: '', alsoSendToChannel: false, body: 'Tea?' },
  ...{ attachmentAssetIds: [], filenames: [], linkPreviewToken: '' },
}

async function attemptsAfter(ms: number): Promise<number> {
  await jest.advanceTimersByTimeAsync(ms)
  return createMessage.mock.calls.length
}

test('without network, sending is attempted once a minute while a message is waiting', async () => {
  isReachable = false
  sender.send(written)
  expect(await attemptsAfter(59_000)).toBe(0)
  expect(await attemptsAfter(1_000)).toBe(1)
  expect(await attemptsAfter(59_000)).toBe(1)
  isReachable = true
  expect(await attemptsAfter(1_000)).toBe(2)
  expect(await attemptsAfter(600_000)).toBe(2)
})

test('a sent message proves that there is a network, until the browser reports again that there is none', async () => {
  sender.send(written)
  expect(await attemptsAfter(60_000)).toBe(1)
  sender.send(written)
  expect(await attemptsAfter(0)).toBe(2)
  listeners.get('offline')?.()
  sender.send(written)
  expect(await attemptsAfter(0)).toBe(2)
  listeners.get('online')?.()
  expect(await attemptsAfter(0)).toBe(3)
})

test('sendWaiting sends at once, even if the browser reports no network', async () => {
  sender.send(written)
  expect(await attemptsAfter(0)).toBe(0)
  sender.sendWaiting()
  expect(await attemptsAfter(0)).toBe(1)
})

test.each([
  ['fails', () => Promise.reject(new ConnectError('not now', Code.Unavailable))],
  ['succeeds', () => Promise.resolve({ message: { id: 'M1' } })],
])('a closed sender sends nothing after its last attempt, which %s', async (_, respond) => {
  let go: () => void = () => undefined
  const response = new Promise<void>((resolve) => (go = resolve)).then(respond)
  createMessage.mockImplementationOnce(() => response)
  sender.send(written)
  sender.send(written)
  await jest.advanceTimersByTimeAsync(0)
  sender.sendWaiting()
  expect(await attemptsAfter(0)).toBe(1)
  sender.close()
  go()
  expect(await attemptsAfter(600_000)).toBe(1)
})

test('nothing is sent once another user has signed in through another tab', async () => {
  sender.send(written)
  lastUser = 'U2'
  sender.sendWaiting()
  expect(await attemptsAfter(600_000)).toBe(0)
})
