import { expect, test } from '@jest/globals'
import { Code, ConnectError, type MemberClient } from '@parley/client'
import { setLanguageFromFile } from '../messages/_texts-from-files.ts'
import { pendingFilesOf } from './pending-files.ts'

test('files are kept for their user, and their uploads are cancelled when another user signs in', async () => {
  const cancelled: string[] = []
  const assetUpload = {
    createUpload: async ({ filename }: { filename: string }) => ({ upload: { uploadId: filename } }),
    uploadChunk: () => new Promise(() => undefined),
    cancelUpload: async ({ uploadId }: { uploadId: string }) => void cancelled.push(uploadId),
  }
  const server = { api: { assetUpload } } as unknown as MemberClient
  const files = pendingFilesOf(server, 'Uann')
  files.add('R1/', 'R1', [new File(['one'], 'one.txt'), new File(['two'], 'two.txt')])
  const isSending = files
    .in('R1/')
    .value.map(
      ({ state }) => new Promise<void>((resolve) => state.subscribe(() => state.value.at === 'sending' && resolve())),
    )
  await Promise.all(isSending)
  expect(pendingFilesOf(server, 'Uann')).toBe(files)
  expect([files.count(), cancelled]).toEqual([2, []])
  expect(pendingFilesOf(server, 'Ubob').count()).toBe(0)
  expect([files.count(), cancelled]).toEqual([0, ['one.txt', 'two.txt']])
})

test('a message waits for its files, also while the page starts again, and is not sent for another user', async () => {
  const uploads: (() => void)[] = []
  const assetUpload = {
    createUpload: async ({ filename }: { filename: string }) => ({ upload: { uploadId: filename } }),
    uploadChunk: async () => ({ upload: { committedOffset: 3n } }),
    completeUpload: async ({ uploadId }: { uploadId: string }) => {
      await new Promise<void>((resolve) => uploads.push(resolve))
      return { asset: { id: `A-${uploadId}` } }
    },
    cancelUpload: async () => undefined,
  }
  const files = pendingFilesOf({ api: { assetUpload } } as unknown as MemberClient, 'Ucarl')
  const sent: unknown[] = []
  const send = (...message: unknown[]) => void sent.push(message)
  const settled = () => new Promise((resolve) => setTimeout(resolve, 10))
  const written = { roomId: 'R1', threadRootEventId: '', body: 'here', inReplyTo: '' }
  const message = { ...written, alsoSendToChannel: false, linkPreviewToken: '' }

  files.add('R1/', 'R1', [new File(['one'], 'one.txt')])
  const stop = files.sendWith(send)
  files.send('R1/', message)
  while (uploads.length < 1) await settled()
  stop()
  uploads[0]?.()
  await settled()
  expect([sent, files.writtenIn('R1/').value]).toEqual([[], message])
  files.sendWith(send)
  expect(sent).toEqual([['R1/', { ...message, attachmentAssetIds: ['A-one.txt'], filenames: ['one.txt'] }]])
  expect([files.writtenIn('R1/').value, files.count()]).toEqual([undefined, 0])

  files.add('R1/', 'R1', [new File(['two'], 'two.txt')])
  files.send('R1/', message)
  pendingFilesOf({ api: { assetUpload } } as unknown as MemberClient, 'Udora')
  expect([files.count(), files.writtenIn('R1/').value, sent.length]).toEqual([0, undefined, 1])
})

test('a message that waits for a refused file is reported until the file is removed or the message waits no longer', async () => {
  await setLanguageFromFile('en')
  const createUpload = () => Promise.reject(new ConnectError('too large', Code.InvalidArgument))
  const files = pendingFilesOf({ api: { assetUpload: { createUpload } } } as unknown as MemberClient, 'Ufrida')
  const written = { roomId: 'R1', threadRootEventId: '', body: 'here', inReplyTo: '' }
  const message = { ...written, alsoSendToChannel: false, linkPreviewToken: '' }
  const sent: unknown[] = []
  files.sendWith((conversation) => void sent.push(conversation))
  files.add('R1/', 'R1', [new File(['one'], 'one.txt')])
  files.send('R1/', message)
  expect(files.blocked.value).toEqual([])
  const blocked = new Promise<void>((resolve) => files.blocked.subscribe(() => files.blocked.value[0] && resolve()))
  await blocked
  expect(files.blocked.value).toEqual(['R1/'])
  files.writtenIn('R1/').set(undefined)
  expect(files.blocked.value).toEqual([])
  files.send('R1/', message)
  expect(files.blocked.value).toEqual(['R1/'])
  for (const upload of files.in('R1/').value) files.remove('R1/', upload)
  expect([files.blocked.value, sent]).toEqual([[], ['R1/']])
})

test('resumeFailed continues an upload that failed while the server was unreachable', async () => {
  let isReachable = false
  const assetUpload = {
    createUpload: async () => {
      if (!isReachable) throw new ConnectError('not now', Code.Unavailable)
      return { upload: { uploadId: 'A1' } }
    },
    uploadChunk: async () => ({ upload: { committedOffset: 3n } }),
    completeUpload: async () => ({ asset: { id: 'A1' } }),
  }
  const files = pendingFilesOf({ api: { assetUpload } } as unknown as MemberClient, 'Uelsa')
  files.add('R1/', 'R1', [new File(['one'], 'one.txt')])
  const state = files.in('R1/').value[0]?.state
  const reaches = (at: string) =>
    new Promise<void>((resolve) => state?.subscribe(() => state.value.at === at && resolve()))
  await reaches('failed')
  await new Promise((resolve) => setImmediate(resolve))
  isReachable = true
  const done = reaches('done')
  files.resumeFailed()
  await done
})
