import { randomBytes } from 'node:crypto'
import { expect } from '@jest/globals'
import { AdminPermissionService, PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { fleet } from '../src/fleet.ts'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom } from '../src/rooms.ts'
import { fillSignIn, inBrowser, signInAt, useBrowser, visit, visitAs } from '../src/web-client.ts'

let owner: Person
const unique = (name: string) => `${name}-${randomBytes(4).toString('hex')}`

useBrowser('administration', async () => {
  ;[owner] = await Promise.all([signInOwner(), newPerson('somebody')])
})

inBrowser('an owner creates an account, assigns a role, deactivates and reactivates it', async () => {
  await using visitor = await visitAs(owner)
  const { page } = visitor
  await page.getByRole('link', { name: /^Manage / }).click()
  await page.getByRole('button', { name: 'Add a person' }).click()
  const [login, password] = [unique('newcomer'), 'long enough for anyone']
  await page.getByLabel('Login', { exact: true }).fill(login)
  await page.getByLabel('Display name').fill('New Comer')
  await page.getByLabel('New password').fill(password)
  await page.getByLabel('Repeat the password').fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'New Comer' }).waitFor()

  await using ofNewcomer = await visit()
  await signInAt(ofNewcomer.page, { login, password })
  expect(await ofNewcomer.page.getByRole('link', { name: /^Manage / }).count()).toBe(0)
  await page.getByRole('checkbox', { name: 'Moderator' }).check()
  await page.getByRole('button', { name: 'Deactivate this account' }).click()
  await page.getByRole('button', { name: 'Deactivate', exact: true }).click()
  await page.getByText(/^Deactivated since/).waitFor()
  await ofNewcomer.page.getByRole('heading', { name: /Sign in/ }).waitFor()
  await fillSignIn(ofNewcomer.page, { login, password })
  await ofNewcomer.page.getByText(/This account is deactivated/).waitFor()
  await page.getByRole('button', { name: 'Reactivate this account' }).click()
  await page.getByRole('button', { name: 'Deactivate this account' }).waitFor()
  await signInAt(ofNewcomer.page, { login, password })
  await page.getByRole('link', { name: 'All people' }).click()
  await page.getByLabel('Name or login').fill(login)
  await page.getByText('One person').waitFor()
  await page.getByText('moderator').waitFor()
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('a permission change by an owner takes effect at once', async () => {
  const ada = await newPerson('ada')
  const roomId = await newRoom(owner, [ada])
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const field = page.getByRole('textbox', { name: 'Write a message' })
  await field.waitFor()
  const posting = { userId: ada.userId, permission: 'message.post', scope: { kind: PermissionScopeKind.SERVER } }
  const decide = (decision: PermissionDecision) =>
    owner.call(AdminPermissionService.method.setUserPermission, { ...posting, decision })
  await decide(PermissionDecision.DENY)
  await page.getByText('You can read this room, but not post in it.').waitFor()
  await decide(PermissionDecision.NONE)
  await field.waitFor()

  const manage = page.getByRole('link', { name: /^Manage / })
  expect(await manage.count()).toBe(0)
  await using ofOwner = await visitAs(owner, `/manage/people/${ada.userId}`)
  const role = ofOwner.page.getByRole('checkbox', { name: 'Admin' })
  await role.check()
  await manage.click()
  await page.getByRole('heading', { name: 'People' }).waitFor()
  await role.uncheck()
  await page.getByText('You are not allowed to manage this.').waitFor()
  await page.getByRole('link', { name: 'Back to rooms' }).click()
  await field.waitFor()
  expect(await manage.count()).toBe(0)
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('when another person signs in in one tab, the other tabs show that person, too', async () => {
  const [ada, ben] = await Promise.all([newPerson('ada'), newPerson('ben')])
  const roomId = await newRoom(owner, [ada, ben])
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const untilOf = ({ login }: Person, tab = page) =>
    tab.getByRole('navigation', { name: 'Rooms' }).getByText(login).waitFor()
  await untilOf(ada)
  const data = { identifier: ben.login, password: ben.password, cookieOnly: true }
  await page.context().request.post(`${fleet().gateways[0]}/auth/login`, { data })
  const other = await page.context().newPage()
  await other.goto(page.url())
  await untilOf(ben, other)
  await untilOf(ben)
  expect(visitor.pageErrors).toEqual([])
})
