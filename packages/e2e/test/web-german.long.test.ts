import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from '@jest/globals'
import { AdminRoomLayoutService } from '@parley/contracts/admin'
import { RoomDirectoryService } from '@parley/contracts/api'
import type { Locator, Page } from 'playwright-core'
import { findCutOffControls } from '../src/accessibility.ts'
import { codeIn, mailTo } from '../src/mails.ts'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, useBrowser, visit } from '../src/web-client.ts'

const german = JSON.parse(readFileSync(new URL('../../web/src/messages/de.json', import.meta.url), 'utf8')) as Record<
  string,
  string
>
const de = (key: string, filled = '') => (german[key] ?? `no text ${key}`).replace(/\{\w+\}/, filled)

let owner: Person
let ada: Person
let roomId: string

useBrowser('German', async () => {
  ;[owner, ada] = await Promise.all([signInOwner(), newPerson('ada')])
  roomId = await newRoom(owner, [ada])
})

async function errorsIn(form: Page | Locator): Promise<string[]> {
  const texts = await form.locator('[role=alert] p, .failure').allTextContents()
  const known = new Set(Object.values(german))
  expect(texts.filter((text) => !known.has(text))).toEqual([])
  return texts
}

async function expectError(
  form: Page | Locator,
  fields: [label: string, value: string][],
  button: string,
  key: string,
) {
  for (const [label, value] of fields) await form.getByLabel(de(label), { exact: true }).fill(value)
  await form.getByRole('button', { name: de(button), exact: true }).click()
  await form.getByText(de(key), { exact: true }).first().waitFor()
  expect(await errorsIn(form)).toContain(de(key))
}

async function signInInGerman(page: Page, { login, password }: Pick<Person, 'login' | 'password'>): Promise<void> {
  await page.getByLabel(de('signIn.identifier')).fill(login)
  await page.getByLabel(de('signIn.password')).fill(password)
  await page.getByLabel(de('signIn.password')).press('Enter')
}

const visitGerman = (path: string) => visit(path, { locale: 'de-DE' })
const takenLogin = () => newPerson('taken').then(({ login }) => login)

inBrowser('sign-in and registration report errors in German', async () => {
  await using visitor = await visitGerman('/')
  const { page } = visitor
  await expectError(page, [], 'signIn.submit', 'required')
  const wrong: [string, string][] = [
    ['signIn.identifier', ada.login],
    ['signIn.password', 'not this one'],
  ]
  await expectError(page, wrong, 'signIn.submit', 'signIn.wrong')

  await page.getByRole('link', { name: de('signIn.register') }).click()
  await expectError(page, [['forgot.email', 'ada@']], 'register.sendCode', 'refused.badEmail')
  const email = `neu-${randomBytes(5).toString('hex')}@example.org`
  await page.getByLabel(de('forgot.email')).fill(email)
  await page.getByRole('button', { name: de('register.sendCode') }).click()
  await expectError(page, [['register.code', '']], 'register.next', 'required')
  const code = codeIn(await mailTo(email))
  const other = code === '000000' ? '000001' : '000000'
  await expectError(page, [['register.code', other]], 'register.next', 'refused.wrongCode')
  await page.getByLabel(de('register.code')).fill(code)
  await page.getByRole('button', { name: de('register.next') }).click()
  const names = (login: string, password: string, repeated = password): [string, string][] => [
    ['register.login', login],
    ['password.new', password],
    ['password.repeat', repeated],
  ]
  await expectError(page, names('ü', 'lang genug!'), 'register.complete', 'refused.badLogin')
  await expectError(page, names('a..b', 'lang genug!'), 'register.complete', 'refused.badLogin')
  await expectError(page, names(await takenLogin(), 'kurz'), 'register.complete', 'password.rule')
  await expectError(page, names(await takenLogin(), 'lang genug!', 'anders'), 'register.complete', 'password.differ')
  await expectError(page, names(await takenLogin(), 'lang genug!'), 'register.complete', 'refused.loginTaken')
})

inBrowser('settings, their button for a file, and their errors are in German', async () => {
  await using visitor = await visitGerman(`/chat/-/${roomId}`)
  const { page } = visitor
  await signInInGerman(page, ada)
  await page.getByRole('button', { name: de('settings.heading') }).click()
  await page.getByText(de('file.choose')).waitFor()
  const dialog = page.getByRole('dialog')
  const section = (key: string) => dialog.getByRole('button', { name: de(key), exact: true }).click()
  const names = (displayName: string, login: string): [string, string][] => [
    ['profile.displayName', displayName],
    ['register.login', login],
  ]
  await expectError(dialog, names('-ada', ada.login), 'edit.save', 'refused.badDisplayName')
  await expectError(dialog, names('Ada', 'a.'), 'edit.save', 'refused.badLogin')
  await expectError(dialog, names('Ada', 'everyone'), 'edit.save', 'refused.badLogin')
  await expectError(dialog, names('Ada', await takenLogin()), 'edit.save', 'refused.loginTaken')

  await section('settings.status')
  const status = (emoji: string): [string, string][] => [
    ['status.emoji', emoji],
    ['status.text', 'Unterwegs'],
  ]
  await expectError(dialog, status(''), 'edit.save', 'required')
  await expectError(dialog, status('🎉🎉'), 'edit.save', 'refused.badStatus')

  await section('settings.email')
  await expectError(dialog, [['forgot.email', 'ada']], 'register.sendCode', 'refused.badEmail')

  await section('settings.security')
  const change = (current: string, password: string): [string, string][] => [
    ['security.currentPassword', current],
    ['password.new', password],
    ['password.repeat', password],
  ]
  const passwords = dialog.locator('form').first()
  await expectError(passwords, change('', 'lang genug!'), 'reset.submit', 'required')
  await expectError(passwords, change('falsch', 'kurz'), 'reset.submit', 'password.rule')
  await expectError(passwords, change('falsch', 'lang genug!'), 'reset.submit', 'refused.wrongPassword')
  await expectError(passwords, change('x'.repeat(200), 'lang genug!'), 'reset.submit', 'refused.tooLong')

  // Errors without a specific text are reported in German too.
  await page.route('**/UpdatePassword', (route) =>
    route.fulfill({
      status: 400,
      contentType: 'application/json',
      body: JSON.stringify({ code: 'invalid_argument', message: 'something that was not there before' }),
    }),
  )
  await expectError(passwords, change('falsch', 'lang genug!'), 'reset.submit', 'refused.input')
})

inBrowser('errors about rooms, groups, people and the texts of the server are in German', async () => {
  await using visitor = await visitGerman('/manage/people')
  const { page } = visitor
  await signInInGerman(page, owner)
  await page.getByRole('button', { name: de('people.add') }).click()
  const person = (login: string, email: string): [string, string][] => [
    ['register.login', login],
    ['forgot.email', email],
    ['password.new', 'lang genug!'],
    ['password.repeat', 'lang genug!'],
  ]
  const people = page.getByRole('region', { name: de('people.add') })
  await expectError(people, person('x', ''), 'people.create', 'refused.badLogin')
  await expectError(people, person('neu', 'nirgendwo'), 'people.create', 'refused.badEmail')
  await expectError(people, person(ada.login, ''), 'people.create', 'refused.loginTaken')

  await page.goto(new URL('/manage/rooms', page.url()).href)
  const newGroup = page.getByRole('region', { name: de('groups.new') })
  await expectError(newGroup, [['groups.name', ' ']], 'groups.create', 'required')
  await page.getByRole('button', { name: de('newRoom.heading') }).click()
  const dialog = page.getByRole('dialog')
  await expectError(dialog, [['newRoom.name', 'zwei Wörter']], 'newRoom.create', 'refused.badRoomName')
  const { room: entry } = await owner.call(RoomDirectoryService.method.getRoom, { roomId })
  await expectError(dialog, [['newRoom.name', entry?.room?.name ?? '']], 'newRoom.create', 'refused.roomNameTaken')

  await page.goto(new URL(`/manage/rooms/${roomId}`, page.url()).href)
  await page.getByRole('button', { name: de('rooms.banThis', ada.login) }).click()
  const members = page.getByRole('region', { name: 'Mitglieder' })
  await members.getByLabel(de('rooms.reason')).press('Enter')
  await members.getByText(de('required')).waitFor()
  await errorsIn(members)

  await page.goto(new URL('/manage/server', page.url()).href)
  const texts = page.getByRole('region', { name: de('server.texts') })
  await expectError(texts, [['server.motd', 'ü'.repeat(600)]], 'edit.save', 'refused.tooLong')
  const { groups } = await owner.call(AdminRoomLayoutService.method.listRoomGroups, {})
  expect(groups.map(({ name }) => name)).not.toContain(' ')
})

inBrowser.each([390, 320])('no German text is cut off in the settings of a phone %d pixels wide', async (width) => {
  await using visitor = await visit('/', { locale: 'de-DE', viewport: { width, height: 780 } })
  const { page } = visitor
  await signInInGerman(page, ada)
  await page.getByRole('button', { name: de('settings.heading') }).click()
  const sections = page.getByRole('dialog').getByRole('navigation').getByRole('button')
  await sections.first().waitFor()
  for (const section of await sections.all()) {
    await section.click()
    expect({ section: await section.innerText(), cutOff: await findCutOffControls(page) }).toMatchObject({ cutOff: [] })
  }
})

inBrowser('the question before deleting a message fits into the pane of a thread', async () => {
  const root = await post(ada, roomId, 'Wohin damit?')
  await using visitor = await visitGerman(`/chat/-/${roomId}/${root}`)
  const { page } = visitor
  await signInInGerman(page, ada)
  const pane = page.getByRole('complementary')
  const message = pane.getByRole('article').filter({ hasText: 'Wohin damit?' })
  await message.hover()
  await message.getByRole('button', { name: de('actions.delete'), exact: true }).click()
  const around = await pane.boundingBox()
  const [left, right] = [around?.x ?? Infinity, (around?.x ?? 0) + (around?.width ?? 0)]
  const button = (key: string) => message.getByRole('button', { name: de(key), exact: true })
  for (const part of [message.getByText(de('actions.deleteAsk')), button('actions.delete'), button('actions.cancel')]) {
    const box = await part.boundingBox()
    expect(box?.x).toBeGreaterThanOrEqual(left)
    expect((box?.x ?? Infinity) + (box?.width ?? 0)).toBeLessThanOrEqual(right)
  }
})

inBrowser('emoji have German names, and are found by them', async () => {
  await using visitor = await visitGerman(`/chat/-/${roomId}`)
  const { page } = visitor
  await signInInGerman(page, ada)
  await page.getByRole('button', { name: de('composer.emoji') }).click()
  await page.getByRole('combobox', { name: de('emoji.search') }).fill('rotes herz')
  await page.getByRole('option', { name: 'rotes Herz', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  expect(await page.getByRole('textbox', { name: 'Nachricht schreiben' }).inputValue()).toBe('❤️')
  expect(visitor.pageErrors).toEqual([])
})
