import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { useEnv, type Gateway } from './_env.ts'

const env = useEnv()
let gateway: Gateway
beforeAll(async () => {
  gateway = await env.start()
})

test('a page allows no script, no form and no frame', async () => {
  const answer = await gateway.browser().get('/oauth/authorize?redirect_uri=%3Cb%3E')
  expect(answer.status).toBe(400)
  const policy = answer.headers.get('content-security-policy') ?? ''
  for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'"])
    expect(policy).toContain(rule)
  expect(policy).not.toMatch(/unsafe|script-src|\*/)
  expect(answer.headers.get('x-frame-options')).toBe('DENY')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  expect(answer.text).not.toMatch(/<script|<b>|\son\w+=|style="/i)
  expect(answer.text).toMatch(/<html lang="en">[\s\S]*role="alert"/)
})

test('a page allows exactly its own styles', async () => {
  const { text, headers } = await gateway.browser().get('/oauth/authorize?redirect_uri=x')
  const [, content] = /<style>([^]*?)<\/style>/.exec(text) ?? []
  const hash = createHash('sha256')
    .update(content ?? '')
    .digest('base64')
  expect(content).toContain('color-scheme: light dark')
  expect(headers.get('content-security-policy')).toContain(`style-src 'sha256-${hash}'`)
})

test('a page is in a language that the browser accepts, or else in English', async () => {
  const path = '/oauth/authorize?redirect_uri=x'
  const pageIn = async (language: string) =>
    (await fetch(gateway.url + path, { headers: { 'accept-language': language } })).text()
  expect(await pageIn('de-DE,de;q=0.9,en;q=0.8')).toMatch(/<html lang="de">[\s\S]*Ungültige Zugriffsanfrage/)
  expect(await pageIn('fr')).toMatch(/<html lang="en">[\s\S]*Invalid authorization request/)
})

test('a page requires GET', async () => {
  const answer = await gateway.browser().send('DELETE', '/oauth/authorize')
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})
