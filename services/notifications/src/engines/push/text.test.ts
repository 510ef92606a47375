import { expect, test } from '@jest/globals'
import { Links } from './links.ts'
import { bodyOf, titleOf, type MessageSummary } from './text.ts'

const summary: MessageSummary = { kind: 'direct_message', actor: 'Alice', room: '', preview: 'hello', attachments: 0 }

test.each<[string, Partial<MessageSummary>]>([
  ['Alice', {}],
  ['Alice mentioned you in #general', { kind: 'mention', room: 'general' }],
  ['Alice mentioned you', { kind: 'mention' }],
  ['Alice replied in #general', { kind: 'reply', room: 'general' }],
  ['Alice in #general', { kind: 'room_message', room: 'general' }],
])('the title can be "%s"', (title, fields) => expect(titleOf({ ...summary, ...fields })).toBe(title))

test.each<[string, Partial<MessageSummary>]>([
  ['hello', { attachments: 2 }],
  ['', { preview: '' }],
  ['Sent a file', { preview: '', attachments: 1 }],
  ['Sent 3 files', { preview: '', attachments: 3 }],
  ['🎉'.repeat(100), { preview: '🎉'.repeat(101) }],
])('the body can be "%s"', (body, fields) => expect(bodyOf({ ...summary, ...fields })).toBe(body))

test('the link of a push opens the message, in its thread, or the room of a direct message', () => {
  const links = new Links('https://chat.example/')
  const place = { kind: 'mention', roomId: 'R1', threadRootEventId: '', eventId: 'E2' } as const
  expect(links.to(place)).toBe('https://chat.example/chat/-/R1?highlight=E2')
  expect(links.to({ ...place, threadRootEventId: 'E1' })).toBe('https://chat.example/chat/-/R1/E1?highlight=E2')
  expect(links.to({ ...place, kind: 'direct_message', threadRootEventId: 'E1' })).toBe('https://chat.example/chat/-/R1')
  expect(links.icon).toBe('https://chat.example/icons/icon-192.png')
})
