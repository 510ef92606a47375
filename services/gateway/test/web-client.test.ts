import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openEnv, type Env } from './_env.ts'

const page = '<!doctype html><title>Parley</title>'
const script = 'console.log("hello, hello, hello, hello, hello")'

let env: Env
let url: string
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-web-client-'))
  await mkdir(join(folder, 'app'))
  await writeFile(join(folder, 'index.html'), page)
  await writeFile(join(folder, 'app/main-a1.js'), script)
  await writeFile(join(folder, 'app/main-a1.js.br'), brotliCompressSync(script))
  await writeFile(join(folder, 'app/main-a1.js.map'), '{}')
  env = await openEnv()
  url = (await env.start({ PARLEY_GATEWAY_WEB_CLIENT_DIRECTORY: folder })).url
})
afterAll(async () => {
  await env[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

/** Returns the raw bytes, which fetch would decompress. */
function get(path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>((resolve, reject) => {
    const request = httpRequest(`${url}${path}`, { headers }, (response) => {
      const { statusCode: status = 0, headers } = response
      buffer(response).then((body) => resolve({ status, headers, body }), reject)
    })
    request.once('error', reject).end()
  })
}

describe('the page', () => {
  test.each([
    ...[
      '/',
      '/?x=1',
      '/chat',
      '/chat/-/R1/E1?highlight=E2',
      '/login?redirect=/chat',
      '/register',
      '/invite',
      '/manage/people/U1',
    ],
    ...['/reset-password?token=PR1', '/sso/confirm?token=x', '/oauth/consent'],
  ])('is served at %s', async (path) => {
    const answer = await fetch(url + path)
    expect([answer.status, await answer.text()]).toEqual([200, page])
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-cache')
  })

  test('allows only its own scripts, and no frames', async () => {
    const { headers } = await fetch(`${url}/`)
    const policy = headers.get('content-security-policy')?.split('; ')
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]),
    )
    expect(policy?.join()).not.toMatch(/unsafe/)
    expect(headers.get('x-frame-options')).toBe('DENY')
  })

  test('is not sent to a client that has it: the response is 304', async () => {
    const { headers } = await get('/')
    const again = await get('/', { 'if-none-match': String(headers.etag) })
    expect([again.status, again.body.length]).toEqual([304, 0])
    expect((await get('/', { 'if-none-match': '"older"' })).status).toBe(200)
  })

  test('accepts only GET and HEAD', async () => {
    const posted = await fetch(`${url}/`, { method: 'POST', body: 'x' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    const head = await fetch(`${url}/`, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(page.length)])
  })
})

describe('an unknown path', () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  test.each(['/nowhere', '/app/nothing.js', '/chatter', '/api/nothing'])(
    'is answered with a page for a browser: %s',
    async (path) => {
      const answer = await fetch(url + path, { headers: { accept } })
      expect([answer.status, await answer.text()]).toEqual([404, page])
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('content-security-policy')).toMatch(/default-src 'none'/)
    },
  )

  test.each([
    ['another type', { headers: { accept: 'application/json' } }],
    ['any type', {}],
    ['no HTML', { headers: { accept: '*/*, text/html;q=0' } }],
    ['a POST', { method: 'POST', headers: { accept } }],
  ])('is answered in JSON for any other request: %s', async (_, request) => {
    const answer = await fetch(`${url}/nowhere`, request)
    expect([answer.status, await answer.json()]).toEqual([404, { error: 'not found: nothing at /nowhere' }])
  })
})

describe('the files of the web client', () => {
  test('may be cached for a year, because their names change with their content', async () => {
    const { headers, body } = await get('/app/main-a1.js')
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect(body.toString()).toBe(script)
  })

  test('are sent compressed if the client accepts Brotli', async () => {
    const { headers, body } = await get('/app/main-a1.js', { 'accept-encoding': 'gzip, deflate, br' })
    expect([headers['content-encoding'], headers.vary]).toEqual(['br', 'accept-encoding'])
    expect(brotliDecompressSync(body).toString()).toBe(script)
    for (const refused of ['gzip', 'br;q=0', 'brr']) {
      expect((await get('/app/main-a1.js', { 'accept-encoding': refused })).headers['content-encoding']).toBeUndefined()
    }
  })

  test.each(['/app/main-a1.js.br', '/app/main-a1.js.map', '/app/nothing.js', '/index.html', '/app', '/chatter'])(
    'do not include %s',
    async (path) => expect((await fetch(url + path)).status).toBe(404),
  )
})

test('without a web client, the path / describes the server', async () => {
  const bare = await env.start({ PARLEY_GATEWAY_WEB_CLIENT_DIRECTORY: join(folder, 'nowhere') })
  expect(await (await fetch(`${bare.url}/`)).text()).toMatch(/^This is a Parley server/)
})
