import { expect } from '@jest/globals'
import { MessageService, MyAccountService, RoomService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import type { Page } from 'playwright-core'
import { sendFile } from '../src/files.ts'
import { fleet } from '../src/fleet.ts'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, messageWith, say, signInAt, useBrowser, visit, visitAs } from '../src/web-client.ts'

// No package may import the web client, so the payloads of its unit tests are imported by URL.
const corpus = new URL('../../web/src/markdown/_payloads.ts', import.meta.url).href
const { payloads } = (await import(corpus)) as { payloads: readonly string[] }

let owner: Person
let ada: Person

useBrowser('safety', async () => {
  ;[owner, ada] = await Promise.all([signInOwner(), newPerson('ada')])
})

const recordAttacks = `
  globalThis.attacks = []
  for (const name of ['alert', 'confirm', 'prompt', 'open']) globalThis[name] = () => void attacks.push(name)
  addEventListener('securitypolicyviolation', ({ violatedDirective, sample }) =>
    attacks.push(violatedDirective + ' ' + sample))`

/** The protocol of an invalid URL is `:`. */
const findHarm = (page: Page) =>
  page.evaluate<string[]>(`[
    ...[...document.querySelectorAll('main *, aside *, nav *')].filter((element) =>
      element.matches('script, iframe, object, embed, base, meta, link, style, form[action], [srcdoc], [style*="url("]') ||
      [...element.attributes].some(({ name }) => name.startsWith('on'))),
    ...[...document.querySelectorAll('a[href]')].filter(({ protocol }) => !['http:', 'https:', 'mailto:', ':'].includes(protocol)),
  ].map((element) => element.outerHTML.slice(0, 200))`)

function foreignRequestsOf(page: Page): string[] {
  const foreign: string[] = []
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (/^http/.test(protocol) && origin !== fleet().gateways[0]) foreign.push(request.url())
  })
  return foreign
}

inBrowser(
  'attack payloads in messages run no code and load nothing from other origins',
  async () => {
    const roomId = await newRoom(owner, [ada])
    await post(owner, roomId, 'Before all attacks')
    let accepted = 0
    for (let at = 0; at < payloads.length; at += 20)
      await Promise.all(
        payloads.slice(at, at + 20).map(async (body) => {
          const { status } = await owner.attempt(MessageService.method.createMessage, { roomId, body })
          // Bodies with control characters are refused.
          expect([200, 400]).toContain(status)
          if (status === 200) accepted++
        }),
      )
    expect(accepted).toBeGreaterThan(450)
    await post(owner, roomId, 'After all attacks')
    await using visitor = await visitAs(ada)
    const { page, pageErrors } = visitor
    const foreign = foreignRequestsOf(page)
    await page.addInitScript({ content: recordAttacks })
    await page.goto(`${fleet().gateways[0]}/chat/-/${roomId}`)
    await messageWith(page, 'After all attacks').hover()
    const seen = new Set<string>()
    await eventually(
      async () => {
        expect(await findHarm(page)).toEqual([])
        for (const text of await page.evaluate<string[]>(
          `[...document.querySelectorAll('[role=log] article .rest')].map((one) => one.textContent)`,
        ))
          seen.add(text)
        await page.mouse.wheel(0, -600)
        expect(await messageWith(page, 'Before all attacks').isVisible()).toBe(true)
      },
      { timeoutMs: 120_000 },
    )
    expect(seen.size).toBeGreaterThan(100)
    expect(await page.evaluate('attacks')).toEqual([])
    expect([...foreign, ...pageErrors]).toEqual([])
  },
  180_000,
)

inBrowser('a status, the description of a room and the name of a file run no code', async () => {
  const attack = '<img src=x onerror=alert(1)>'
  const [eve, roomId] = [await newPerson('eve'), await newRoom(owner, [ada])]
  await eve.call(RoomService.method.joinRoom, { roomId })
  await eve.call(MyAccountService.method.updateCustomStatus, { emoji: '🎈', text: attack })
  await owner.call(RoomService.method.updateRoom, { roomId, description: attack })
  const file = { filename: `${attack}.md`, contentType: 'text/html' }
  const assetId = await sendFile(eve, roomId, Buffer.from(`${attack}<script>alert(1)</script>`), file)
  await eve.call(MessageService.method.createMessage, { roomId, body: 'Look', attachmentAssetIds: [assetId] })
  await using visitor = await visitAs(ada)
  const { page, pageErrors } = visitor
  await page.addInitScript({ content: recordAttacks })
  await page.goto(`${fleet().gateways[0]}/chat/-/${roomId}`)
  await messageWith(page, 'Look').getByText(attack).first().waitFor()
  await page.getByRole('button', { name: 'About this room' }).click()
  await page.getByRole('complementary').getByText(attack).first().waitFor()
  await messageWith(page, 'Look').getByRole('button', { name: eve.login }).first().click()
  await page.getByRole('dialog').getByText(attack).waitFor()
  expect(await findHarm(page)).toEqual([])
  expect(await page.evaluate('attacks')).toEqual([])
  expect(pageErrors).toEqual([])

  // The file itself is served without the right to run scripts.
  const link = await messageWith(page, 'Look').locator('a[href*="/assets/"]').first().getAttribute('href')
  const { headers, status } = await fetch(new URL(link ?? '', page.url()))
  expect(status).toBe(200)
  expect(headers.get('content-security-policy')).toMatch(/sandbox/)
  expect(headers.get('content-security-policy')).not.toMatch(/allow-scripts/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

inBrowser('the page refuses strings as markup and code', async () => {
  await using visitor = await visitAs(ada)
  const { page } = visitor
  const attempt = (code: string) =>
    page.evaluate<string>(`(() => { try { ${code}; return 'allowed' } catch ({ name }) { return name } })()`)
  expect(await attempt(`document.createElement('div').innerHTML = '<b>x</b>'`)).toBe('TypeError')
  expect(await attempt(`document.createElement('script').src = '/app/x.js'`)).toBe('TypeError')
  expect(await attempt(`document.createElement('script').text = 'alert(1)'`)).toBe('TypeError')
  expect(await attempt(`trustedTypes.createPolicy('another', {})`)).toBe('TypeError')
})

inBrowser('no credential is in a URL or stored where scripts can read it', async () => {
  const roomId = await newRoom(owner, [ada])
  const root = await post(owner, roomId, 'Nothing to see')
  await using visitor = await visit(`/chat/-/${roomId}/${root}`)
  const { page } = visitor
  const urls: string[] = []
  page.on('request', (request) => urls.push(request.url(), request.headers()['referer'] ?? ''))
  page.on('websocket', (socket) => urls.push(socket.url()))
  page.on('framenavigated', (frame) => urls.push(frame.url()))
  await signInAt(page, ada)
  await say(page, 'Here I am')
  await messageWith(page, 'Here I am').waitFor()
  await page.reload()
  await messageWith(page, 'Here I am').waitFor()
  expect(urls.some((url) => url.startsWith('ws'))).toBe(true)
  const cookies = await page.context().cookies()
  const session = cookies.filter(({ httpOnly }) => httpOnly).map(({ value }) => value)
  expect(session.length).toBeGreaterThan(0)
  const stored = await page.evaluate<string>(
    `JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }) + document.cookie`,
  )
  for (const text of [...urls, stored]) {
    expect(text).not.toMatch(/prl_[A-Z]/)
    for (const secret of [...session, ada.password]) expect(text).not.toContain(secret)
  }
})
