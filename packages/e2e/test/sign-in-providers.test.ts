import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { MyAccountService, ViewerService } from '@parley/contracts/api'
import type { OidcProvider } from '@parley/testkit/oidc-provider'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { findChromium, launchChromium } from '../src/chromium.ts'
import { fleet } from '../src/fleet.ts'
import { pathOf } from '../src/http.ts'
import { issuerUrl, providerId, providerLabel, startIdentityProvider } from '../src/identity-provider.ts'
import { newPerson } from '../src/people.ts'

const chromium = issuerUrl() === '' ? { reason: 'the suites test an existing fleet' } : await findChromium()
const skipped = 'reason' in chromium ? chromium.reason : undefined
const inABrowser = skipped === undefined ? describe : describe.skip

inABrowser(`a real browser at a real provider${skipped === undefined ? '' : ` (skipped: ${skipped})`}`, () => {
  let browser: Browser
  let provider: OidcProvider
  let site: string
  const contexts: BrowserContext[] = []

  beforeAll(async () => {
    ;[site] = fleet().gateways
    provider = await startIdentityProvider()
    browser = await launchChromium('path' in chromium ? chromium.path : '')
  })

  afterAll(async () => {
    for (const context of contexts) await context.close()
    await browser.close()
    await provider[Symbol.asyncDispose]()
  })

  async function newPage(): Promise<Page> {
    const context = await browser.newContext()
    contexts.push(context)
    const page = await context.newPage()
    // A blank page is enough: the tests check the redirects.
    await page.route(`${site}/welcome**`, (route) => route.fulfill({ contentType: 'text/html', body: 'welcome' }))
    return page
  }

  async function chooseProvider(page: Page): Promise<void> {
    await page.goto(`${site}/login?redirect=/welcome`)
    await page.getByRole('link', { name: providerLabel }).click()
  }

  async function signInAtProvider(page: Page, login: string): Promise<void> {
    await page.getByPlaceholder('Enter any login').fill(login)
    await page.getByPlaceholder('and password').fill('any')
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
  }

  async function viewerOn(page: Page): Promise<string | undefined> {
    return page.evaluate(async (path) => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(path, { method: 'POST', headers, body: '{}' })
      if (response.status === 401) return undefined
      const { user } = (await response.json()) as { user: { profile: { login: string } } }
      return user.profile.login
    }, pathOf(ViewerService.method.getViewer))
  }

  async function createAccount(page: Page, login: string): Promise<void> {
    await chooseProvider(page)
    await signInAtProvider(page, login)
    await page.getByRole('button', { name: 'Complete registration' }).click()
    await page.waitForURL(`${site}/welcome`)
  }

  test('an unknown user creates an account, and signs in to it again', async () => {
    provider.people.set('wanda', { name: 'Wanda Fish' })
    const page = await newPage()
    await chooseProvider(page)
    await signInAtProvider(page, 'wanda')
    await page.waitForURL(`${site}/sso/confirm**`)
    expect(await page.getByLabel('Login').inputValue()).toBe('wanda')
    expect(page.url()).not.toContain('token')
    expect(await page.textContent('body')).toContain('wanda@corp.example')
    await page.getByRole('button', { name: 'Complete registration' }).click()
    await page.waitForURL(`${site}/welcome`)
    expect(await viewerOn(page)).toBe('wanda')
    expect(page.url()).not.toContain('token')

    await page.context().clearCookies({ domain: new URL(site).hostname, name: 'parley_session' })
    expect(await viewerOn(page)).toBeUndefined()
    // The provider still knows this browser.
    await chooseProvider(page)
    await page.waitForURL(`${site}/welcome`)
    expect(await viewerOn(page)).toBe('wanda')
  })

  test('sign-in works after the provider has replaced its keys', async () => {
    await createAccount(await newPage(), 'xenia')
    provider.rotate('another key')
    const page = await newPage()
    await chooseProvider(page)
    await signInAtProvider(page, 'xenia')
    await page.waitForURL(`${site}/welcome`)
    expect(await viewerOn(page)).toBe('xenia')
  })

  test('sign-in tolerates a clock of the provider that is 90 s behind, but not 150 s', async () => {
    const now = Date.now
    const clock = (behindMs: number) => (Date.now = () => now() - behindMs)
    try {
      clock(90_000)
      await createAccount(await newPage(), 'yara')
      clock(150_000)
      const page = await newPage()
      await chooseProvider(page)
      await signInAtProvider(page, 'yara')
      await page.waitForURL(`${site}/login?error=provider_failed**`)
      await page.goto(`${site}/welcome`)
      expect(await viewerOn(page)).toBeUndefined()
    } finally {
      Date.now = now
    }
  })

  test('a user who declines at the provider sees this on the sign-in page', async () => {
    const page = await newPage()
    await chooseProvider(page)
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.waitForURL(`${site}/login?error=provider_denied**`)
    expect(await page.getByRole('alert').textContent()).toContain('declined')
  })

  test('a callback fails in another browser, and the second time', async () => {
    const page = await newPage()
    let callback = ''
    // Intercepts the provider's last redirect.
    provider.intercept((_, response) => {
      const set = response.setHeader.bind(response)
      response.setHeader = (name, value) => {
        const isCallback =
          typeof value === 'string' && value.startsWith(`${site}/auth/providers/${providerId}/callback`)
        if (isCallback) callback = value
        return set(name, isCallback ? `${site}/welcome` : value)
      }
      return false
    })
    await chooseProvider(page)
    await signInAtProvider(page, 'zoe')
    await page.waitForURL(`${site}/welcome`)
    provider.intercept(undefined)

    const other = await newPage()
    await other.goto(callback)
    expect(other.url()).toContain('/login?error=provider_failed')
    await page.goto(callback)
    expect(page.url()).toContain('/sso/confirm')
    await page.goto(callback)
    expect(page.url()).toContain('/login?error=provider_failed')
  })

  test('a signed-in user links an identity, and can sign in with it', async () => {
    const person = await newPerson('vero')
    const { startUrl } = await person.call(MyAccountService.method.startExternalIdentityLink, {
      providerId,
      redirectPath: '/welcome',
    })
    // Nobody is signed in to this browser yet.
    const page = await newPage()
    await page.goto(startUrl)
    expect(page.url()).toContain('/login?error=authentication_required')
    await page.getByLabel('Login or e-mail address').fill(person.login)
    await page.getByLabel('Password').fill(person.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('navigation', { name: 'Rooms' }).waitFor()

    await page.goto(startUrl)
    await signInAtProvider(page, 'vero-at-work')
    await page.getByRole('button', { name: 'Link to my account' }).click()
    await page.waitForURL(`${site}/welcome`)

    const another = await newPage()
    await chooseProvider(another)
    await signInAtProvider(another, 'vero-at-work')
    await another.waitForURL(`${site}/welcome`)
    expect(await viewerOn(another)).toBe(person.login)
  })
})
