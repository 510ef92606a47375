import { expect, test } from '@jest/globals'
import type { MemberClient } from '@parley/client'
import { pendingFilesOf } from './pending-files.ts'

test('files are kept for their user, and their uploads are cancelled when another one signs in', async () => {
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
