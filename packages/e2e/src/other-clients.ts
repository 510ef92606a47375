import { createHash, randomBytes } from 'node:crypto'
import { jsonOf, type Browser } from '@parley/testkit'
import { newBrowser, signInBrowser } from './browsers.ts'
import type { Person } from './people.ts'

/** A redirect URI on loopback needs no configuration. */
export const redirectUri = 'http://127.0.0.1:5173/back'
/** The operator has configured its origin. */
export const listedUri = 'https://client.example/back'

export const newVerifier = (): string => randomBytes(32).toString('base64url')
const s256 = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

export const authorizePath = (verifier: string, uri = redirectUri, state = 'a&state'): string =>
  `/oauth/authorize?${new URLSearchParams({
    ...{ response_type: 'code', redirect_uri: uri, state },
    ...{ code_challenge: s256(verifier), code_challenge_method: 'S256' },
  }).toString()}`

export async function codeFor(who: Browser, verifier: string, uri = redirectUri): Promise<string> {
  const first = await who.get(authorizePath(verifier, uri))
  if (first.location !== '/oauth/consent') return codeIn(first.location)
  const approved = await who.postJson('/oauth/consent/approve', { redirectUri: uri }, who.csrf)
  return codeIn(String(jsonOf(approved).redirectUrl))
}
const codeIn = (location: string | null | undefined) => new URL(location ?? '').searchParams.get('code') ?? 'no code'

export const exchange = (who: Browser, changes: Record<string, string>): ReturnType<Browser['postForm']> =>
  who.postForm('/oauth/token', { grant_type: 'authorization_code', redirect_uri: redirectUri, ...changes })

export async function tokenForOtherClient(person: Person): Promise<string> {
  const browser = newBrowser()
  await signInBrowser(browser, person)
  const verifier = newVerifier()
  const answer = await exchange(browser, { code: await codeFor(browser, verifier), code_verifier: verifier })
  return String(jsonOf(answer).access_token)
}
