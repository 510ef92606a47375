import { beforeEach, expect, test } from '@jest/globals'
import type { MemberClient } from '@parley/client'
import type { Message } from '@parley/client/contract'
import { beginReply, endReply, replyingTo } from '../state/composing.ts'
import { draftOf, followDraft, saveDraft } from '../storage/drafts.ts'
import type { Chat } from './chat.ts'
import { PendingFiles } from './pending-files.ts'
import { sendWritten } from './send-written.ts'

let stored: Map<string, string>

/** Replaces `StorageEvent`, which only browsers have. */
class StorageChange extends Event {
  readonly key: string
  readonly newValue: string | null

  constructor(type: string, { key, newValue }: { key: string; newValue: string | null }) {
    super(type)
    this.key = key
    this.newValue = newValue
  }
}

beforeEach(() => {
  stored = new Map()
  const localStorage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  }
  const events = new EventTarget()
  const replaced = {
    ...{ localStorage, StorageEvent: StorageChange },
    addEventListener: events.addEventListener.bind(events),
    removeEventListener: events.removeEventListener.bind(events),
    dispatchEvent: events.dispatchEvent.bind(events),
  }
  for (const [name, value] of Object.entries(replaced))
    Object.defineProperty(globalThis, name, { value, configurable: true })
})

/** Reports a change of the draft of R1 by another tab. */
const report = (newValue: string | null) =>
  dispatchEvent(new StorageEvent('storage', { key: 'parley.draft.Uann.R1/', newValue }))

const written = { roomId: 'R1', threadRootEventId: '', inReplyTo: '', alsoSendToChannel: false, linkPreviewToken: '' }

function startChat() {
  const sent: unknown[] = []
  const pending = new Promise<never>(() => undefined)
  const server = { api: { assetUpload: { createUpload: () => pending } } } as unknown as MemberClient
  const files = new PendingFiles(server)
  const sender = { send: ({ body }: { body: string }) => void sent.push(body) }
  const stop = sendWritten({ files, sender, userId: 'Uann', timelineAt: () => undefined } as unknown as Chat)
  return { files, sent, stop }
}

/** Removes the only file of R1, so that nothing is left to upload. */
function finish(files: PendingFiles): void {
  const [upload] = files.in('R1/').value
  if (upload) files.remove('R1/', upload)
}

test('when no file of a message is left to upload, the message is sent and its draft is cleared', () => {
  const { files, sent, stop } = startChat()
  saveDraft('Uann', 'R1/', 'here')
  files.add('R1/', 'R1', [new File(['one'], 'one.txt')])
  files.send('R1/', { ...written, body: 'here' })
  finish(files)
  expect([sent, draftOf('Uann', 'R1/')]).toEqual([['here'], ''])
  stop()
})

test('sending a reply ends replying in its room, but not in another room', () => {
  const { files, sent, stop } = startChat()
  for (const conversation of ['R1/', 'R2/']) beginReply(conversation, { id: 'M1' } as Message)
  files.send('R1/', { ...written, body: 'yes', inReplyTo: 'M1' })
  expect([sent, [...replyingTo.value.keys()]]).toEqual([['yes'], ['R2/']])
  endReply('R2/')
  stop()
})

test.each([
  ['sent', null],
  ['changed', 'something else'],
])('a message that waits for its files is not sent if another tab has %s its draft', (_, draft) => {
  const { files, sent, stop } = startChat()
  saveDraft('Uann', 'R1/', 'here')
  files.add('R1/', 'R1', [new File(['one'], 'one.txt')])
  files.send('R1/', { ...written, body: 'here' })
  saveDraft('Uann', 'R1/', draft ?? '')
  report(draft)
  finish(files)
  expect([sent, draftOf('Uann', 'R1/')]).toEqual([[], draft ?? ''])
  stop()
})

test('a late event about a draft shows its newest text', () => {
  const shown: string[] = []
  const stop = followDraft('Uann', 'R1/', (text) => void shown.push(text))
  saveDraft('Uann', 'R1/', 'tea')
  report('te')
  expect(shown).toEqual(['tea'])
  stop()
})
