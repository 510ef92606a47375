import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { Code } from '@connectrpc/connect'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { lastErrors } from '@parley/telemetry'
import { eventually } from '@parley/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { openDiskStorage } from '../src/engines/storage/disk.ts'
import { openS3Storage } from '../src/engines/storage/s3.ts'
import type { Storage } from '../src/engines/storage/storage.ts'
import { startS3, type TestS3 } from './_s3.ts'

const part = 8 * 1024 * 1024
const from = (...pieces: Uint8Array[]) => Readable.from(pieces.map((piece) => Buffer.from(piece)))
const namesOf = async (entries: AsyncIterable<{ key: string }>) => {
  const keys: string[] = []
  for await (const { key } of entries) keys.push(key)
  return keys.sort()
}
const unavailable = { code: Code.Unavailable }

const disk = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-storage-'))
  const close = () => rm(folder, { recursive: true, force: true })
  return { storage: await openDiskStorage(folder), close }
}
const s3 = async () => {
  const server = await startS3()
  const storage = openS3Storage(server.settings)
  const close = async () => {
    storage[Symbol.dispose]()
    await server[Symbol.asyncDispose]()
  }
  return { storage, close }
}

describe.each([
  ['a folder', disk],
  ['a bucket', s3],
])('in %s', (_, open) => {
  let storage: Storage
  let close: () => Promise<void>
  beforeAll(async () => {
    ;({ storage, close } = await open())
  })
  afterAll(() => close())

  const put = (key: string, content: string) => storage.put(key, from(Buffer.from(content)))
  const get = async (key: string, range?: { start: number; end: number }) => {
    const found = await storage.get(key, range)
    return found && { size: found.size, content: await text(found.content) }
  }

  test('stored content can be read whole or in part, replaced and deleted', async () => {
    await put('files/A1', 'hello world')
    expect(await get('files/A1')).toEqual({ size: 11, content: 'hello world' })
    expect(await get('files/A1', { start: 6, end: 8 })).toEqual({ size: 11, content: 'wor' })
    expect(await get('files/A1', { start: 6, end: 1_000 })).toEqual({ size: 11, content: 'world' })
    expect(await get('files/A1', { start: 11, end: 20 })).toEqual({ size: 11, content: '' })
    await put('files/A1', 'other')
    expect(await get('files/A1')).toEqual({ size: 5, content: 'other' })
    await storage.delete('files/A1')
    await storage.delete('files/A1')
    expect(await get('files/A1')).toBeUndefined()
  })

  test('content may be empty', async () => {
    await storage.put('files/A0', from())
    expect(await get('files/A0')).toEqual({ size: 0, content: '' })
    await storage.delete('files/A0')
  })

  test.each([part - 1, part, part + 1, 3 * part + 12_345])('%d bytes are returned unchanged', async (size) => {
    const bytes = randomBytes(size)
    const digest = createHash('sha256').update(bytes).digest('hex')
    const pieces = Array.from({ length: Math.ceil(size / 70_001) }, (__, n) =>
      bytes.subarray(n * 70_001, (n + 1) * 70_001),
    )
    await storage.put('files/Alarge', from(...pieces))
    const found = await storage.get('files/Alarge')
    const returned = found && (await buffer(found.content))
    expect(found?.size).toBe(size)
    expect(
      createHash('sha256')
        .update(returned ?? '')
        .digest('hex'),
    ).toBe(digest)
    const middle = await storage.get('files/Alarge', { start: part - 10, end: part - 2 })
    expect(middle && (await buffer(middle.content))).toEqual(bytes.subarray(part - 10, part - 1))
    await storage.delete('files/Alarge')
  })

  test.each([
    ['at its start', 4],
    ['after some parts', 3 * part],
  ])(
    'a write that fails %s keeps the previous content, and leaves no unfinished write behind',
    async (_when, after) => {
      await put('files/A1', 'before')
      const failing = Readable.from(
        (function* () {
          for (let sent = 0; sent < after; sent += 1_048_576) yield Buffer.alloc(Math.min(1_048_576, after))
          throw new Error('the sender has disconnected')
        })(),
      )
      await expect(storage.put('files/A1', failing)).rejects.toThrow('the sender has disconnected')
      expect(failing.destroyed).toBe(true)
      expect(await get('files/A1')).toEqual({ size: 6, content: 'before' })
      expect(await namesOf(storage.unfinished())).toEqual([])
      await storage.delete('files/A1')
    },
  )

  test('content that is not read to its end does not block other reads', async () => {
    await storage.put('files/Alarge', from(Buffer.alloc(part)))
    const found = await storage.get('files/Alarge')
    found?.content.destroy()
    expect((await get('files/Alarge', { start: 0, end: 0 }))?.size).toBe(part)
    await storage.delete('files/Alarge')
  })

  test('the objects below a prefix are listed with size and age', async () => {
    for (const key of ['files/A1', 'files/x/A2', 'filesystem/A3', 'server/A4']) await put(key, 'x')
    expect(await namesOf(storage.list('files'))).toEqual(['files/A1', 'files/x/A2'])
    expect(await namesOf(storage.list('nothing'))).toEqual([])
    const before = Date.now()
    await put('blobs/A5', 'five!')
    for await (const { key, size, modifiedAt } of storage.list('blobs')) {
      expect({ key, size }).toEqual({ key: 'blobs/A5', size: 5 })
      expect(Math.abs(modifiedAt.getTime() - before)).toBeLessThan(60_000)
    }
  })

  test('more objects are listed than one page contains', async () => {
    const keys = Array.from({ length: 103 }, (__, n) => `many/A${String(n).padStart(5, '0')}`)
    await Promise.all(keys.map((key) => put(key, key)))
    expect(await namesOf(storage.list('many'))).toEqual(keys)
  })

  test.each(['', '/', '../A1', 'files/../../A1', 'files/./A1', '/etc/passwd', 'files//A1', 'files/A\0', 'a.b', 'a\\b'])(
    '%j is refused as a key',
    async (key) => {
      await expect(put(key, 'x')).rejects.toThrow(TypeError)
      await expect(storage.get(key)).rejects.toThrow(TypeError)
      await expect(storage.delete(key)).rejects.toThrow(TypeError)
    },
  )
})

describe('a folder', () => {
  let folder: string
  let storage: Storage
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-storage-'))
    storage = await openDiskStorage(folder)
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  test('is unavailable if a file is in its place', async () => {
    await rm(folder, { recursive: true })
    await writeFile(folder, 'not a folder')
    await expect(storage.put('files/A1', from())).rejects.toMatchObject(unavailable)
    await expect(storage.get('files/A1')).rejects.toMatchObject(unavailable)
  })

  test('logs why it cannot be read, once for all requests', async () => {
    const reasons = () => lastErrors().filter(({ message }) => message === 'the storage failed')
    await rm(join(folder, 'objects'), { recursive: true })
    await symlink('objects', join(folder, 'objects'))
    for (const key of ['files/A1', 'files/A2']) await expect(storage.get(key)).rejects.toMatchObject(unavailable)
    expect(
      reasons()
        .map(({ error }) => error)
        .filter((error) => error === 'ELOOP'),
    ).toEqual(['ELOOP'])
  })

  test('does not list files of other programs', async () => {
    await storage.put('files/A1', from(Buffer.from('x')))
    await mkdir(join(folder, 'objects/files/.snapshot'))
    for (const name of ['.A1.part', 'A1.txt', '.snapshot/A1'])
      await writeFile(join(folder, 'objects/files', name), 'theirs')
    expect(await namesOf(storage.list('files'))).toEqual(['files/A1'])
    expect((await storage.page('files', '', 9)).map(({ key }) => key)).toEqual(['files/A1'])
  })

  test('lists the unfinished writes of a process, and discards them', async () => {
    await writeFile(join(folder, 'unfinished/half'), 'x')
    for await (const write of storage.unfinished()) {
      expect(write.at.getTime()).toBeGreaterThan(Date.now() - 60_000)
      await write.discard()
    }
    expect(await readdir(join(folder, 'unfinished'))).toEqual([])
  })

  test('does not support presigned URLs', () => {
    expect(storage.presign).toBeUndefined()
  })
})

describe('a bucket', () => {
  let server: TestS3
  beforeEach(async () => {
    server = await startS3()
  })
  afterEach(async () => server[Symbol.asyncDispose]())

  test('can be checked by a ping, which reports a wrong key or a missing bucket', async () => {
    using storage = openS3Storage(server.settings)
    await expect(storage.ping()).resolves.toBeUndefined()
    using wrongKey = openS3Storage({ ...server.settings, secretAccessKey: 'another' })
    await expect(wrongKey.ping()).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } })
    await expect(wrongKey.get('files/A1')).rejects.toMatchObject(unavailable)
    expect(lastErrors()).toContainEqual(
      expect.objectContaining({ message: 'the storage failed', error: 'SignatureDoesNotMatch' }),
    )
    using missingBucket = openS3Storage({ ...server.settings, bucket: 'elsewhere' })
    await expect(missingBucket.ping()).rejects.toMatchObject({ $metadata: { httpStatusCode: 404 } })
    await expect(missingBucket.get('files/A1')).rejects.toMatchObject(unavailable)
  })

  test('has all its keys below the configured prefix', async () => {
    using storage = openS3Storage(server.settings)
    using other = openS3Storage({ ...server.settings, pathPrefix: '' })
    await storage.put('files/A1', from(Buffer.from('x')))
    expect(await namesOf(other.list('chat'))).toEqual(['chat/files/files/A1'])
    expect(await namesOf(other.list('files'))).toEqual([])
  })

  test('does not list objects of other programs', async () => {
    using storage = openS3Storage(server.settings)
    await storage.put('files/A1', from(Buffer.from('x')))
    const { endpoint, region, accessKeyId, secretAccessKey, bucket: Bucket } = server.settings
    const credentials = { accessKeyId, secretAccessKey }
    const client = new S3Client({ endpoint: `http://${endpoint}`, region, credentials, forcePathStyle: true })
    for (const name of ['A1.txt', '.A1.part'])
      await client.send(new PutObjectCommand({ Bucket, Key: `chat/files/files/${name}`, Body: 'theirs' }))
    client.destroy()
    expect(await namesOf(storage.list('files'))).toEqual(['files/A1'])
    expect((await storage.page('files', '', 9)).map(({ key }) => key)).toEqual(['files/A1'])
  })

  test('lists a full page with one request if one listing contains it', async () => {
    using storage = openS3Storage(server.settings)
    const keys = Array.from({ length: 101 }, (_, n) => `files/A${String(n).padStart(3, '0')}`)
    await Promise.all(keys.map((key) => storage.put(key, from(Buffer.from('x')))))
    server.requests.length = 0
    expect((await storage.page('files', '', 100)).map(({ key }) => key)).toEqual(keys.slice(0, 100))
    expect(server.requests).toHaveLength(1)
    expect((await storage.page('files', 'files/A099', 100)).map(({ key }) => key)).toEqual(keys.slice(100))
  })

  test('keeps no connection for content that is never read', async () => {
    using storage = openS3Storage(server.settings)
    await storage.put('files/A1', from(Buffer.alloc(2 * part)))
    const connections: IncomingMessage['socket'][] = []
    server.fault = ({ socket }) => {
      connections.push(socket)
      return undefined
    }
    const found = await storage.get('files/A1')
    found?.content.destroy()
    await eventually(() => expect(connections.map(({ destroyed }) => destroyed)).toEqual([true]))
  })

  test('is retried after a short failure, and unavailable after a longer one', async () => {
    using storage = openS3Storage(server.settings)
    let refusals = 2
    server.fault = () => (refusals-- > 0 ? 'refuse' : undefined)
    await storage.put('files/A1', from(Buffer.from('x')))
    server.fault = () => 'refuse'
    const source = from(Buffer.alloc(2 * part), Buffer.alloc(2 * part))
    await expect(storage.put('files/A1', source)).rejects.toMatchObject(unavailable)
    expect(source.destroyed).toBe(true)
    await expect(storage.get('files/A1')).rejects.toMatchObject(unavailable)
    await expect(storage.delete('files/A1')).rejects.toMatchObject(unavailable)
    await expect(namesOf(storage.list('files'))).rejects.toMatchObject(unavailable)
  })

  test('deletes the parts of a write that fails in the middle', async () => {
    using storage = openS3Storage(server.settings)
    server.fault = ({ url }) => (url?.includes('partNumber=3') ? 'refuse' : undefined)
    await expect(storage.put('files/A1', from(Buffer.alloc(4 * part)))).rejects.toMatchObject(unavailable)
    expect(server.requests.some((line) => line.includes('partNumber=2'))).toBe(true)
    expect(await server.unfinished()).toEqual([])
    expect(await namesOf(storage.list('files'))).toEqual([])
  })

  test('is unavailable if it does not answer in time', async () => {
    using storage = openS3Storage(server.settings, { requestTimeout: 100 })
    server.fault = () => 'no response'
    await expect(storage.get('files/A1')).rejects.toMatchObject(unavailable)
  })

  test('is unavailable if a response ends in the middle of a file', async () => {
    using storage = openS3Storage(server.settings)
    await storage.put('files/A1', from(Buffer.from('much more than ten bytes')))
    server.fault = () => 'truncate'
    const found = await storage.get('files/A1')
    await expect(text(found?.content ?? from())).rejects.toMatchObject(unavailable)
  })

  test('reports no failure if a reader disconnects', async () => {
    using storage = openS3Storage(server.settings)
    await storage.put('files/A1', from(Buffer.alloc(2 * part)))
    const content = (await storage.get('files/A1'))?.content ?? from()
    await once(content, 'readable')
    const gone = Object.assign(new Error('gone'), { code: 'EGONE' })
    content.destroy(gone)
    await expect(finished(content)).rejects.toBe(gone)
    expect(lastErrors().map(({ error }) => error)).not.toContain('EGONE')
  })

  test('lists the unfinished writes of a process, and discards them', async () => {
    using storage = openS3Storage(server.settings)
    server.fault = ({ url, method }) => (url?.includes('partNumber=3') || method === 'DELETE' ? 'refuse' : undefined)
    await expect(storage.put('files/A1', from(Buffer.alloc(3 * part)))).rejects.toMatchObject(unavailable)
    server.fault = () => undefined
    expect(await server.unfinished()).toHaveLength(1)
    expect(await namesOf(storage.unfinished())).toEqual(['files/A1'])
    for await (const write of storage.unfinished()) {
      expect(write.at.getTime()).toBeGreaterThan(Date.now() - 60_000)
      await write.discard()
    }
    expect(await server.unfinished()).toEqual([])
  })

  test('divides unfinished writes into pages, but not those of one key', async () => {
    using storage = openS3Storage(server.settings)
    for (const n of [1, 2, 3, 4]) await server.beginUpload(`files/A${Math.ceil(n / 2)}`, `upload${n}`)
    const pageAfter = async (after: string, limit: number) =>
      (await storage.unfinishedAfter(after, limit)).map(({ key }) => key)
    expect(await pageAfter('', 1)).toEqual(['files/A1', 'files/A1'])
    expect(await pageAfter('', 3)).toEqual(['files/A1', 'files/A1', 'files/A2', 'files/A2'])
    expect(await pageAfter('files/A1', 1)).toEqual(['files/A2', 'files/A2'])
    expect(await pageAfter('files/A2', 1)).toEqual([])
  })

  test('ignores the uploads of other programs in the same bucket', async () => {
    server.fault = ({ url, method }) => (url?.includes('partNumber=3') || method === 'DELETE' ? 'refuse' : undefined)
    const begin = async (pathPrefix: string) => {
      using storage = openS3Storage({ ...server.settings, pathPrefix })
      await expect(storage.put('files/A1', from(Buffer.alloc(3 * part)))).rejects.toMatchObject(unavailable)
    }
    await begin('backups')
    await begin('')
    server.fault = () => undefined
    expect(await server.unfinished()).toHaveLength(2)
    using storage = openS3Storage({ ...server.settings, pathPrefix: '' })
    for await (const write of storage.unfinished()) {
      expect(write.key).toBe('files/A1')
      await write.discard()
    }
    expect(await server.unfinished()).toHaveLength(1)
  })

  describe('presigned URLs', () => {
    const wanted = { expiresMs: 300_000, contentType: 'video/mp4', filename: 'Überblick "1".mp4' }

    test('serve an object with its type and name, whole and in ranges', async () => {
      using storage = openS3Storage(server.settings)
      await storage.put('files/A1', from(Buffer.from('hello world')))
      const url = (await storage.presign?.('files/A1', wanted)) ?? ''
      const whole = await fetch(url)
      expect(whole.status).toBe(200)
      expect(await whole.text()).toBe('hello world')
      expect(whole.headers.get('content-type')).toBe('video/mp4')
      expect(whole.headers.get('content-disposition')).toBe(
        `inline; filename="_berblick _1_.mp4"; filename*=UTF-8''%C3%9Cberblick%20%221%22.mp4`,
      )
      const range = await fetch(url, { headers: { range: 'bytes=6-8' } })
      expect(range.status).toBe(206)
      expect(await range.text()).toBe('wor')
      expect(range.headers.get('content-range')).toBe('bytes 6-8/11')
    })

    test('are valid only for this object, this type and this time', async () => {
      using storage = openS3Storage(server.settings)
      await storage.put('files/A1', from(Buffer.from('hello world')))
      await storage.put('files/A2', from(Buffer.from('secret')))
      const url = new URL((await storage.presign?.('files/A1', wanted)) ?? '')
      expect(url.searchParams.get('X-Amz-Expires')).toBe('300')
      expect(url.href).not.toContain(server.settings.secretAccessKey)
      const changed = (change: (copy: URL) => void) => {
        const copy = new URL(url)
        change(copy)
        return fetch(copy).then(({ status }) => status)
      }
      expect(await changed(() => undefined)).toBe(200)
      expect(await changed((copy) => (copy.pathname = copy.pathname.replace('A1', 'A2')))).toBe(403)
      expect(await changed((copy) => copy.searchParams.set('X-Amz-Expires', '600'))).toBe(403)
      expect(await changed((copy) => copy.searchParams.set('response-content-type', 'text/html'))).toBe(403)
      expect(await changed((copy) => copy.searchParams.set('X-Amz-Signature', '0'.repeat(64)))).toBe(403)
      expect((await fetch(url, { method: 'DELETE' })).status).toBe(403)
    })

    test('exist only if enabled', () => {
      using storage = openS3Storage({ ...server.settings, presign: false })
      expect(storage.presign).toBeUndefined()
    })
  })
})
