import type { OidcProvider } from '@parley/testkit/oidc-provider'
import { Browser, type Page } from './_browser.ts'

/** Returns the callback URL to which the browser is redirected. */
export async function signInAt(
  { issuer }: Pick<OidcProvider, 'issuer'>,
  authorizeUrl: string,
  login: string,
  browser = new Browser(),
): Promise<URL> {
  const back = (url: URL) => url.origin !== new URL(issuer).origin
  let page: Page = await browser.open(authorizeUrl, back)
  // A browser that returns may skip the sign-in page, the consent page or both.
  for (let pages = 0; pages < 3 && !back(page.url); pages++) {
    const values = page.html.includes('name="login"') ? { login, password: 'any' } : {}
    page = await browser.submit(page, values, back)
  }
  return page.url
}
