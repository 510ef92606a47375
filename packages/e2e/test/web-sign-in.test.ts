import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomBytes } from 'node:crypto'
import { expect } from '@jest/globals'
import { AdminUserService } from '@parley/contracts/admin'
import type { WebSocket } from 'playwright-core'
import { fleet } from '../src/fleet.ts'
import { postJson } from '../src/http.ts'
import { codeIn, linkTokenIn, mailTo } from '../src/mails.ts'
import { authorizePath, newVerifier } from '../src/other-clients.ts'
import { newPerson, signInOwner } from '../src/people.ts'
import { inBrowser, useBrowser, fillSignIn, signInAt, visit, visitAs } from '../src/web-client.ts'

useBrowser('sign-in')

const password = 'long enough for anyone'

inBrowser('an account is created with a mailed code', async () => {
  const login = `newbie-${randomBytes(5).toString('hex')}`
  const email = `${login}@example.org`
  await using visitor = await visit()
  const { page } = visitor
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByLabel('Six-digit code').fill(codeIn(await mailTo(email)))
  await page.getByRole('button', { name: 'Continue' }).click()

  await page.getByLabel('Login').fill((await newPerson('taken')).login)
  await page.getByLabel('New password').fill(password)
  await page.getByLabel('Repeat the password').fill('something else')
  await page.getByRole('button', { name: 'Complete registration' }).click()
  await page.getByText('The passwords do not match.').waitFor()
  await page.getByLabel('Repeat the password').fill(password)
  await page.getByRole('button', { name: 'Complete registration' }).click()
  await page.getByRole('alert').filter({ hasText: 'taken' }).waitFor()
  await page.getByLabel('Login').fill(login)
  await page.getByRole('button', { name: 'Complete registration' }).click()
  await page.getByRole('navigation', { name: 'Rooms' }).getByText(login).waitFor()
})

inBrowser('an address is verified with a mailed code, and then used to reset the password', async () => {
  const ada = await newPerson('ada')
  const address = `${ada.login}@example.org`
  await using visitor = await visitAs(ada)
  const { page, pageErrors } = visitor
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'E-mail addresses' }).click()
  await page.getByText('Your account has no e-mail address yet').waitFor()
  await page.getByLabel('E-mail address', { exact: true }).fill(address)
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByLabel('Six-digit code').fill(codeIn(await mailTo(address)))
  await page.getByRole('button', { name: 'Verify address' }).click()
  await page.getByRole('listitem').filter({ hasText: address }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: /Sign in/ }).waitFor()
  expect(await page.getByText('Your session has ended').count()).toBe(0)

  await page.getByRole('button', { name: 'Forgot your password?' }).click()
  await page.getByLabel('E-mail address').fill(address)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await page.getByRole('status').getByText('you will receive a link there shortly').waitFor()
  await page.goto(`${fleet().gateways[0]}/reset-password?token=${linkTokenIn(await mailTo(address, 'reset-password'))}`)
  await page.getByLabel('New password').fill(password)
  expect(page.url()).not.toContain('token')
  await page.getByLabel('Repeat the password').fill(password)
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByRole('status').getByText('Your password has been changed').waitFor()
  await page.getByRole('link', { name: 'Back to sign-in' }).click()
  // The reset has removed the address, because it was added in the last hour. The login still identifies the account.
  await signInAt(page, { login: ada.login, password })
  expect(pageErrors).toEqual([])
})

inBrowser('a user signs in to grant or deny access to another client', async () => {
  const arrived: string[] = []
  const client = createServer((request, response) => {
    arrived.push(request.url ?? '')
    response.end('welcome back')
  })
  await new Promise<void>((resolve) => client.listen(0, '127.0.0.1', resolve))
  try {
    const origin = `http://127.0.0.1:${(client.address() as AddressInfo).port}`
    const path = authorizePath(newVerifier(), `${origin}/back`)
    await using visitor = await visit(path)
    const { page } = visitor
    await fillSignIn(page, await newPerson('ada'))
    await page.getByRole('heading', { name: `Allow ${origin} access?` }).waitFor()
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('welcome back').waitFor()
    expect(arrived.find((url) => url.startsWith('/back'))).toContain('error=access_denied')
    await page.goto(fleet().gateways[0] + path)
    await page.getByRole('button', { name: 'Allow access' }).click()
    await page.getByText('welcome back').waitFor()
    expect(page.url()).toMatch(/\/back\?code=prl_AC/)
  } finally {
    client.close()
  }
})

inBrowser('sign-in ignores a redirect to another site', async () => {
  const ada = await newPerson('ada')
  await using visitor = await visit(`/login?redirect=${encodeURIComponent('/\\evil.example')}`)
  await signInAt(visitor.page, ada)
  expect(new URL(visitor.page.url()).origin).toBe(fleet().gateways[0])
})

inBrowser('an invite creates one account, and its secret is removed from the URL', async () => {
  const owner = await signInOwner()
  const { url } = await owner.call(AdminUserService.method.createInvite, {})
  const { pathname, hash } = new URL(url)
  await using visitor = await visit(pathname + hash)
  const { page } = visitor
  const login = `guest-${randomBytes(5).toString('hex')}`
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('New password').fill('long enough for anyone')
  await page.getByLabel('Repeat the password').fill('long enough for anyone')
  expect(page.url()).not.toContain(hash)
  await page.getByRole('button', { name: 'Complete registration' }).click()
  await page.getByRole('navigation', { name: 'Rooms' }).getByText(login).waitFor()
  expect(visitor.pageErrors).toEqual([])

  await using late = await visit(pathname + hash)
  await late.page.getByText('This invite has expired or has already been used.').waitFor()
  await late.page.getByRole('heading', { name: 'This invite is no longer valid' }).waitFor()
  // Only the fragment differs, so the browser does not load the page again.
  const other = new URL((await owner.call(AdminUserService.method.createInvite, {})).url)
  await late.page.goto(new URL(other.pathname + other.hash, late.page.url()).href)
  await late.page.getByRole('button', { name: 'Complete registration' }).waitFor()
  expect(late.page.url()).not.toContain(other.hash)
  await late.page.goto(new URL(pathname, late.page.url()).href)
  await late.page.getByText('This link is incomplete').waitFor()
})

inBrowser('a page stays signed in when its user signs out elsewhere', async () => {
  const ada = await newPerson('ada')
  await using visitor = await visit()
  const { page } = visitor
  const opened = page.waitForEvent('websocket')
  await signInAt(page, ada)
  await waitUntilSubscribed(await opened)
  const openedAgain = page.waitForEvent('websocket')
  await postJson(`${fleet().gateways[0]}/auth/logout`, {}, ada.authorization)
  await waitUntilSubscribed(await openedAgain)
  await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
  expect(await page.getByRole('heading', { name: /Sign in/ }).count()).toBe(0)
})

async function waitUntilSubscribed(socket: WebSocket): Promise<void> {
  let frames = 0
  await socket.waitForEvent('framereceived', () => ++frames === 2)
}
