import { expect } from '@jest/globals'
import { eventually } from '@parley/testkit'
import type { Page, Route } from 'playwright-core'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, messageWith, useBrowser, visitAs } from '../src/web-client.ts'

let ada: Person
let bob: Person
let roomId: string

useBrowser('change of language', async () => {
  ;[ada, bob] = await Promise.all([newPerson('ada'), newPerson('bob')])
  roomId = await newRoom(await signInOwner(), [ada, bob])
})

async function openLanguage(page: Page) {
  await page.getByRole('textbox', { name: 'Write a message' }).waitFor()
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Appearance' }).click()
  return page.getByRole('dialog').getByLabel('Language')
}

inBrowser('a change of language keeps attached files, and the focus returns to the settings', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const { promise: mayUpload, resolve: upload } = Promise.withResolvers<void>()
  await page.route('**/UploadChunk', async (route) => {
    await mayUpload
    await route.continue()
  })
  await page
    .getByLabel('Attach files')
    .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('one') })
  await page.getByRole('list', { name: 'Files to send' }).getByText('notes.txt').waitFor()
  await (await openLanguage(page)).selectOption('Deutsch')
  await page.getByRole('dialog').getByRole('heading', { name: 'Einstellungen' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Einstellungen' }).and(page.locator(':focus')).waitFor()

  await page.getByRole('list', { name: 'Dateien zum Senden' }).getByText('notes.txt').waitFor()
  upload()
  const field = page.getByRole('textbox', { name: 'Nachricht schreiben' })
  await field.fill('Mit Anhang')
  await field.press('Enter')
  await messageWith(page, 'Mit Anhang').getByRole('link', { name: 'notes.txt' }).waitFor()
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('after a change of language, a message posted before the new page is connected is shown', async () => {
  await using visitor = await visitAs(ada, '/')
  const { page } = visitor
  const { promise: mayConnect, resolve: connect } = Promise.withResolvers<void>()
  let sockets = 0
  await page.routeWebSocket('**/api/realtime', async (socket) => {
    if (++sockets > 1) await mayConnect
    socket.connectToServer()
  })
  await page.goto(new URL(`/chat/-/${roomId}`, page.url()).href)
  await (await openLanguage(page)).selectOption('Deutsch')
  await page.getByRole('dialog').getByRole('heading', { name: 'Einstellungen' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('textbox', { name: 'Nachricht schreiben' }).waitFor()
  await post(bob, roomId, 'Hallo')
  connect()
  await messageWith(page, 'Hallo').waitFor()
  expect([sockets, visitor.pageErrors]).toEqual([2, []])
})

inBrowser(
  'of two quick changes of language the last one takes effect, and the page starts again only once',
  async () => {
    await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
    const { page } = visitor
    const language = await openLanguage(page)
    const held: Route[] = []
    await page.route('**/GetViewer', (route) => void held.push(route))
    for (const [at, name] of ['Deutsch', 'English'].entries()) {
      await language.selectOption(name)
      await eventually(async () => expect(held.length).toBe(at + 1))
    }
    const mark = () => page.evaluate(`document.querySelector('.page').isMarked = true`)
    const isMarked = () => page.evaluate<boolean>(`document.querySelector('.page')?.isMarked === true`)
    await mark()
    await held[1]?.continue()
    await eventually(async () => expect(await isMarked()).toBe(false))
    await page.getByRole('dialog').getByRole('heading', { name: 'Settings' }).waitFor()
    await mark()
    const answered = page.waitForResponse('**/GetViewer')
    await held[0]?.continue()
    await answered
    await page.keyboard.press('Escape')
    await post(bob, roomId, 'Hello again')
    await messageWith(page, 'Hello again').waitFor()
    expect(await isMarked()).toBe(true)
    expect(visitor.pageErrors).toEqual([])
  },
)

inBrowser('a change of language keeps the text of an edit', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await post(ada, roomId, 'Tea for two')
  await messageWith(page, 'Tea for two').waitFor()
  await page.getByRole('textbox', { name: 'Write a message' }).press('ArrowUp')
  const editor = page.getByRole('textbox', { name: 'Edit message' })
  await editor.fill('Tea for three')
  await (await openLanguage(page)).selectOption('Deutsch')
  await page.getByRole('dialog').getByRole('heading', { name: 'Einstellungen' }).waitFor()
  await page.keyboard.press('Escape')
  const restarted = page.getByRole('textbox', { name: 'Nachricht bearbeiten' })
  await restarted.waitFor()
  expect(await restarted.inputValue()).toBe('Tea for three')
  expect(visitor.pageErrors).toEqual([])
})

inBrowser(
  'a change of language while the server is unreachable keeps the chat, and takes effect afterwards',
  async () => {
    await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
    const { page } = visitor
    const language = await openLanguage(page)
    let refused = 0
    const refuse = async (route: Route) => {
      await route.abort()
      refused++
    }
    await page.route('**/GetViewer', refuse)
    await language.selectOption('Deutsch')
    await eventually(() => refused > 1)
    expect(await page.getByRole('log').count()).toBe(1)
    await page.unroute('**/GetViewer', refuse)
    await page.getByRole('textbox', { name: 'Nachricht schreiben' }).waitFor()
  },
)
