import { expect, test } from '@jest/globals'
import { findChatWindow } from './chat-window.ts'

const windowAt = (page: 'chat' | 'elsewhere') => ({
  page,
  postMessage: (_: unknown, [port]: Transferable[]) => {
    if (page === 'chat') (port as MessagePort).postMessage({})
    ;(port as MessagePort).close()
  },
})

test('a window that shows the chat is found among others', async () => {
  const [signIn, chat] = [windowAt('elsewhere'), windowAt('chat')]
  expect(await findChatWindow([signIn, chat], 60_000)).toBe(chat)
})

test('without a window that shows the chat, none is found', async () => {
  expect(await findChatWindow([windowAt('elsewhere')], 10)).toBeUndefined()
  expect(await findChatWindow([], 60_000)).toBeUndefined()
})
