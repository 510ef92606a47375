import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from '@jest/globals'
import type { OidcProvider } from '@parley/testkit/oidc-provider'
import type { Page } from 'playwright-core'
import { inEveryTheme, findViolations } from '../src/accessibility.ts'
import { issuerUrl, providerLabel, startIdentityProvider } from '../src/identity-provider.ts'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom } from '../src/rooms.ts'
import { inBrowser, messageWith, say, signInAt, useBrowser, visit, visitAs } from '../src/web-client.ts'

const canTry = issuerUrl() !== ''
let provider: OidcProvider | undefined
let ada: Person
let roomId: string

useBrowser('identities', async () => {
  ada = await newPerson('ada')
  roomId = await newRoom(await signInOwner(), [ada])
})
beforeAll(async () => {
  if (canTry) provider = await startIdentityProvider()
})
afterAll(async () => provider?.[Symbol.asyncDispose]())

async function openSignInSettings(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign-in' }).click()
}

async function signInAtProvider(page: Page, login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

if (canTry) {
  inBrowser('a first sign-in with a provider creates an account', async () => {
    const login = `iris-${randomBytes(4).toString('hex')}`
    await using visitor = await visit(`/chat/-/${roomId}`)
    const { page } = visitor
    await page.getByRole('link', { name: `Sign in with ${providerLabel}` }).click()
    await signInAtProvider(page, login)
    await page.getByRole('heading', { name: 'Create an account' }).waitFor()
    await page.getByText(`as ${login}@corp.example`).waitFor()
    await inEveryTheme(page, async () => expect(await findViolations(page)).toEqual([]))
    const field = page.getByLabel('Login')
    expect(await field.inputValue()).toBe(login)
    await field.fill(ada.login)
    await page.getByRole('button', { name: 'Complete registration' }).click()
    await page.getByRole('alert').filter({ hasText: 'taken' }).waitFor()
    await field.fill(login)
    await page.getByRole('button', { name: 'Complete registration' }).click()
    await page.getByRole('navigation', { name: 'Rooms' }).getByText(login).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/chat/-/${roomId}`)
    await page.getByRole('button', { name: 'Join room' }).click()
    await say(page, 'Here for the first time')
    await messageWith(page, 'Here for the first time').waitFor()
  })

  inBrowser('a user links an identity in the settings, signs in with it, and unlinks it', async () => {
    await using visitor = await visitAs(ada)
    const { page } = visitor
    await openSignInSettings(page)
    const [link, disconnect] = ['Link', 'Disconnect'].map((what) =>
      page.getByRole('button', { name: `${what} ${providerLabel}` }),
    )
    await page.getByRole('dialog').getByRole('listitem').filter({ hasText: providerLabel }).waitFor()
    await link?.click()
    await signInAtProvider(page, ada.login)
    await page.getByRole('heading', { name: 'Link an identity' }).waitFor()
    await page.getByText(`${ada.login}@corp.example`).waitFor()
    await inEveryTheme(page, async () => expect(await findViolations(page)).toEqual([]))
    await page.getByRole('button', { name: 'Link to my account' }).click()
    await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
    await openSignInSettings(page)
    await disconnect?.waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Sign out' }).click()

    // The provider still has a session of the user.
    await page.getByRole('link', { name: `Sign in with ${providerLabel}` }).click()
    await page.getByRole('navigation', { name: 'Rooms' }).getByText(ada.login).waitFor()
    await openSignInSettings(page)
    await page.getByText('Disconnecting ends all sessions, including this one.').waitFor()
    await disconnect?.click()
    await page.getByRole('link', { name: `Sign in with ${providerLabel}` }).click()
    await page.getByRole('heading', { name: 'Create an account' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await signInAt(page, ada)
    await openSignInSettings(page)
    await link?.waitFor()
  })
} else console.log('identities: skipped, because the existing fleet does not know the provider of this suite')
