import { afterAll, beforeAll } from '@jest/globals'
import type { OidcProvider } from '@parley/testkit/oidc-provider'
import type { Page } from 'playwright-core'
import { issuerOf, providerLabel, startIdentityProvider } from '../src/identity-provider.ts'
import { newPerson, type Person } from '../src/people.ts'
import { inBrowser, signInAt, useBrowser, visit } from '../src/web-client.ts'

const canTry = issuerOf() !== ''
let provider: OidcProvider | undefined
let ada: Person

useBrowser('identities', async () => (ada = await newPerson('ada')))
beforeAll(async () => {
  if (canTry) provider = await startIdentityProvider()
})
afterAll(async () => provider?.[Symbol.asyncDispose]())

async function openSignIns(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign-in' }).click()
}

/** Signs in at the provider as somebody it has not seen, up to where it sends the browser back to. */
async function signInThere(page: Page, login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

if (canTry)
  inBrowser('an identity elsewhere is linked in the settings, signs in, and is taken off again', async () => {
    await using visitor = await visit()
    const { page } = visitor
    await signInAt(page, ada)
    await openSignIns(page)
    const [link, disconnect] = ['Link', 'Disconnect'].map((what) =>
      page.getByRole('button', { name: `${what} ${providerLabel}` }),
    )
    await page.getByRole('dialog').getByRole('listitem').filter({ hasText: providerLabel }).waitFor()
    await link?.click()
    await signInThere(page, ada.login)
    await page.getByRole('heading', { name: 'Link an identity' }).waitFor()
    await page.getByText(`${ada.login}@corp.example`).waitFor()
    await page.getByRole('button', { name: 'Link to my account' }).click()
    await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
    await openSignIns(page)
    await disconnect?.waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Sign out' }).click()

    // The provider still knows who sits here.
    await page.getByRole('link', { name: `Sign in with ${providerLabel}` }).click()
    await page.getByRole('navigation', { name: 'Rooms' }).getByText(ada.login).waitFor()
    await openSignIns(page)
    await page.getByText('Disconnecting ends every session, this one too.').waitFor()
    await disconnect?.click()
    await page.getByRole('link', { name: `Sign in with ${providerLabel}` }).click()
    await page.getByRole('heading', { name: 'Create an account' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await signInAt(page, ada)
    await openSignIns(page)
    await link?.waitFor()
  })
else console.log('identities: not tried with a fleet that was given: it knows no provider of ours')
