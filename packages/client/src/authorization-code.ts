import { type Client, Code, ConnectError } from '@connectrpc/connect'
import type { ServerDiscoveryService } from '@parley/contracts/discovery'
import type { SignedIn } from './sign-in.ts'

/** A sign-in that has begun on the server's own page. Store it until the browser returns; it is secret. */
export type PendingAuthorization = {
  url: string
  redirectUri: string
  state: string
  codeVerifier: string
  /** The issuer that the response must name (`iss`, RFC 9207). */
  issuer: string
}

/** The authorization-code flow with PKCE, for web clients on another origin. */
export type AuthorizationCodeFlow = {
  /**
   * Begins a sign-in: send the browser to the `url` of the result. Fails with `failed_precondition` if the server names
   * no issuer, or if the issuer or the sign-in page that it names has another origin than `baseUrl`.
   */
  begin(request: { redirectUri: string }): Promise<PendingAuthorization>
  /**
   * Completes the sign-in with the URL to which the browser returned, and stores the token. Fails with
   * `permission_denied` if the user refused, with `failed_precondition` if the response belongs to another request
   * or server, and with `invalid_argument` if the server reports any other error or sends no code. In all these cases
   * no code is exchanged.
   */
  complete(pending: PendingAuthorization, returnedTo: string): Promise<SignedIn>
}

/** `exchange` sends a token request with the given fields. */
export function authorizationCodeFlow(
  baseUrl: string,
  discovery: Client<typeof ServerDiscoveryService>,
  exchange: (fields: Record<string, string>) => Promise<SignedIn>,
): AuthorizationCodeFlow {
  return {
    async begin({ redirectUri }) {
      const { login } = await discovery.getServer({})
      const issuer = login?.issuer ?? ''
      const authorizeUrl = new URL(login?.authorizeUrl ?? '', `${baseUrl}/`)
      const { origin } = new URL(baseUrl)
      if (!URL.canParse(issuer) || new URL(issuer).origin !== origin || authorizeUrl.origin !== origin) {
        throw new ConnectError(
          `wrong issuer or sign-in page: the server at ${baseUrl} names ${issuer || 'none'} and ${authorizeUrl.href}`,
          Code.FailedPrecondition,
        )
      }
      const [state, codeVerifier] = [randomText(), randomText()]
      const query = {
        response_type: 'code',
        redirect_uri: redirectUri,
        state,
        code_challenge: await sha256(codeVerifier),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(query)) authorizeUrl.searchParams.set(name, value)
      return { url: authorizeUrl.href, redirectUri, state, codeVerifier, issuer }
    },
    async complete({ redirectUri, state, codeVerifier, issuer }, returnedTo) {
      const { searchParams } = new URL(returnedTo)
      const singleParam = (name: string) => {
        const [value = '', ...more] = searchParams.getAll(name)
        return more.length === 0 ? value : ''
      }
      if (singleParam('state') !== state || singleParam('iss') !== issuer) {
        throw new ConnectError(
          'invalid state: the response belongs to another request or another server',
          Code.FailedPrecondition,
        )
      }
      const error = singleParam('error')
      if (error === 'access_denied')
        throw new ConnectError('permission denied: the user refused', Code.PermissionDenied)
      const code = singleParam('code')
      if (error !== '' || code === '')
        throw new ConnectError(
          singleParam('error_description') || error || 'invalid response: it has neither a code nor an error',
          Code.InvalidArgument,
        )
      return exchange({
        grant_type: 'authorization_code',
        code,
        code_verifier: codeVerifier,
        redirect_uri: redirectUri,
      })
    },
  }
}

const randomText = (): string => base64Url(crypto.getRandomValues(new Uint8Array(32)))

const sha256 = async (text: string): Promise<string> =>
  base64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
