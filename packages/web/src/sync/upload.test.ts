import { expect, jest, test } from '@jest/globals'
import type { MemberClient } from '@parley/client'
import { Upload } from './upload.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

/**
 * Starts to upload a file, which is read once `read` is called. The response that creates the upload waits for
 * `created`.
 */
async function startUpload(created: Promise<void>) {
  let read: () => void = () => undefined
  const content = new Promise<void>((resolve) => (read = resolve)).then(() => new ArrayBuffer(3))
  const file = { name: 'a.txt', type: 'text/plain', size: 3, slice: () => ({ arrayBuffer: () => content }) }
  const assetUpload = {
    createUpload: jest.fn(() => created.then(() => ({ upload: { uploadId: 'A1' } }))),
    cancelUpload: jest.fn(async (_: { uploadId: string }) => ({})),
    uploadChunk: jest.fn(),
  }
  const upload = new Upload({ api: { assetUpload } } as unknown as MemberClient, 'R1', file as unknown as File)
  await import('./digest.ts')
  await settled()
  return { upload, read, assetUpload }
}

test('a file that is removed while its content is read from disk is not uploaded', async () => {
  const { upload, read, assetUpload } = await startUpload(Promise.resolve())
  upload.cancel()
  read()
  await settled()
  expect(assetUpload.createUpload).not.toHaveBeenCalled()
})

test('an upload that is cancelled while it is created is cancelled on the server too', async () => {
  let create: () => void = () => undefined
  const { upload, read, assetUpload } = await startUpload(new Promise<void>((resolve) => (create = resolve)))
  read()
  await settled()
  expect(assetUpload.createUpload).toHaveBeenCalled()
  upload.cancel()
  create()
  await settled()
  expect(assetUpload.cancelUpload).toHaveBeenCalledWith({ uploadId: 'A1' })
  expect(assetUpload.uploadChunk).not.toHaveBeenCalled()
})
