import { randomBase62 } from './random.ts'

const prefixes = {
  accessToken: 'prl_AT',
  linkPreview: 'prl_LP',
  authorizationCode: 'prl_AC',
} as const

/** Purpose of a secret token. */
export type TokenKind = keyof typeof prefixes

// 43 base62 digits hold 256 bits.
const digits = 43

/** A new secret token: the kind's brand and 43 random base62 digits (256 bits). Store a digest of it, never itself. */
export function newToken(kind: TokenKind): string {
  return prefixes[kind] + randomBase62(digits)
}

/** A new unbranded secret of 43 random base62 digits, such as the value of a session cookie. */
export function newHandle(): string {
  return randomBase62(digits)
}
