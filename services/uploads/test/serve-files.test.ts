import { randomBytes } from 'node:crypto'
import { readdir, readlink, rm, truncate } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { openEnv, type Env } from './_env.ts'
import { bytesOf, FileFixture } from './_file-fixture.ts'

let env: Env
let files: FileFixture
let id = ''
let etag = ''
let modified = ''
const file = randomBytes(700_000)

beforeAll(async () => {
  env = await openEnv()
  env.rooms.set('Rtea', ['Ualice', 'Ubob'])
  files = new FileFixture(env)
  await files.start()
  id = await files.attach(file, 'audio/ogg')
  const { headers } = await files.read(id, { method: 'HEAD' })
  etag = headers.get('etag') ?? ''
  modified = headers.get('last-modified') ?? ''
})
afterAll(async () => env[Symbol.asyncDispose]())

const request = (headers: Record<string, string>, method = 'GET') => files.read(id, { headers, method })

describe('a part of a file', () => {
  test.each([
    ['bytes=0-0', 0, 0],
    ['bytes=100-299999', 100, 299_999],
    ['bytes=699990-', 699_990, 699_999],
    ['bytes=-7', 699_993, 699_999],
    ['bytes=5-9999999', 5, 699_999],
  ])('is sent for %s', async (range, start, end) => {
    const response = await request({ range })
    expect(response.status).toBe(206)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...{ 'content-range': `bytes ${start}-${end}/700000`, 'content-length': `${end - start + 1}` },
      ...{ etag, 'content-type': 'audio/ogg', 'accept-ranges': 'bytes', 'cache-control': 'private, no-store' },
    })
    expect((await bytesOf(response)).equals(file.subarray(start, end + 1))).toBe(true)
  })

  test('beyond the end is refused, and the length of the file is returned', async () => {
    for (const range of ['bytes=700000-', 'bytes=-0']) {
      const response = await request({ range })
      expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */700000'])
      expect(await response.json()).toEqual({ error: 'range not satisfiable: the file has 700000 bytes' })
    }
  })

  test.each(['bytes=0-1,5-6', 'bytes=9-2', 'lines=1-2', 'bytes=x'])(
    'is not sent for %s, which returns the whole file',
    async (range) => {
      const response = await request({ range })
      expect([response.status, response.headers.has('content-range')]).toEqual([200, false])
      expect((await bytesOf(response)).equals(file)).toBe(true)
    },
  )

  test('is sent with an If-Range that matches; otherwise the whole file is sent', async () => {
    const statusWith = async (ifRange: string) => {
      const response = await request({ range: 'bytes=0-9', 'if-range': ifRange })
      await response.arrayBuffer()
      return response.status
    }
    expect([await statusWith(etag), await statusWith(modified)]).toEqual([206, 206])
    for (const other of ['"other"', `W/${etag}`, 'Sat, 01 Jan 2000 00:00:00 GMT'])
      expect(await statusWith(other)).toBe(200)
  })

  test('is not sent for HEAD, which returns the length of the file', async () => {
    const response = await request({ range: 'bytes=0-9' }, 'HEAD')
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '700000'])
    expect(response.headers.get('accept-ranges')).toBe('bytes')
  })
})

describe('a conditional request for a file', () => {
  test.each([
    [() => ({ 'if-none-match': etag }), 304],
    [() => ({ 'if-none-match': `"other", W/${etag}` }), 304],
    [() => ({ 'if-none-match': '*' }), 304],
    [() => ({ 'if-modified-since': modified }), 304],
    [() => ({ 'if-none-match': '"other"', 'if-modified-since': modified }), 200],
    [() => ({ 'if-modified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' }), 200],
  ])('with %s gets status %i; a GET for a range gets 206 instead of 200', async (headers, status) => {
    for (const method of ['GET', 'HEAD']) {
      const response = await request({ ...headers(), range: 'bytes=0-9' }, method)
      expect(response.status).toBe(status === 200 && method === 'GET' ? 206 : status)
      expect(response.headers.get('etag')).toBe(etag)
      if (status === 304) expect(await bytesOf(response)).toHaveLength(0)
      else await response.arrayBuffer()
    }
  })
})

describe('a file with the content type', () => {
  test.each([
    ['text/html', 'text/html'],
    ['image/svg+xml', 'image/svg+xml'],
    ['application/xhtml+xml', 'application/xhtml+xml'],
    ['text/xml; charset=utf-8', 'text/xml; charset=utf-8'],
    ['application/mathml+xml', 'application/mathml+xml'],
    ['audio/x+xml', 'audio/x+xml'],
    ['multipart/x-mixed-replace; boundary=a', 'multipart/x-mixed-replace; boundary=a'],
    ['application/octet-stream', 'application/octet-stream'],
    ['text/javascript', 'application/octet-stream'],
    ['text/css', 'application/octet-stream'],
  ])('%s is sent as a download with a sandbox, so that no script runs in a browser', async (contentType, sent) => {
    const { headers } = await files.read(await files.attach(Buffer.from('<script>'), contentType))
    expect(headers.get('content-type')).toBe(sent)
    expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''notes.txt")
    expect(headers.get('content-security-policy')).toMatch(/^sandbox\b/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test.each(['text/plain', 'application/pdf', 'audio/ogg', 'image/avif'])('%s is shown inline', async (contentType) => {
    const options = { filename: 'Plan "B".txt' }
    const { headers } = await files.read(await files.attach(Buffer.from('<script>'), contentType, options))
    expect(headers.get('content-type')).toBe(contentType)
    expect(headers.get('content-disposition')).toBe("inline; filename*=UTF-8''Plan%20%22B%22.txt")
    expect(headers.has('content-security-policy')).toBe(false)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })
})

describe('a file that cannot be sent completely', () => {
  const openFiles = async (): Promise<number> => {
    const links = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    )
    return links.filter((path) => path.startsWith(env.folder)).length
  }

  test('is closed in the storage when the client disconnects', async () => {
    const large = await files.attach(randomBytes(20_000_000), 'audio/ogg')
    const sockets = await Promise.all(Array.from({ length: 5 }, () => beginReading(files.signedUrlOf(large))))
    await eventually(async () => expect(await openFiles()).toBe(5))
    for (const socket of sockets) socket.destroy()
    await eventually(async () => expect(await openFiles()).toBe(0))
  })

  test.each([
    ['lost', (path: string) => rm(path)],
    ['truncated', (path: string) => truncate(path, 10)],
  ])('is not found if its bytes are %s', async (_, damage) => {
    const lost = await files.attach(file, 'audio/ogg')
    await damage(join(env.folder, 'objects/files', lost))
    const response = await files.read(lost)
    expect([response.status, await response.json()]).toEqual([404, { error: 'asset not found' }])
  })
})

function beginReading(url: string): Promise<Socket> {
  const { hostname, port, pathname, search } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
    })
    socket.once('data', () => resolve(socket.pause()))
    socket.once('error', reject)
  })
}
