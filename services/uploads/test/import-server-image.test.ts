import { createServer, type RequestListener } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ServerImageKind } from '@parley/contracts/internal'
import { Resources, type Service } from '@parley/runtime'
import sharp from 'sharp'
import { openEnv, type Env } from './_env.ts'
import { plainImage } from './_images.ts'

const opened = new Resources()
let env: Env
let service: Service
let origin: string
let requested: string[] = []

beforeAll(async () => {
  env = opened.use(await openEnv())
  const png = await plainImage(300, 300).png().toBuffer()
  const routes: Record<string, RequestListener> = {
    '/avatar.png': (_, response) => response.end(png),
    '/moved': (_, response) => response.writeHead(302, { location: '/avatar.png' }).end(),
    '/loop': (_, response) => response.writeHead(302, { location: '/loop' }).end(),
    '/elsewhere': (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    '/page': (_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('<html>'),
    '/huge': (_, response) => response.end(Buffer.alloc(6 * 1024 * 1024)),
    '/broken': (_, response) => response.writeHead(500).end(),
    '/cut': (_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('half')
      setImmediate(() => response.destroy())
    },
  }
  const server = createServer((request, response) => {
    requested.push(request.url ?? '')
    const route = routes[request.url ?? '']
    if (route) route(request, response)
    else response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.defer('web server', () => new Promise<void>((resolve) => server.close(() => resolve())))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => opened[Symbol.asyncDispose]())

const importImage = (url: string) =>
  env.internal.importServerImage({ url, kind: ServerImageKind.AVATAR, ownerId: 'Ualice' })

test('private addresses are not contacted, by name or directly', async () => {
  const withoutPrivateFetch = await env.start()
  requested = []
  const { port } = new URL(origin)
  for (const url of [
    `${origin}/avatar.png`,
    `http://localhost:${port}/avatar.png`,
    `http://[::1]:${port}/avatar.png`,
    `http://[::ffff:127.0.0.1]:${port}/avatar.png`,
    `http://0x7f000001:${port}/avatar.png`,
    `http://2130706433:${port}/avatar.png`,
    'http://169.254.169.254/latest/meta-data/',
  ])
    await expect(importImage(url)).rejects.toMatchObject({ code: Code.InvalidArgument })
  expect(requested).toEqual([])
  await withoutPrivateFetch[Symbol.asyncDispose]()
})

test('an image is fetched, also after a redirect, and converted like an uploaded one', async () => {
  service = await env.start({ PARLEY_UPLOADS_FETCH_PRIVATE: 'true' })
  for (const path of ['/avatar.png', '/moved']) {
    const { key } = await importImage(`${origin}${path}`)
    const response = await fetch(`${service.url}/assets/server/${key}`)
    expect(await sharp(Buffer.from(await response.arrayBuffer())).metadata()).toMatchObject({ width: 256, height: 256 })
  }
})

test.each([
  ['/loop', Code.InvalidArgument],
  ['/elsewhere', Code.InvalidArgument],
  ['/page', Code.InvalidArgument],
  ['/huge', Code.InvalidArgument],
  ['/broken', Code.Unavailable],
  ['/cut', Code.Unavailable],
  ['/nothing', Code.Unavailable],
])('importing an image from %s fails with code %i', async (path, code) => {
  await expect(importImage(`${origin}${path}`)).rejects.toMatchObject({ code })
})

test.each([
  '',
  'avatar.png',
  'ftp://example.org/a.png',
  'data:image/png;base64,AAAA',
  'http://me:secret@example.org/a.png',
])('%j is refused as the URL of an image', async (url) => {
  await expect(importImage(url)).rejects.toMatchObject({ code: Code.InvalidArgument })
})

test('an unreachable server is reported as unavailable', async () => {
  await expect(importImage('http://127.0.0.1:1/avatar.png')).rejects.toMatchObject({ code: Code.Unavailable })
})
