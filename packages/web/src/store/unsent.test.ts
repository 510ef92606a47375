import { expect, test } from '@jest/globals'
import { nextToSend, conversationOf, type Unsent, withoutPosted, withUnsent } from './unsent.ts'

const unsent = (key: string, more: Partial<Unsent> = {}): Unsent => ({
  ...{ key, userId: 'U1', roomId: 'R1', threadRootEventId: '', inReplyTo: '', alsoSendToChannel: false, body: key },
  ...{ attachmentAssetIds: [], filenames: [], linkPreviewToken: '' },
  ...{ writtenAt: Number(key), state: 'waiting' },
  ...more,
})
const conversation = conversationOf(unsent('0'))

test('messages are sent in the order they were written, one at a time', () => {
  const queue = [unsent('2'), unsent('1'), unsent('0', { state: 'refused' })]
  expect(nextToSend(queue, conversation)?.key).toBe('1')
  expect(nextToSend(withUnsent(queue, '1', { state: 'sending' }), conversation)).toBeUndefined()
  expect(nextToSend(withUnsent(queue, '1', { state: 'sent' }), conversation)?.key).toBe('2')
})

test('sending in a thread does not wait for the room', () => {
  const queue = [unsent('1', { state: 'sending' }), unsent('2', { threadRootEventId: 'E1' })]
  expect(nextToSend(queue, conversation)).toBeUndefined()
  expect(nextToSend(queue, 'R1/E1')?.key).toBe('2')
})

test('messages that are in the timeline leave the queue, and so do discarded ones', () => {
  const queue = [unsent('1', { state: 'sent', messageId: 'E1' }), unsent('2')]
  expect(withoutPosted(queue, new Set(['E1', 'E2'])).map(({ key }) => key)).toEqual(['2'])
  expect(withoutPosted(queue, new Set(['E9']))).toBe(queue)
  expect(withUnsent(queue, '2', undefined).map(({ key }) => key)).toEqual(['1'])
})
