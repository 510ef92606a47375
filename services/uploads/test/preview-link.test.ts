import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Resources, type Service } from '@parley/runtime'
import { NameResolver } from '@parley/outbound'
import { eventually, DnsServer, requestErasure } from '@parley/testkit'
import sharp from 'sharp'
import { linkPreviews, previewUses } from '../src/store/schema.ts'
import { openEnv, type Env } from './_env.ts'
import { plainImage } from './_images.ts'

const opened = new Resources()
let env: Env
let service: Service
let origin = ''
let clock = 0
let requested: string[] = []
let release: () => void = () => undefined

const page = (head: string) => `<!doctype html><html><head>${head}</head><body>Text</body></html>`
const html = (body: string | Buffer, headers: object = {}): RequestListener => {
  return (_, response) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body)
}
const to = (location: string): RequestListener => {
  return (_, response) => response.writeHead(302, { location }).end()
}

beforeAll(async () => {
  env = opened.use(await openEnv())
  const png = await plainImage(2_000, 1_000).png().toBuffer()
  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, ' '))
  const titled = page('<title>Hello</title>')
  const routes: Record<string, RequestListener> = {
    '/page': html(
      page('<title>Hello</title><meta name=description content=World><meta property=og:image content=/a.png>'),
    ),
    '/a.png': (_, response) => response.end(png),
    '/moved': to('/page'),
    ...Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`/hop${n}`, to(n === 0 ? '/page' : `/hop${n - 1}`)])),
    '/loop': to('/loop'),
    '/to-file': to('file:///etc/passwd'),
    '/to-secret': to('http://me:secret@example.org/'),
    '/plain': html('just text', { 'content-type': 'text/plain' }),
    '/json': html('{}', { 'content-type': 'application/json' }),
    '/empty': html(page('')),
    '/error': (_, response) => response.writeHead(500).end(titled),
    '/gone': (_, response) => response.destroy(),
    '/long': html(
      Buffer.concat([Buffer.from(titled.slice(0, titled.indexOf('</head>'))), Buffer.alloc(4 * 1024 * 1024, ' ')]),
    ),
    '/late': html(Buffer.concat([Buffer.alloc(3 * 1024 * 1024, ' '), Buffer.from(titled)])),
    '/packed': html(gzipSync(titled), { 'content-encoding': 'gzip' }),
    '/bomb': html(bomb, { 'content-encoding': 'gzip' }),
    '/strange': html(titled, { 'content-encoding': 'zip' }),
    '/large-image': html(page('<title>Hello</title><meta property=og:image content=/large.png>')),
    '/large.png': (_, response) => response.end(Buffer.alloc(6 * 1024 * 1024)),
    '/no-image': html(page('<title>Hello</title><meta property=og:image content=/page>')),
    '/slow': (_, response) => {
      release = () => html(titled)(_, response)
    },
  }
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    requested.push(path)
    const route = routes[path]
    if (route) route(request, response)
    else response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.defer('web server', async () => {
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  service = await start()
})
/**
 * With `sweepEveryMs`, tests may set the clock a day ahead only while no file is being written: the sweep would delete
 * the unfinished file.
 */
const start = (overrides: { sweepEveryMs?: number } = {}) =>
  env.start({ PARLEY_UPLOADS_FETCH_PRIVATE: 'true' }, { now: () => new Date(Date.now() + clock), ...overrides })
beforeEach(() => {
  clock = 0
  requested = []
})
afterAll(() => opened[Symbol.asyncDispose]())

let urls = 0
const freshUrl = (path: string) => `${origin}${path}?${urls++}`
const previewOf = async (url: string) => (await env.internal.previewLink({ url, userId: 'Ualice' })).preview

test('a preview has the texts of the page, and its image is served by this server', async () => {
  const url = `${freshUrl('/page')}#part`
  const preview = await previewOf(url)
  expect(preview).toMatchObject({ url, title: 'Hello', description: 'World', siteName: '', embedType: '' })
  const image = await fetch(`${service.url}/assets/server/${preview?.imageKey}`)
  const bytes = Buffer.from(await image.arrayBuffer())
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 1_200, height: 600 })
})

test('a preview is cached for a day, and the lack of one for an hour', async () => {
  const [good, bad] = [freshUrl('/page'), freshUrl('/empty')]
  const first = await previewOf(good)
  expect(await previewOf(bad)).toBeUndefined()
  clock = 59 * 60_000
  expect(await previewOf(`${good}#elsewhere`)).toMatchObject({ ...first, url: `${good}#elsewhere` })
  await previewOf(bad)
  expect(requested).toEqual(['/page', '/a.png', '/empty'])
  clock = 61 * 60_000
  await previewOf(bad)
  expect(requested).toEqual(['/page', '/a.png', '/empty', '/empty'])
  clock = 24 * 3_600_000 + 1_000
  await previewOf(good)
  expect(requested).toEqual(['/page', '/a.png', '/empty', '/empty', '/page', '/a.png'])
})

test('concurrent requests for a page share one fetch', async () => {
  const url = freshUrl('/slow')
  const all = Promise.all([previewOf(url), previewOf(url), previewOf(url)])
  await eventually(() => expect(requested).toEqual(['/slow']))
  release()
  expect((await all).map((preview) => preview?.title)).toEqual(['Hello', 'Hello', 'Hello'])
  expect(requested).toEqual(['/slow'])
})

test.each(['/moved', '/hop4', '/packed', '/large-image', '/no-image', '/long'])('%s has a preview', async (path) => {
  expect(await previewOf(freshUrl(path))).toMatchObject({ title: 'Hello' })
})

test('a preview leaves out an image that is too large or not an image', async () => {
  for (const path of ['/large-image', '/no-image'])
    expect(await previewOf(freshUrl(path))).toMatchObject({ imageKey: '' })
})

test.each([
  ...['/hop5', '/loop', '/to-file', '/to-secret', '/plain', '/json', '/empty', '/error', '/gone', '/nothing'],
  ...['/late', '/bomb', '/strange', '/a.png'],
])('%s has no preview', async (path) => {
  expect(await previewOf(freshUrl(path))).toBeUndefined()
})

test.each([
  '',
  'page',
  '/page',
  'ftp://example.org/',
  'javascript:alert(1)',
  'http://me:secret@example.org/',
  'http://',
])('%j is refused as the URL of a page', async (url) => {
  await expect(env.internal.previewLink({ url, userId: 'Ualice' })).rejects.toMatchObject({
    code: Code.InvalidArgument,
  })
})

test('a URL of more than 2,048 characters is refused', async () => {
  const url = `${origin}/page?${'x'.repeat(2_048)}`
  await expect(env.internal.previewLink({ url, userId: 'Ualice' })).rejects.toMatchObject({
    code: Code.InvalidArgument,
  })
})

test('a refusal for too many pending name look-ups is not cached as a missing preview', async () => {
  await using nameServer = await DnsServer.start({ 'page.example': ['127.0.0.1'] })
  using resolver = new NameResolver({
    servers: [nameServer.address],
    maxWaitingPerCaller: 3,
    maxWaitMs: 10,
    timeoutMs: 60_000,
  })
  const { resolve } = resolver
  await using other = await openEnv()
  await other.start({ PARLEY_UPLOADS_FETCH_PRIVATE: 'true' }, { resolve })
  const preview = (url: string, userId: string) => other.internal.previewLink({ url, userId })
  const { port } = new URL(origin)
  const pending = preview('http://unanswered.example/', 'Umallory')
  await nameServer.untilQueried(1)
  for (const path of ['/page', '/large-image'])
    await expect(preview(`http://page.example:${port}${path}`, 'Umallory')).rejects.toMatchObject({
      code: Code.ResourceExhausted,
    })
  expect((await preview(`http://page.example:${port}/page`, 'Ualice')).preview).toMatchObject({ title: 'Hello' })
  resolver[Symbol.dispose]()
  await pending
})

describe('with private addresses not allowed', () => {
  let closed: Env
  beforeAll(async () => {
    closed = opened.use(await openEnv())
    await closed.start()
  })

  test('private addresses are not contacted, by name or directly; the response is as for a page without a preview', async () => {
    const { port } = new URL(origin)
    for (const url of [
      `${origin}/page`,
      `http://localhost:${port}/page`,
      `http://[::1]:${port}/page`,
      `http://[::ffff:127.0.0.1]:${port}/page`,
      `http://0x7f000001:${port}/page`,
      `http://2130706433:${port}/page`,
      `http://127.1:${port}/page`,
      `http://0.0.0.0:${port}/page`,
      'http://169.254.169.254/latest/meta-data/',
      'http://10.0.0.1/',
    ])
      expect(await closed.internal.previewLink({ url })).not.toHaveProperty('preview')
    expect(requested).toEqual([])
  })
})

describe('a preview image', () => {
  beforeAll(async () => {
    await service[Symbol.asyncDispose]()
    service = await start({ sweepEveryMs: 100 })
  })

  const isShown = async (key: string) => (await fetch(`${service.url}/assets/server/${key}`)).status === 200
  const createPreviewImage = async () => (await previewOf(freshUrl('/page')))?.imageKey ?? ''
  const post = (imageKey: string, id: string, actorId = 'Ualice') =>
    env.publish('Rtea', {
      ...{ id, kind: 'message_posted', actorId },
      fact: { case: 'messagePosted', value: { linkPreviewImageKey: imageKey } },
    })
  const uses = async (imageKey: string) =>
    (await env.db.select().from(previewUses)).filter((use) => use.imageKey === imageKey && !use.ended).length

  test('is kept while the preview may be posted, and while a message shows it', async () => {
    const [unused, used] = [await createPreviewImage(), await createPreviewImage()]
    await post(used, 'Eused1')
    await post(used, 'Eused2')
    await eventually(async () => expect(await uses(used)).toBe(2))
    clock = 25 * 3_600_000
    await env.internal.previewLink({ url: `${origin}/empty?wait` })
    expect([await isShown(unused), await isShown(used)]).toEqual([true, true])
    clock = 27 * 3_600_000
    await eventually(async () => expect(await isShown(unused)).toBe(false))
    expect(await isShown(used)).toBe(true)
    const hide = (messageEventId: string, kind: 'messageEdited' | 'messageRetracted') =>
      env.publish('Rtea', {
        kind: kind === 'messageEdited' ? 'message_edited' : 'message_retracted',
        fact: { case: kind, value: { messageEventId, removedLinkPreviewImageKey: used } },
      })
    await hide('Eused1', 'messageEdited')
    await eventually(async () => expect(await uses(used)).toBe(1))
    expect(await isShown(used)).toBe(true)
    await hide('Eused2', 'messageRetracted')
    await eventually(async () => expect(await isShown(used)).toBe(false))
    await eventually(async () => expect(await env.storedKeys()).not.toContain(`server/${used}`))
    expect(await env.db.select().from(linkPreviews)).not.toContainEqual(expect.objectContaining({ imageKey: used }))
  })

  test('is kept while messaging is unavailable, and if messaging reports that a message shows it', async () => {
    const [unused, used] = [await createPreviewImage(), await createPreviewImage()]
    env.messaging.shown.add(used)
    env.messaging.unavailable = true
    const calls = env.messaging.findFileUsesCalls
    clock = 27 * 3_600_000
    await eventually(() => env.messaging.findFileUsesCalls > calls + 1)
    expect([await isShown(unused), await isShown(used)]).toEqual([true, true])
    env.messaging.unavailable = false
    await eventually(async () => expect(await isShown(unused)).toBe(false))
    expect(await isShown(used)).toBe(true)
  })

  test('is deleted if the retraction of its message arrives before the post, or if the author of its message is deleted', async () => {
    const [late, bobs] = [await createPreviewImage(), await createPreviewImage()]
    await env.publish('Rtea', {
      kind: 'message_retracted',
      fact: { case: 'messageRetracted', value: { messageEventId: 'Elate', removedLinkPreviewImageKey: late } },
    })
    await eventually(async () => expect(await env.db.select().from(previewUses)).not.toHaveLength(0))
    await post(late, 'Elate')
    await post(bobs, 'Ebobs', 'Ubob')
    await eventually(async () => expect(await uses(bobs)).toBe(1))
    await requestErasure(env.bus, 'Ubob')
    await eventually(async () => expect(await uses(bobs)).toBe(0))
    clock = 27 * 3_600_000
    await eventually(async () => expect([await isShown(late), await isShown(bobs)]).toEqual([false, false]))
  })
})
