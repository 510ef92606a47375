import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePort } from '@parley/local/infrastructure'
import { serveMails, type MailPage } from '../src/mails/serve.ts'
import { temporaryFolder } from './_folder.ts'

const temporary = temporaryFolder()
const folder = join(temporary.path, 'mail')
const evil = '<script>alert(1)</script>'
let page: MailPage

const mail = (subject: string, html: string) =>
  `From: chat@example.org\nTo: "${evil}" <ann@example.org>\nSubject: ${subject}\nContent-Type: multipart/alternative; boundary=b\n
--b\nContent-Type: text/plain\n\ntext of ${subject}${evil}\n--b\nContent-Type: text/html\n\n${html}\n--b--\n`

beforeAll(async () => {
  page = await serveMails(folder, await freePort(), 'secret')
})
afterAll(async () => {
  await page.close()
  temporary[Symbol.dispose]()
})

const read = async (path = '') => {
  const response = await fetch(new URL(path, page.url))
  return { response, body: await response.text() }
}

test('a missing folder counts as empty', async () => {
  expect((await read()).body).toContain('There is no mail yet')
})

test('mails are listed newest first, and shown without scripts', async () => {
  mkdirSync(folder)
  writeFileSync(join(folder, '20261120T1-a.eml'), mail('older', `<head></head>${evil}`))
  writeFileSync(join(folder, '20261120T2-b.eml'), mail(`newer ${evil}`, 'x'))
  writeFileSync(join(folder, '.20261120T3.new'), mail('unfinished', 'x'))
  const list = await read()
  expect(list.body.indexOf('newer')).toBeLessThan(list.body.indexOf('older'))
  expect(list.body).not.toContain('unfinished')
  const one = await read('20261120T1-a.eml')
  expect(one.body).toContain('text of older&lt;script&gt;')
  for (const { body } of [list, one]) expect(body).not.toContain(evil)
  expect(one.response.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
  expect(one.body).toMatch(/<iframe [^>]*sandbox="allow-popups allow-popups-to-escape-sandbox"/)
  const html = await read('20261120T1-a.eml/html')
  expect(html.body).toContain(evil)
  expect(html.response.headers.get('content-security-policy')).toMatch(/default-src 'none'.*; sandbox allow-popups/)
  for (const { response } of [list, one, html]) {
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  }
})

test('nothing can be read without the secret in the URL, and nothing outside the folder', async () => {
  writeFileSync(join(temporary.path, 'outside.eml'), mail('outside', 'x'))
  for (const path of ['/', '/other/', '/secret1/20261120T1-a.eml', '/secret/..%2foutside.eml', '/secret/x.eml'])
    expect((await read(path)).response.status).toBe(404)
  expect((await fetch(page.url, { method: 'POST' })).status).toBe(404)
  expect(page.url).toMatch(/^http:\/\/127\.0\.0\.1:/)
})
