import { afterAll, beforeAll, test } from '@jest/globals'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { findChromium, launchChromium, startChromium } from './chromium.ts'
import { fleet } from './fleet.ts'
import type { Person } from './people.ts'

export type Visitor = AsyncDisposable & {
  page: Page
  /** Uncaught exceptions of the page and errors in its console, such as blocked scripts and failed requests. */
  pageErrors: string[]
}

const chromium = await findChromium()
let browser: Browser | undefined

/** Chosen at each use: this module stays loaded between test files, but each file has a `test` of its own. */
const testOrSkip = () => ('path' in chromium ? test : test.skip)

/** Like `test`, but skipped without a browser. */
export const inBrowser: Pick<typeof test, 'each'> & ((...args: Parameters<typeof test>) => void) = Object.assign(
  (...args: Parameters<typeof test>) => testOrSkip()(...args),
  { each: ((...table: Parameters<typeof test.each>) => testOrSkip().each(...table)) as typeof test.each },
)

/**
 * Opens a browser before `prepare`, and closes it after the tests of the file. Without a browser, logs that the tests
 * of `what` are skipped.
 */
export function useBrowser(what: string, prepare: () => Promise<unknown> = async () => undefined): void {
  if (!('path' in chromium)) return console.log(`${what}: skipped, because there is no browser: ${chromium.reason}`)
  beforeAll(async () => {
    browser = await launchChromium(chromium.path)
    await prepare()
  })
  afterAll(() => browser?.close())
}

export async function visit(path = '/', options: BrowserContextOptions = {}): Promise<Visitor> {
  return openPage(await newContext(options), path)
}

/** Signs the user in first. */
export async function visitAs(
  { login, password }: Pick<Person, 'login' | 'password'>,
  path = '/',
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const context = await newContext(options)
  const data = { identifier: login, password, cookieOnly: true }
  const answer = await context.request.post(`${fleet().gateways[0]}/auth/login`, { data })
  if (!answer.ok()) throw new Error(`sign-in was answered ${answer.status()}: ${await answer.text()}`)
  const visitor = await openPage(context, path)
  // On a phone the list of rooms is hidden while a room is shown.
  await visitor.page.locator('nav').waitFor({ state: 'attached' })
  return visitor
}

function newContext(options: BrowserContextOptions): Promise<BrowserContext> {
  if (!browser) throw new Error('call useBrowser first: it opens the browser')
  return browser.newContext({ locale: 'en-GB', viewport: { width: 1200, height: 800 }, ...options })
}

async function openPage(context: BrowserContext, path: string): Promise<Visitor> {
  const page = await context.newPage()
  const pageErrors: string[] = []
  page.on('pageerror', ({ message }) => pageErrors.push(message))
  page.on('console', (line) => line.type() === 'error' && pageErrors.push(`${line.text()} ${line.location().url}`))
  await page.goto(fleet().gateways[0] + path)
  return { page, pageErrors, [Symbol.asyncDispose]: () => context.close() }
}

export async function fillSignIn(page: Page, { login, password }: Pick<Person, 'login' | 'password'>): Promise<void> {
  await page.getByLabel('Login or e-mail address').fill(login)
  await page.getByLabel('Password').fill(password)
  await page.getByLabel('Password').press('Enter')
}

/** Waits for the list of rooms. */
export async function signInAt(page: Page, person: Pick<Person, 'login' | 'password'>): Promise<void> {
  await fillSignIn(page, person)
  await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
}

export async function visitAdministration(person: Pick<Person, 'login' | 'password'>, path: string): Promise<Visitor> {
  const visitor = await visitAs(person, path)
  await visitor.page.getByRole('navigation', { name: 'Administration' }).waitFor()
  return visitor
}

export async function say(page: Page, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Write a message' })
  await field.fill(text)
  await field.press('Enter')
}

export const messageWith = (page: Page, text: string) =>
  page.getByRole('main').getByRole('article').filter({ hasText: text })

/** Waits until an expression is true in the page and has been painted. Returns `Date.now()` in milliseconds. */
export const timeWhenTrue = (page: Page, expression: string) =>
  page.evaluate<number>(`new Promise((resolve) => {
    const check = () => (${expression})
      ? requestAnimationFrame(() => setTimeout(() => resolve(Date.now())))
      : requestAnimationFrame(check)
    check()
  })`)

export const refusal = {
  status: 403,
  contentType: 'application/json',
  body: JSON.stringify({ code: 'permission_denied', message: 'not any more' }),
}

/** The browser can be killed. */
export async function launchWithProfile(
  folder: string,
): Promise<AsyncDisposable & { page: Page; crash(): Promise<void> }> {
  if (!('path' in chromium)) throw new Error(chromium.reason)
  const { browser, crash } = await startChromium(chromium.path, folder)
  const [context] = browser.contexts()
  if (!context) throw new Error('a browser with a folder has one context')
  return { page: await context.newPage(), crash, [Symbol.asyncDispose]: crash }
}
